/* Columns of text in one pass, and ids in order: what polars does for data/trec.py and data/order.py, several times as
fast.

columns() reads good lines only. Whatever is odd (a field too few or too many, a number spelled unusually, a control character) makes
it return None, and the caller reads the text again in Python, which has the rules and the messages. So nothing
is decided here, and no result can differ but by a defect: tests hold both readers to the same columns. The caller has seen that the text is UTF-8.

CPython's limited API only: one build works with every CPython from 3.11 on. The text is read without the GIL.
Strings leave as an Arrow array of views (the Arrow C data interface), which polars takes over as it is. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define EIGHT_AT_A_TIME 1 /* GCC and Clang, the first byte in the lowest bits: their built-in functions serve, too */
#else
#define EIGHT_AT_A_TIME 0
#endif

#define MAX_FIELDS 16
#define MAX_TEXT INT32_MAX /* a view says where its string begins in 31 bits */
#define LARGE_TEXT (1 << 25)
#define COPIED 32          /* bytes of a string that are copied together */
#define MAX_WORD 400       /* bytes of a number that is left to Python's own function */

/* ---- the Arrow C data interface, as its specification declares it ---- */

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* A string: up to 12 bytes stand in the view itself; of a longer one, the first four and where it is. */
typedef struct {
    uint32_t length;
    union {
        char inlined[12];
        struct {
            char prefix[4];
            int32_t buffer, offset;
        } at;
    } u;
} View;

/* ---- columns while they are read ---- */

typedef struct {
    int64_t row;   /* where the stretch begins, or the score stands */
    int32_t start; /* of the word in the text */
    int32_t length;
} Place;

typedef struct {
    Place *item;
    size_t n, room;
} Places;

typedef struct {
    char kind;      /* of the field: - skipped, s stretches of one word, d strings, i int32, f float64 */
    void *values;   /* d views, i and f numbers; of rows that there can be at most */
    char *heap;     /* d: the bytes of long strings */
    size_t used;    /* d: of the heap */
    Places places;  /* s: the stretches; f: scores that are left to Python's own function */
} Column;

typedef struct {
    const char *text;
    size_t size;
    Column column[MAX_FIELDS];
    int n_fields;
    size_t n_rows;
} Job;

static int add_place(Places *places, size_t row, size_t start, size_t length)
{
    if (places->n == places->room) {
        size_t room = places->room ? 2 * places->room : 64;
        Place *item = realloc(places->item, room * sizeof(Place));
        if (item == NULL) return 0;
        places->item = item;
        places->room = room;
    }
    places->item[places->n++] = (Place){(int64_t)row, (int32_t)start, (int32_t)length};
    return 1;
}

/* ---- words ---- */

static inline int is_blank(unsigned char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
static inline int is_line_end(unsigned char c) { return c == '\n' || c == '\r'; }

/* The end of a word: the next byte up to a blank or control character. Eight bytes are looked at together. */
static inline const char *word_end(const char *p, const char *end)
{
#if EIGHT_AT_A_TIME
    while (end - p >= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        x = (x - 0x2121212121212121u) & ~x & 0x8080808080808080u; /* the lowest bit set: the first byte below 0x21 */
        if (x) return p + (__builtin_ctzll(x) >> 3);
        p += 8;
    }
#endif
    while (p < end && (unsigned char)*p > ' ') p++;
    return p;
}

/* The first bytes of a word of 1 to 8, the others zero; eight must be readable. */
static inline uint64_t first_bytes(const char *p, size_t length)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return x & (UINT64_MAX >> (64 - 8 * length));
}

/* Whether two words of one length are the same; the second is the later one. */
static inline int same_word(const char *p, const char *q, size_t length, const char *end)
{
    if (EIGHT_AT_A_TIME && length <= 8 && end - q >= 8) return first_bytes(p, length) == first_bytes(q, length);
    return !memcmp(p, q, length);
}

/* How many lines there are at most. */
static size_t count_lines(const char *p, size_t size)
{
    size_t n = 1;
    int returns = memchr(p, '\r', size) != NULL;
    while (size) {
        size_t piece = size < 255 ? size : 255;
        uint8_t seen = 0; /* of one byte, so that sixteen are compared and counted by one instruction each */
        for (size_t i = 0; i < piece; i++) seen += p[i] == '\n';
        if (returns)
            for (size_t i = 0; i < piece; i++) n += p[i] == '\r';
        n += seen;
        p += piece;
        size -= piece;
    }
    return n;
}

/* ---- numbers ---- */

static const double POWER[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define EXACT_POWER 22
#define EXACT_INTEGER ((uint64_t)1 << 53)
#define MAX_DIGITS 19

#ifdef __SIZEOF_INT128__
/* m / 10^k for 2^53 <= m < 2^64 and k <= 19, rounded to nearest, ties to even: by whole numbers, so exactly. */
static double quotient(uint64_t m, int k)
{
    uint64_t divisor = 1, q;
    unsigned __int128 wide;
    int shift, up, spare;
    for (int i = 0; i < k; i++) divisor *= 10;
    up = __builtin_clzll(m);
    shift = __builtin_clzll(divisor);
    wide = (unsigned __int128)(m << up) << 63; /* of 126 or 127 bits, the divisor of 64: the quotient has 63 or 64 */
    divisor <<= shift;
    q = (uint64_t)(wide / divisor);
    if (wide % divisor) q |= 1; /* sticky: far below the bits that are kept */
    spare = 64 - __builtin_clzll(q) - 53;
    {
        uint64_t kept = q >> spare, rest = q & (((uint64_t)1 << spare) - 1), half = (uint64_t)1 << (spare - 1);
        double value;
        kept += rest > half || (rest == half && (kept & 1));
        value = (double)kept; /* exact: at most 2^53 */
        /* m / 10^k = q * 2^(shift - up - 63); all exponents here are far from the limits of a double */
        for (int e = spare + shift - up - 63; e != 0;) {
            int step = e > 0 ? (e > 60 ? 60 : e) : (e < -60 ? -60 : e);
            double scale = (double)((uint64_t)1 << (step > 0 ? step : -step));
            value = step > 0 ? value * scale : value / scale;
            e -= step;
        }
        return value;
    }
}
#endif

enum { REFUSED, READ, HARD };

/* Read [+-] digits [. digits] [e [+-] digits] and nothing else; HARD is a number, but none of the easy ones. */
static inline int read_score(const char *p, const char *end, double *value)
{
    uint64_t m = 0;
    int negative = 0, n_digits = 0, any = 0, exponent = 0, hard = 0;
    if (*p == '-' || *p == '+') negative = *p++ == '-';
    if (end - p <= MAX_DIGITS + 1) { /* the usual case: digits with one point among them, no more than m holds */
        const char *q = p, *point = NULL;
        for (; q < end; q++) {
            if ((unsigned)(*q - '0') < 10)
                m = 10 * m + (unsigned)(*q - '0');
            else if (*q == '.' && point == NULL)
                point = q;
            else
                break;
        }
        exponent = point ? (int)(q - point) - 1 : 0;
        if (q == end && end - p - (point != NULL) >= 1 && end - p - (point != NULL) <= MAX_DIGITS && m < EXACT_INTEGER) {
            double x = (double)m / POWER[exponent]; /* both numbers are exact, so one operation rounds once */
            *value = negative ? -x : x;
            return READ;
        }
        m = 0;
        exponent = 0;
    }
    for (; p < end && (unsigned)(*p - '0') < 10; p++) {
        any = 1;
        if (n_digits < MAX_DIGITS) {
            m = 10 * m + (unsigned)(*p - '0');
            n_digits += m != 0;
        } else
            hard = 1;
    }
    if (p < end && *p == '.') {
        for (p++; p < end && (unsigned)(*p - '0') < 10; p++) {
            any = 1;
            if (n_digits < MAX_DIGITS) {
                m = 10 * m + (unsigned)(*p - '0');
                n_digits += m != 0;
                exponent--;
            } else
                hard |= *p != '0'; /* zeros behind the last digit change nothing */
        }
    }
    if (!any) return REFUSED;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int sign = 1, given = 0, start = 1;
        if (++p < end && (*p == '-' || *p == '+')) sign = *p++ == '-' ? -1 : 1;
        for (; p < end && (unsigned)(*p - '0') < 10; p++, start = 0)
            if (given < 100000) given = 10 * given + (*p - '0');
        if (start) return REFUSED;
        exponent += sign * given;
    }
    if (p != end) return REFUSED;
    if (hard) return HARD;
    if (m < EXACT_INTEGER && -EXACT_POWER <= exponent && exponent <= EXACT_POWER) {
        /* as above (Clinger 1990) */
        double x = (double)m;
        x = exponent < 0 ? x / POWER[-exponent] : x * POWER[exponent];
        *value = negative ? -x : x;
        return READ;
    }
#ifdef __SIZEOF_INT128__
    if (m >= EXACT_INTEGER && -MAX_DIGITS <= exponent && exponent <= 0) {
        double x = quotient(m, -exponent);
        *value = negative ? -x : x;
        return READ;
    }
#endif
    return HARD;
}

static inline int read_int(const char *p, const char *end, int32_t *value)
{
    int negative = p < end && *p == '-';
    int32_t n = 0;
    p += negative;
    if (p == end || end - p > 9) return 0;
    for (; p < end; p++) {
        if ((unsigned)(*p - '0') >= 10) return 0;
        n = 10 * n + (*p - '0');
    }
    *value = negative ? -n : n;
    return 1;
}

/* ---- one field, one line, one text ---- */

static inline void put_string(Column *column, size_t row, const char *p, size_t length, const char *end)
{
    View *view = (View *)column->values + row;
    view->length = (uint32_t)length;
    if (length <= sizeof view->u.inlined) {
        if (EIGHT_AT_A_TIME && end - p >= 16) {
            uint64_t low = first_bytes(p, length < 8 ? length : 8), high = length > 8 ? first_bytes(p + 8, length - 8) : 0;
            memcpy(view->u.inlined, &low, 8);
            memcpy(view->u.inlined + 8, &high, 4);
        } else {
            memset(view->u.inlined, 0, sizeof view->u.inlined);
            memcpy(view->u.inlined, p, length);
        }
        return;
    }
    memcpy(view->u.at.prefix, p, 4);
    view->u.at.buffer = 0;
    view->u.at.offset = (int32_t)column->used;
    if (length <= COPIED && end - p >= COPIED)
        memcpy(column->heap + column->used, p, COPIED); /* a size that is known is copied without a call */
    else
        memcpy(column->heap + column->used, p, length);
    column->used += length;
}

enum { ODD, FINE }; /* without memory all is odd: the other reader needs less, or says so */

static inline int put_field(const Job *job, Column *column, size_t row, const char *p, const char *end)
{
    size_t length = (size_t)(end - p), start = (size_t)(p - job->text);
    const char *text_end = job->text + job->size;
    switch (column->kind) {
    case 's': {
        const Places *seen = &column->places;
        const Place *last = seen->n ? seen->item + seen->n - 1 : NULL;
        if (last && (size_t)last->length == length && same_word(job->text + last->start, p, length, text_end))
            return FINE;
        return add_place(&column->places, row, start, length) ? FINE : ODD;
    }
    case 'd':
        put_string(column, row, p, length, text_end);
        return FINE;
    case 'i':
        return read_int(p, end, (int32_t *)column->values + row) ? FINE : ODD;
    case 'f':
        switch (read_score(p, end, (double *)column->values + row)) {
        case READ:
            return FINE;
        case HARD:
            if (length > MAX_WORD) return ODD;
            return add_place(&column->places, row, start, length) ? FINE : ODD;
        default:
            return ODD;
        }
    default:
        return FINE;
    }
}

static int read_text(Job *job)
{
    const char *p = job->text, *end = p + job->size;
    size_t row = 0;
    while (p < end) {
        int field = 0;
        while (p < end && is_blank((unsigned char)*p)) p++;
        if (p < end && *p == '#')
            for (; p < end && !is_line_end((unsigned char)*p); p++)
                if (*p == 0) return ODD; /* a binary file, in its comments, too */
        while (p < end && !is_line_end((unsigned char)*p)) {
            const char *stop = word_end(p, end);
            int outcome;
            if (stop == p || field == job->n_fields) return ODD; /* a control character; a field too many */
            outcome = put_field(job, job->column + field++, row, p, stop);
            if (outcome != FINE) return outcome;
            for (p = stop; p < end && is_blank((unsigned char)*p);) p++;
        }
        p++;
        if (field == 0) continue; /* nothing but blanks, or a comment */
        if (field != job->n_fields) return ODD;
        row++;
    }
    job->n_rows = row;
    return row ? FINE : ODD;
}

/* ---- memory ---- */

/* As many rows as lines, and no more than the fields and what stands between them have room for. */
static size_t most_rows(const Job *job)
{
    size_t lines = count_lines(job->text, job->size), room = job->size / (2 * (size_t)job->n_fields) + 1;
    return lines < room ? lines : room;
}

static int allocate(Job *job, size_t most)
{
    for (int i = 0; i < job->n_fields; i++) {
        Column *column = job->column + i;
        size_t size = column->kind == 'd' ? sizeof(View) : column->kind == 'i' ? 4 : column->kind == 'f' ? 8 : 0;
        if (size && (column->values = malloc(most * size)) == NULL) return 0;
        if (column->kind == 'd' && (column->heap = malloc(job->size + COPIED)) == NULL) return 0;
    }
    return 1;
}

static void release_job(Job *job)
{
    for (int i = 0; i < job->n_fields; i++) {
        free(job->column[i].values);
        free(job->column[i].heap);
        free(job->column[i].places.item);
    }
}

/* ---- strings to Arrow ---- */

typedef struct {
    struct ArrowArray array;
    const void *buffers[4];
    int64_t sizes[1];
} Strings;

static void release_schema(struct ArrowSchema *schema) { schema->release = NULL; }

/* The capsule keeps the struct; what it points to is freed here, by whoever took it over, with or without the GIL. */
static void release_strings(struct ArrowArray *array)
{
    Strings *strings = array->private_data;
    free((void *)strings->buffers[1]);
    free((void *)strings->buffers[2]);
    free(strings);
    array->release = NULL;
}

static void drop_schema(PyObject *capsule)
{
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema->release) schema->release(schema);
    free(schema);
}

static void drop_array(PyObject *capsule)
{
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array->release) array->release(array);
    free(array);
}

static PyObject *schema_capsule(void)
{
    struct ArrowSchema *schema = calloc(1, sizeof *schema);
    PyObject *capsule;
    if (schema == NULL) return PyErr_NoMemory();
    schema->format = "vu"; /* views of UTF-8 */
    schema->name = "";
    schema->release = release_schema;
    if ((capsule = PyCapsule_New(schema, "arrow_schema", drop_schema)) == NULL) free(schema);
    return capsule;
}

static PyObject *array_capsule(Column *column, size_t n_rows)
{
    struct ArrowArray *array = calloc(1, sizeof *array);
    Strings *strings = calloc(1, sizeof *strings);
    PyObject *capsule;
    if (array == NULL || strings == NULL || (capsule = PyCapsule_New(array, "arrow_array", drop_array)) == NULL) {
        free(array);
        free(strings);
        return PyErr_NoMemory();
    }
    strings->buffers[1] = column->values;
    strings->buffers[2] = column->heap;
    strings->sizes[0] = (int64_t)column->used;
    strings->buffers[3] = strings->sizes;
    column->values = column->heap = NULL; /* no longer ours */
    array->length = (int64_t)n_rows;
    array->n_buffers = 4;
    array->buffers = strings->buffers;
    array->private_data = strings;
    array->release = release_strings;
    return capsule;
}

/* ---- columns to Python ---- */

static PyObject *strings_out(const Job *job, Column *column)
{
    size_t n_rows = job->n_rows;
    void *smaller;
    if (job->size > LARGE_TEXT) { /* of small ones, the pages are soon used again, and returning them costs more */
        if ((smaller = realloc(column->values, n_rows * sizeof(View)))) column->values = smaller;
        if ((smaller = realloc(column->heap, column->used ? column->used : 1))) column->heap = smaller;
    }
    PyObject *schema = schema_capsule(), *array = schema ? array_capsule(column, n_rows) : NULL;
    PyObject *both = array ? PyTuple_Pack(2, schema, array) : NULL;
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return both;
}

static PyObject *stretches_out(const Job *job, const Places *places)
{
    PyObject *words = PyList_New((Py_ssize_t)places->n), *starts = NULL, *both;
    int64_t *start;
    if (words == NULL) return NULL;
    for (size_t i = 0; i < places->n; i++) {
        const Place *at = places->item + i;
        PyObject *word = PyUnicode_DecodeUTF8(job->text + at->start, at->length, "strict");
        if (word == NULL || PyList_SetItem(words, (Py_ssize_t)i, word)) goto failed;
    }
    if ((starts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(places->n * 8))) == NULL) goto failed;
    start = (int64_t *)PyBytes_AsString(starts);
    for (size_t i = 0; i < places->n; i++) start[i] = places->item[i].row;
    both = PyTuple_Pack(2, words, starts);
    Py_DECREF(words);
    Py_DECREF(starts);
    return both;
failed:
    Py_DECREF(words);
    return NULL;
}

/* Numbers that are not easy are read by the function that float() uses. */
static int read_hard(const Job *job, Column *column)
{
    for (size_t i = 0; i < column->places.n; i++) {
        const Place *at = column->places.item + i;
        char word[MAX_WORD + 1];
        double value;
        memcpy(word, job->text + at->start, (size_t)at->length);
        word[at->length] = 0;
        value = PyOS_string_to_double(word, NULL, NULL);
        if (value == -1.0 && PyErr_Occurred()) return 0;
        ((double *)column->values)[at->row] = value;
    }
    return 1;
}

static PyObject *column_out(const Job *job, Column *column)
{
    switch (column->kind) {
    case 'd':
        return strings_out(job, column);
    case 's':
        return stretches_out(job, &column->places);
    case 'f':
        if (!read_hard(job, column)) return NULL;
        return PyBytes_FromStringAndSize(column->values, (Py_ssize_t)(job->n_rows * 8));
    default:
        return PyBytes_FromStringAndSize(column->values, (Py_ssize_t)(job->n_rows * 4));
    }
}

static PyObject *columns_out(Job *job)
{
    PyObject *list = PyList_New(0), *all;
    if (list == NULL) return NULL;
    for (int i = 0; i < job->n_fields; i++) {
        PyObject *column;
        if (job->column[i].kind == '-') continue;
        column = column_out(job, job->column + i);
        if (column == NULL || PyList_Append(list, column)) {
            Py_XDECREF(column);
            Py_DECREF(list);
            return NULL;
        }
        Py_DECREF(column);
    }
    all = PyList_AsTuple(list);
    Py_DECREF(list);
    return all;
}

static PyObject *columns(PyObject *Py_UNUSED(module), PyObject *args)
{
    Job job = {0};
    Py_buffer text;
    const char *kinds;
    Py_ssize_t n_fields;
    PyObject *out = NULL;
    int outcome = ODD;
    if (!PyArg_ParseTuple(args, "y*s#", &text, &kinds, &n_fields)) return NULL;
    if (n_fields < 1 || n_fields > MAX_FIELDS || strspn(kinds, "-sdif") != (size_t)n_fields) {
        PyBuffer_Release(&text);
        return PyErr_Format(PyExc_ValueError, "kinds of fields are -, s, d, i or f, of up to %d fields", MAX_FIELDS);
    }
    if (text.len == 0 || text.len > MAX_TEXT) {
        PyBuffer_Release(&text);
        Py_RETURN_NONE;
    }
    job.text = text.buf;
    job.size = (size_t)text.len;
    job.n_fields = (int)n_fields;
    for (int i = 0; i < job.n_fields; i++) job.column[i].kind = kinds[i];
    Py_BEGIN_ALLOW_THREADS
    if (allocate(&job, most_rows(&job))) outcome = read_text(&job);
    Py_END_ALLOW_THREADS
    out = outcome == FINE ? columns_out(&job) : Py_NewRef(Py_None);
    release_job(&job);
    PyBuffer_Release(&text);
    return out;
}

/* ---- strings in order ---- */

typedef struct {
    uint64_t head;    /* the first bytes, the very first highest: it settles most comparisons */
    const char *text;
    size_t length;
    int64_t row;
} Id;

static Id id_of(const struct ArrowArray *array, int64_t row)
{
    const View *view = (const View *)array->buffers[1] + array->offset + row;
    const char *text = view->u.inlined;
    Id id = {0, NULL, view->length, row};
    if (id.length > sizeof view->u.inlined)
        text = (const char *)array->buffers[2 + view->u.at.buffer] + view->u.at.offset;
    id.text = text;
    for (size_t i = 0; i < 8; i++) id.head = id.head << 8 | (i < id.length ? (unsigned char)text[i] : 0);
    return id;
}

static int is_before(const Id *a, const Id *b) /* in descending order of bytes */
{
    int by_bytes;
    if (a->head != b->head) return a->head > b->head;
    by_bytes = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return by_bytes ? by_bytes > 0 : a->length > b->length;
}

/* Sort by merging ever longer stretches, the first ones sorted by insertion. */
static void sort_ids(Id *id, Id *spare, size_t n)
{
    const size_t first = 8;
    for (size_t start = 0; start < n; start += first)
        for (size_t i = start + 1; i < n && i < start + first; i++) {
            Id own = id[i];
            size_t at = i;
            for (; at > start && is_before(&own, &id[at - 1]); at--) id[at] = id[at - 1];
            id[at] = own;
        }
    for (size_t width = first; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
            size_t i = start, j = middle;
            for (size_t at = start; at < end; at++)
                spare[at] = j >= end || (i < middle && !is_before(&id[j], &id[i])) ? id[i++] : id[j++];
        }
        memcpy(id, spare, n * sizeof(Id));
    }
}

/* Put the rows of each group, which stand together, into descending order of their ids; 0 where that cannot be. */
static int order_rows(const struct ArrowArray *array, int64_t *row, const uint32_t *group, size_t n)
{
    Id *id = malloc(n * 2 * sizeof(Id));
    if (id == NULL) return 0;
    for (size_t start = 0, end; start < n; start = end) {
        for (end = start; end < n && group[end] == group[start]; end++) {
            if (row[end] < 0 || row[end] >= array->length) {
                free(id);
                return 0;
            }
            id[end - start] = id_of(array, row[end]);
        }
        sort_ids(id, id + n, end - start);
        for (size_t i = start; i < end; i++) row[i] = id[i - start].row;
    }
    free(id);
    return 1;
}

/* Take the only array of a stream, if it is one of views without gaps. */
static int take_strings(PyObject *capsule, struct ArrowArray *array)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    struct ArrowSchema schema = {0};
    struct ArrowArray next = {0};
    int fine;
    if (stream == NULL || stream->release == NULL || stream->get_schema(stream, &schema)) return 0;
    fine = !strcmp(schema.format, "vu");
    schema.release(&schema);
    fine = fine && !stream->get_next(stream, array) && array->release && array->null_count == 0;
    fine = fine && !stream->get_next(stream, &next);
    if (next.release) {
        next.release(&next);
        fine = 0;
    }
    if (!fine && array->release) array->release(array);
    return fine;
}

static PyObject *order_ties(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    Py_buffer row, group;
    struct ArrowArray array = {0};
    int done = 0;
    if (!PyArg_ParseTuple(args, "Ow*y*", &capsule, &row, &group)) return NULL;
    if (row.len / 8 == group.len / 4 && take_strings(capsule, &array)) {
        Py_BEGIN_ALLOW_THREADS
        done = order_rows(&array, row.buf, group.buf, (size_t)(row.len / 8));
        Py_END_ALLOW_THREADS
        array.release(&array);
    }
    PyBuffer_Release(&row);
    PyBuffer_Release(&group);
    return PyErr_Occurred() ? NULL : PyBool_FromLong(done);
}

static PyMethodDef METHODS[] = {
    {"order_ties", order_ties, METH_VARARGS, "Put the rows of each group into descending order of ids, in place."},
    {"columns", columns, METH_VARARGS, "Read the columns of a text in fields; None where a line is odd."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_compiled", "Columns of text in one pass, and ids in order.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModule_Create(&MODULE); }
