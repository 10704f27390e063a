"use strict";
(() => {
  const section = document.getElementById("page-look");
  const data = JSON.parse(document.getElementById("page-look-data").textContent);
  const [R, T] = [data.runs.length, data.topics.length];
  const every = (n) => Array.from({ length: n }, (_, i) => i);
  const FEW = 10; // runs below which the comparison of two leads
  const [LISTED, DECIDE, COLOURS] = [7, 3, 8]; // topics in a list, those that decide most, groups with a colour
  const SVG = "http://www.w3.org/2000/svg";

  /* Elements: names are only ever set as text */

  function make(tag, more = {}, ...inner) {
    const { data: keys = {}, aria = {}, ...rest } = more;
    const made = Object.assign(document.createElement(tag), rest);
    Object.assign(made.dataset, keys);
    for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
    made.append(...inner);
    return made;
  }

  function shape(tag, attributes = {}, ...inner) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...inner);
    return made;
  }

  const named = (name, more = {}) => make("bdi", { textContent: name, ...more });
  const button = (key, act, more, ...inner) => make("button", { type: "button", onclick: act, data: { key }, ...more }, ...inner);
  const plural = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

  function ordinal(n) {
    const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
    return `${n}${["th", "st", "nd", "rd"][last] ?? "th"}`;
  }

  /* Scores */

  function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  const tables = data.measures.map(() => null);
  const table = (m) => (tables[m] ??= unpacked(data.measures[m].scores));
  const score = (r, t) => table(state.measure)[r * T + t];
  const measure = () => data.measures[state.measure];
  const board = () => measure().board;
  const sign = () => (measure().lower ? -1 : 1); // so that higher is better
  const working = (x) => sign() * (measure().log ? Math.log(x) : x);
  const there = (x) => !Number.isNaN(x) && x !== null;
  const mean = (x) => x.reduce((sum, value) => sum + value, 0) / x.length;

  function median(x) {
    const rising = [...x].sort((a, b) => a - b);
    const half = rising.length >> 1;
    return rising.length % 2 ? rising[half] : (rising[half - 1] + rising[half]) / 2;
  }

  function deviation(x) {
    const middle = mean(x);
    return x.length < 2 ? 0 : Math.sqrt(x.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (x.length - 1));
  }

  /** One run against another, as `stats.significance.paired_difference` has it. */
  function paired(a, b) {
    const topics = every(T).filter((t) => there(score(a, t)) && there(score(b, t)));
    const d = topics.map((t) => working(score(a, t)) - working(score(b, t)));
    const n = topics.length;
    const size = topics.reduce((most, t) => Math.max(most, Math.abs(working(score(a, t))), Math.abs(working(score(b, t)))), 0);
    const wide = deviation(d) <= 1e-7 * size ? 0 : deviation(d); // what float32 leaves of nothing
    const half = n < 2 ? NaN : (data.t[n] * wide) / Math.sqrt(n);
    const wins = d.filter((x) => x > 0).length;
    const losses = d.filter((x) => x < 0).length;
    const middle = n ? mean(d) : NaN;
    const ends = [sign() * (middle - half), sign() * (middle + half)].sort((x, y) => x - y);
    const difference = wins + losses ? sign() * middle : 0 * middle;
    const better = wide && middle - half > 0;
    const worse = wide && middle + half < 0;
    return { topics, d, n, wins, losses, ties: n - wins - losses, difference, low: ends[0], high: ends[1], better, worse };
  }

  /** What topics are like by the chosen measure: worked out once for each. */
  const known = new Map();
  function topics() {
    if (known.has(state.measure)) return known.get(state.measure);
    const columns = every(T).map((t) => every(R).map((r) => score(r, t)).filter(there));
    const means = columns.map((x) => (x.length ? mean(x) : NaN));
    const spreads = columns.map(deviation);
    const scored = every(T).filter((t) => columns[t].length);
    const hardest = [...scored].sort((a, b) => sign() * (means[a] - means[b]) || a - b);
    const separating = [...scored].sort((a, b) => spreads[b] - spreads[a] || a - b);
    const ends = table(state.measure).filter(there).reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);
    const made = { means, spreads, medians: columns.map((x) => (x.length ? median(x) : NaN)), hardest, separating, low: Math.min(ends[0], 0), high: ends[1] };
    known.set(state.measure, made);
    return made;
  }

  function digits() {
    const span = topics().high - topics().low;
    return span >= 1000 ? 0 : span >= 100 ? 1 : span >= 10 ? 2 : 3;
  }
  const shown = (x, more = 0) => (there(x) ? (x + 0).toFixed(digits() + more).replace(/^-(0(\.0*)?)$/, "$1").replace("-", "−") : "–");
  const signed = (x) => (x > 0 ? "+" : "") + shown(x);
  const order = () => every(R).sort((a, b) => board().rank[a] - board().rank[b]);

  /* What is looked at; the address holds it */

  const state = { measure: 0, run: 0, against: null, topic: 0, colour: null, only: null, search: "", all: false };

  function begin(measure = 0) {
    const distinct = data.groups.map((one) => new Set(one.of).size);
    const colour = data.groups.length ? Math.max(0, distinct.findIndex((n) => n <= COLOURS)) : null;
    Object.assign(state, { measure, colour, only: null, search: "", all: false });
    const [first, second] = order();
    Object.assign(state, { run: first, against: second ?? null, topic: topics().separating[0] ?? 0 });
  }

  const place = (names, name) => (name === null || !names.includes(name) ? null : names.indexOf(name));

  function restore() {
    if (!location.hash.startsWith("#look?")) return false;
    const asked = new URLSearchParams(location.hash.slice(6));
    begin(place(data.measures.map((one) => one.name), asked.get("measure")) ?? 0);
    const run = place(data.runs, asked.get("run"));
    if (run !== null) Object.assign(state, { run, against: place(data.runs, asked.get("against")) });
    if (state.against === state.run) state.against = null;
    state.topic = place(data.topics, asked.get("topic")) ?? state.topic;
    if (asked.has("colour")) state.colour = place(data.groups.map((one) => one.name), asked.get("colour"));
    if (state.colour !== null && data.groups[state.colour].of.includes(asked.get("only"))) state.only = asked.get("only");
    state.search = asked.get("find") ?? "";
    state.all = asked.has("all");
    return true;
  }

  function change(more) {
    Object.assign(state, more);
    const held = { measure: measure().name, run: data.runs[state.run], against: data.runs[state.against], topic: data.topics[state.topic] };
    Object.assign(held, { colour: data.groups[state.colour]?.name, only: state.only, find: state.search, all: state.all ? "1" : null });
    const kept = Object.entries(held).filter(([, value]) => value !== undefined && value !== null && value !== "");
    history.replaceState(null, "", `#look?${new URLSearchParams(kept)}`);
    render();
  }

  const choose = (run) => change({ run, against: null });

  /** Set the two runs; one that is chosen twice changes places with the other. */
  function compare(run, against) {
    if (run !== against) change({ run, against });
    else change(run === state.run ? { run: state.against ?? order().find((r) => r !== run) ?? run, against: run } : { run, against: state.run });
  }

  function toggle(run) {
    const picked = [state.run, state.against].filter((r) => r !== null);
    const next = picked.includes(run) && picked.length > 1 ? picked.filter((r) => r !== run) : [...picked.filter((r) => r !== run), run].slice(-2);
    change({ run: next[0], against: next[1] ?? null });
  }

  /* A tip beside the pointer */

  const tip = make("p", { className: "look-tip", hidden: true });
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };

  function tell(event, ...lines) {
    tip.replaceChildren(...lines.map((line) => make("span", { textContent: line })));
    tip.hidden = false;
    const room = (size, at, most) => (at + 14 + size > most ? Math.max(4, at - size - 10) : at + 14);
    tip.style.left = `${room(tip.offsetWidth, event.clientX, innerWidth)}px`;
    tip.style.top = `${room(tip.offsetHeight, event.clientY, innerHeight)}px`;
  }

  /* Colours of groups: the largest have one each */

  function shades() {
    if (state.colour === null) return null;
    const count = new Map();
    for (const value of data.groups[state.colour].of) if (value !== null) count.set(value, (count.get(value) ?? 0) + 1);
    const largest = [...count.keys()].sort((a, b) => count.get(b) - count.get(a));
    return { of: data.groups[state.colour].of, largest, shade: (value) => `var(--look-${largest.indexOf(value) < 0 || largest.indexOf(value) >= COLOURS ? "other" : largest.indexOf(value)})` };
  }

  /* Controls: made once, so that they keep the focus */

  function select(label, act, more = {}) {
    const list = make("select", { onchange: () => act(list.value), ...more });
    return { list, box: make("label", {}, make("span", { textContent: label }), list) };
  }

  const filled = new Map(); // what a list was last made for
  function fill(list, what, options, value) {
    if (filled.get(list) !== what) list.replaceChildren(...options().map(([key, text]) => make("option", { value: key, textContent: text })));
    filled.set(list, what);
    list.value = value === null ? "" : String(value);
  }

  const byMeasure = select("Rank by", (value) => change({ measure: Number(value) }), { id: "look-measure" });
  const search = make("input", { type: "search", placeholder: "find a run", id: "look-search", autocomplete: "off", spellcheck: false });
  search.addEventListener("input", () => change({ search: search.value }));
  search.addEventListener("keydown", (event) => {
    const [first] = matching();
    if (event.key === "Enter" && state.search && first !== undefined) choose(first);
  });
  const byGroup = select("colour by", (value) => change({ colour: value === "" ? null : Number(value), only: null }), { id: "look-colour" });
  const onlyOf = select("only", (value) => change({ only: value === "" ? null : shades().largest[Number(value)] }), { id: "look-only" });
  const controls = make("div", { className: "look-controls" }, byMeasure.box);
  if (R >= FEW) controls.append(make("label", {}, make("span", { textContent: "Search" }), search));
  if (data.groups.length) controls.append(byGroup.box, onlyOf.box);
  const first = select("", (value) => compare(Number(value), state.against), { id: "look-run", ariaLabel: "Run" });
  const second = select("against", (value) => compare(state.run, value === "" ? null : Number(value)), { id: "look-against" });
  const onTopic = select("Topic", (value) => change({ topic: Number(value) }), { id: "look-topic" });

  function drawControls() {
    fill(byMeasure.list, "", () => data.measures.map((one, i) => [i, one.lower ? `${one.name} (lower is better)` : one.name]), state.measure);
    if (search.value !== state.search) search.value = state.search;
    const runs = () => order().map((r) => [r, data.runs[r]]);
    fill(first.list, state.measure, runs, state.run);
    fill(second.list, state.measure, () => [["", "the median of all runs"], ...runs()], state.against);
    fill(onTopic.list, "", () => data.topics.map((name, t) => [t, name]), state.topic);
    if (!data.groups.length) return;
    fill(byGroup.list, "", () => [["", "nothing"], ...data.groups.map((one, i) => [i, one.name])], state.colour);
    const values = shades()?.largest ?? [];
    fill(onlyOf.list, state.colour, () => [["", "all"], ...values.map((name, i) => [i, name])], state.only === null ? null : values.indexOf(state.only));
    onlyOf.box.hidden = !values.length;
  }

  /* Leaderboard */

  function matching() {
    const words = state.search.trim().toLowerCase();
    return order().filter((r) => data.runs[r].toLowerCase().includes(words) && (state.only === null || shades().of[r] === state.only));
  }

  const percent = (x, low, high) => `${high > low ? (100 * (x - low)) / (high - low) : 50}%`;

  function interval(r, low, high) {
    const own = board();
    if (!there(own.mean[r])) return "";
    const ends = there(own.low[r]) ? [own.low[r], own.high[r]] : [own.mean[r], own.mean[r]];
    const bar = make("i", { className: "range" });
    bar.style.left = percent(ends[0], low, high);
    bar.style.right = `calc(100% - ${percent(ends[1], low, high)})`;
    const dot = make("i", { className: "dot" });
    dot.style.left = percent(own.mean[r], low, high);
    return make("div", { className: "track", title: `${shown(own.mean[r])}, ${100 * data.level}% interval ${shown(ends[0])} to ${shown(ends[1])}` }, bar, dot);
  }

  function row(r, others, [low, high], groups, before) {
    const own = board();
    const mark = r === state.run ? "A" : r === state.against ? "B" : "";
    const dot = make("i", { className: "shade", title: groups?.of[r] ?? "" });
    if (groups) dot.style.background = groups.of[r] === null ? "transparent" : groups.shade(groups.of[r]);
    const name = button(`run-${r}`, () => choose(r), { className: "name", title: data.runs[r], aria: { pressed: String(r === state.run && state.against === null) } }, named(data.runs[r]));
    const pick = make("input", { type: "checkbox", checked: mark !== "", ariaLabel: `Compare ${data.runs[r]}`, data: { key: `pick-${r}` }, onchange: () => toggle(r) });
    const tier = own.may_be_best[r] ? make("b", { textContent: "may be best" }) : `tier ${own.tier[r]}`;
    const ranks = others.map((one) => {
      const rank = one.board.rank[r];
      const beyond = rank < own.rank_low[r] || rank > own.rank_high[r];
      return make("td", { className: beyond ? "n beyond" : "n", textContent: String(rank) });
    });
    const classes = [own.may_be_best[r] ? "best" : own.tier[r] % 2 ? "odd" : "even"];
    if (before !== undefined && own.tier[before] !== own.tier[r]) classes.push("edge");
    if (mark) classes.push(mark === "A" ? "is-a" : "is-b");
    return make("tr", { className: classes.join(" ") },
      make("td", { className: "pick" }, pick, make("span", { className: "mark", textContent: mark })),
      make("td", { className: "n", textContent: String(own.rank[r]) }),
      make("th", { scope: "row" }, ...(groups ? [dot] : []), name),
      make("td", { className: "n", textContent: shown(own.mean[r]) }),
      make("td", { className: "spread" }, interval(r, low, high)),
      make("td", { className: "n may", textContent: own.rank_low[r] === own.rank_high[r] ? String(own.rank_low[r]) : `${own.rank_low[r]}–${own.rank_high[r]}` }),
      make("td", { className: "tier" }, tier),
      ...ranks);
  }

  const boardBox = make("div", { className: "scroll look-board" });
  const more = make("p", { className: "tools look-more" });
  const note = make("p", { className: "look-note" });

  function drawBoard() {
    const own = board();
    const others = data.measures.filter((one) => one !== measure()).slice(0, data.others);
    const known = [...own.low, ...own.high, ...own.mean].filter(there);
    const ends = [Math.min(...known), Math.max(...known)];
    const axis = make("span", { className: "axis" }, make("span", { textContent: shown(ends[0]) }), make("span", { textContent: `${100 * data.level}% interval` }), make("span", { textContent: shown(ends[1]) }));
    const column = (text, kind = "", about = "") => make("th", { scope: "col", className: kind, title: about }, text);
    const head = make("tr", {},
      column("A B", "pick", "Pick two runs to compare them"), column("#", "n"), column("run"), column(named(measure().name), "n"), column(axis, "spread"),
      column("true rank", "n may", "The ranks that the run may have by its true mean; those of all runs hold at once"), column("tier", "tier"),
      ...others.map((one) => column(named(one.name), "n", `Rank by ${one.name}`)));
    const found = matching();
    const seen = found.filter((r, i) => state.all || i < data.rows || r === state.run || r === state.against);
    const groups = shades();
    const rows = seen.map((r, i) => row(r, others, ends, groups, seen[i - 1]));
    if (!rows.length) rows.push(make("tr", {}, make("td", { colSpan: 7 + others.length, textContent: "No run matches." })));
    boardBox.replaceChildren(make("table", { ariaLabel: "Leaderboard" }, make("thead", {}, head), make("tbody", {}, ...rows)));
    const unfold = button("more", () => change({ all: !state.all }), { ariaExpanded: String(state.all) }, state.all ? `Show the first ${data.rows}` : `Show all ${plural(found.length, "run")}`);
    more.replaceChildren(...(found.length > data.rows ? [unfold] : []), make("span", { textContent: R > 1 ? "Choose a run for its topics, tick two to compare them." : "" }));
    if (groups) more.append(...groups.largest.slice(0, COLOURS).map((value) => {
      const dot = make("i", { className: "shade" });
      dot.style.background = groups.shade(value);
      return make("span", { className: "key" }, dot, named(value));
    }));
    const texts = [`Bars are ${100 * data.level}% intervals over topics.`];
    if (R > 1) texts.push(`Where a tier ends, all runs above are truly better than all below, for all tiers at once in ${100 * data.level}% of samples of topics.`);
    if (others.length && R > 1) texts.push(`The last columns are ranks by other measures, bold where ${measure().name} rules them out.`);
    note.textContent = [...texts, data.said].join(" ").trim();
  }

  /* One run against another, or against the median of all */

  const WIDE = 560;
  const width = (box) => Math.max(240, Math.round(box.clientWidth) || WIDE);
  const pairBox = make("div", { className: "look-body" });
  const pairPanel = make("article", { className: "look-panel look-pair" }, make("h3", { className: "look-choice" }, first.box, second.box), pairBox);

  function bars(box, ordered, value, { label, tick, told, kinds }) {
    const [w, h, n] = [width(box), 150, ordered.length];
    const all = [...ordered.map(value), ...(tick ? ordered.map(tick) : [])].filter(there);
    const low = Math.min(0, ...all);
    const high = Math.max(0, ...all, low + 1e-9);
    const y = (v) => 4 + ((high - v) / (high - low)) * (h - 8);
    const step = w / Math.max(n, 1);
    const gap = step > 4 ? 1 : 0;
    const bar = (i) => `M${(i * step).toFixed(2)} ${y(0).toFixed(2)}V${y(value(ordered[i])).toFixed(2)}h${Math.max(step - gap, 0.3).toFixed(2)}V${y(0).toFixed(2)}z`;
    const path = (kind) => shape("path", { class: kind, d: every(n).filter((i) => kinds(value(ordered[i])) === kind).map(bar).join("") });
    const drawn = shape("svg", { width: w, height: h, viewBox: `0 0 ${w} ${h}`, tabindex: 0, role: "group", "aria-label": label, "data-key": "bars" });
    const at = ordered.indexOf(state.topic);
    const cursor = shape("rect", { class: "cursor", y: 0, height: h, width: Math.max(step - gap, 2), x: Math.max(at, 0) * step, visibility: at < 0 ? "hidden" : "visible" });
    drawn.append(cursor, path("up"), path("down"), shape("line", { class: "zero", x1: 0, x2: w, y1: y(0), y2: y(0) }));
    if (tick) drawn.append(shape("path", { class: "tick", d: every(n).filter((i) => there(tick(ordered[i]))).map((i) => `M${(i * step).toFixed(2)} ${y(tick(ordered[i])).toFixed(2)}h${Math.max(step - gap, 0.3).toFixed(2)}`).join("") }));
    const under = (event) => {
      const box = drawn.getBoundingClientRect();
      return ordered[Math.min(n - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * n)))];
    };
    drawn.addEventListener("pointermove", (event) => tell(event, ...told(under(event))));
    drawn.addEventListener("pointerleave", hide);
    drawn.addEventListener("click", (event) => change({ topic: under(event) }));
    drawn.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -n, End: n }[event.key];
      if (move === undefined || !n) return;
      event.preventDefault();
      change({ topic: ordered[Math.min(n - 1, Math.max(0, (at < 0 ? (move > 0 ? -1 : n) : at) + move))] });
    });
    return drawn;
  }

  const topicButton = (key, t, text) => button(`${key}-${t}`, () => change({ topic: t }), { className: "topic", title: data.topics[t], aria: { pressed: String(t === state.topic) } }, named(data.topics[t]), make("small", { textContent: text }));

  /** The topics that decide: those at the ends of a list in falling order of what the first run gains. */
  function deciding(falling, gain, before, after) {
    const line = (kind, list, words) => make("p", { className: `look-list ${kind}` }, make("span", { className: "look-of" }, ...words), ...(list.length ? list.map((t) => topicButton(kind, t, signed(sign() * gain(t)))) : ["no topic"]));
    const most = falling.filter((t) => gain(t) > 0).slice(0, DECIDE);
    const least = falling.filter((t) => gain(t) < 0).slice(-DECIDE).reverse();
    return [line("up", most, before), line("down", least, after)];
  }

  function drawPair() {
    if (state.against === null) return drawRun();
    const [a, b] = [data.runs[state.run], data.runs[state.against]];
    const pair = paired(state.run, state.against);
    const of = new Map(pair.topics.map((t, i) => [t, pair.d[i]]));
    const falling = [...pair.topics].sort((x, y) => of.get(y) - of.get(x) || x - y);
    const verdict = pair.better ? [named(a), " is better"] : pair.worse ? [named(b), " is better"] : [pair.wins + pair.losses ? "inconclusive" : "no difference"];
    const unit = measure().log ? `logarithm of ${measure().name}` : measure().name;
    const ends = there(pair.low) ? `${shown(pair.low)} to ${shown(pair.high)}` : "no interval";
    pairBox.replaceChildren(
      make("p", { className: "look-fact" }, named(unit), " ", make("b", { id: "look-difference", textContent: signed(pair.difference), data: { value: pair.difference, low: pair.low, high: pair.high, n: pair.n, wins: pair.wins, ties: pair.ties, losses: pair.losses } }), ` (${ends}): `, make("b", {}, ...verdict)),
      make("p", { className: "look-fact", id: "look-wins", textContent: `${plural(pair.wins, "topic")} won, ${pair.ties} tied, ${pair.losses} lost` }),
      bars(pairBox, falling, (t) => of.get(t), {
        label: `Differences by topic, ${plural(pair.n, "topic")}, from most for ${a} to most for ${b}; arrow keys choose a topic`,
        kinds: (d) => (d < 0 ? "down" : "up"),
        told: (t) => [`topic ${data.topics[t]}`, `${a}: ${shown(score(state.run, t))}`, `${b}: ${shown(score(state.against, t))}`, `difference ${signed(sign() * of.get(t))}`],
      }),
      ...deciding(falling, (t) => of.get(t), ["most for ", named(a)], ["most for ", named(b)]),
      make("p", { className: "look-note", textContent: `A bar per topic. The ${100 * data.level}% interval is that of a pair chosen beforehand; one picked for its difference needs a wider one (assay power --table pairs).` }));
  }

  function drawRun() {
    const name = data.runs[state.run];
    const own = every(T).filter((t) => there(score(state.run, t)));
    const { medians } = topics();
    const falling = [...own].sort((x, y) => working(score(state.run, y)) - working(score(state.run, x)) || x - y);
    const gain = (t) => working(score(state.run, t)) - working(medians[t]);
    const above = own.filter((t) => gain(t) > 0).length;
    const below = own.filter((t) => gain(t) < 0).length;
    const rank = board().rank[state.run];
    pairBox.replaceChildren(
      make("p", { className: "look-fact" }, named(measure().name), " ", make("b", { id: "look-mean", textContent: shown(board().mean[state.run]) }), `, ${ordinal(rank)} of ${plural(data.total, "run")}`),
      make("p", { className: "look-fact", id: "look-above", textContent: `above the median run on ${plural(above, "topic")}, below it on ${below}` }),
      bars(pairBox, falling, (t) => score(state.run, t), {
        label: `Scores of ${name} by topic, ${plural(own.length, "topic")}, best first; arrow keys choose a topic`,
        kinds: () => "up",
        tick: (t) => medians[t],
        told: (t) => [`topic ${data.topics[t]}`, `${name}: ${shown(score(state.run, t))}`, `median of all runs: ${shown(medians[t])}`],
      }),
      ...deciding([...own].sort((x, y) => gain(y) - gain(x) || x - y), gain, ["most above the median"], ["most below it"]),
      make("p", { className: "look-note", textContent: "A bar per topic, best first; the lines are the median of all runs." }));
  }

  /* One topic */

  const topicBox = make("div", { className: "look-body" });
  const topicPanel = make("article", { className: "look-panel look-one" }, make("h3", { className: "look-choice" }, onTopic.box), topicBox);

  function strip(t) {
    const [w, h] = [width(topicBox), 150];
    const { low, high } = topics();
    const radius = R > 300 ? 2.5 : R > 60 ? 4 : 5.5;
    const x = (v) => radius * 2 + ((v - low) / (high - low || 1)) * (w - radius * 4);
    const drawn = shape("svg", { width: w, height: h, viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": `Scores of all runs on topic ${data.topics[t]}` });
    const base = h - 22;
    drawn.append(shape("line", { class: "zero", x1: 0, x2: w, y1: base + 3, y2: base + 3 }));
    for (const [v, anchor] of [[low, "start"], [(low + high) / 2, "middle"], [high, "end"]]) {
      drawn.append(shape("text", { class: "scale", x: anchor === "start" ? 0 : anchor === "end" ? w : x(v), y: h - 4, "text-anchor": anchor }, shown(v)));
    }
    const groups = shades();
    const height = new Map();
    const runs = every(R).filter((r) => there(score(r, t)));
    const bin = (r) => Math.round(x(score(r, t)) / (radius * 2 + 1));
    const most = Math.max(1, ...runs.reduce((count, r) => count.set(bin(r), (count.get(bin(r)) ?? 0) + 1), new Map()).values());
    const rise = Math.min(radius * 2 + 1, (base - 34) / most);
    const dots = runs.map((r) => {
      const k = height.get(bin(r)) ?? 0;
      height.set(bin(r), k + 1);
      const chosen = r === state.run ? "a" : r === state.against ? "b" : "";
      const dot = shape("circle", { class: `run ${chosen}`, cx: x(score(r, t)).toFixed(1), cy: (base - radius - k * rise).toFixed(1), r: chosen ? radius + 1.5 : radius });
      if (groups && !chosen) dot.style.fill = groups.of[r] === null ? "var(--look-other)" : groups.shade(groups.of[r]);
      dot.addEventListener("pointermove", (event) => tell(event, data.runs[r], shown(score(r, t)), ...(groups?.of[r] ? [groups.of[r]] : [])));
      dot.addEventListener("pointerleave", hide);
      dot.addEventListener("click", () => choose(r));
      return [chosen, dot, r];
    });
    drawn.append(...dots.sort((p, q) => (p[0] > "" ? 1 : 0) - (q[0] > "" ? 1 : 0)).map(([, dot]) => dot));
    for (const [chosen, dot, r] of dots.filter(([chosen]) => chosen)) {
      const at = Number(dot.getAttribute("cx"));
      const y = chosen === "a" ? 11 : 25;
      drawn.append(shape("line", { class: `lead ${chosen}`, x1: at, x2: at, y1: y + 3, y2: Number(dot.getAttribute("cy")) - radius }));
      const end = at > w / 2;
      drawn.append(shape("text", { class: `label ${chosen}`, x: at + (end ? 3 : -3), y, "text-anchor": end ? "end" : "start" }, cut(data.runs[r], w / 9)));
    }
    return drawn;
  }

  const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(3, Math.floor(most) - 1))}…` : text);

  function drawTopic() {
    const t = state.topic;
    const { hardest, separating, means } = topics();
    const facts = [];
    if (data.judged && there(data.judged[t])) facts.push(`${plural(data.relevant[t], "relevant document")} of ${data.judged[t].toLocaleString("en")} judged`);
    const hard = hardest.indexOf(t) + 1;
    const place = (n, what) => (n === 1 ? `the ${what}` : `${ordinal(n)} ${what}`);
    const ranks = hard && R > 1 ? `${place(hard, "hardest")} and ${place(separating.indexOf(t) + 1, "most separating")} of ${plural(hardest.length, "topic")}` : "";
    const best = every(R).filter((r) => there(score(r, t))).sort((a, b) => working(score(b, t)) - working(score(a, t)) || a - b).slice(0, 3);
    topicBox.replaceChildren(
      make("p", { className: "look-fact", id: "look-counts" }, [...facts, `mean over runs ${shown(means[t])}`].join(" · ")),
      make("p", { className: "look-fact", id: "look-place" }, ranks || "\u00a0"),
      strip(t),
      make("p", { className: "look-list" }, make("span", { className: "look-of", textContent: "best here" }), ...best.map((r) => button(`best-${r}`, () => choose(r), { className: "topic", title: data.runs[r] }, named(data.runs[r]), make("small", { textContent: shown(score(r, t)) })))),
      make("p", { className: "look-note", textContent: "A dot per run, by its score; choose one to see it on every topic." }));
  }

  /* Hardest and most separating topics; all runs on all topics */

  const listBox = make("div", { className: "look-body look-lists" });
  const listPanel = make("article", { className: "look-panel" }, make("h3", { textContent: "Topics" }), listBox);

  function ranked(key, title, list, value, most, about) {
    const items = list.map((t) => {
      const bar = make("i", { className: "length" });
      bar.style.width = `${(100 * Math.abs(value(t))) / (most || 1)}%`;
      return make("li", {}, topicButton(key, t, shown(value(t))), make("span", { className: "rail" }, bar));
    });
    return make("div", {}, make("h4", { textContent: title }), make("ol", {}, ...items), make("p", { className: "look-note", textContent: about }));
  }

  function drawLists() {
    const { hardest, separating, means, spreads } = topics();
    listBox.replaceChildren(
      ranked("hard", "Hardest", hardest.slice(0, LISTED), (t) => means[t], Math.max(...means.filter(there).map(Math.abs), 0), measure().lower ? "highest mean over runs" : "lowest mean over runs"),
      ranked("separates", "Most separating", separating.slice(0, LISTED), (t) => spreads[t], spreads[separating[0]], "largest deviation of runs"));
  }

  const canvas = make("canvas", { tabIndex: 0, data: { key: "map" } });
  const crossed = { a: make("i", { className: "cross a" }), b: make("i", { className: "cross b" }), topic: make("i", { className: "cross topic" }) };
  const mapBox = make("div", { className: "look-map" }, canvas, ...Object.values(crossed));
  const mapPanel = make("article", { className: "look-panel" }, make("h3", { textContent: "All runs on all topics" }), mapBox, make("p", { className: "look-note", textContent: "A row per run, best first; a column per topic, hardest first. The stronger the colour, the better the score." }));

  function drawMap() {
    const [rows, columns] = [order(), topics().hardest];
    const { low, high } = topics();
    Object.assign(canvas, { width: Math.max(columns.length, 1), height: R });
    canvas.setAttribute("role", "group");
    canvas.setAttribute("aria-label", `Scores of ${plural(R, "run")} on ${plural(columns.length, "topic")}; arrow keys choose a run and a topic`);
    canvas.style.height = `${Math.min(258, Math.max(60, R * Math.max(1, Math.floor(258 / R)), R * 2))}px`;
    const painter = canvas.getContext("2d");
    const image = painter.createImageData(canvas.width, canvas.height);
    rows.forEach((r, i) => columns.forEach((t, j) => {
      const x = (score(r, t) - low) / (high - low || 1);
      const at = 4 * (i * canvas.width + j);
      image.data.set(there(x) ? [38, 132, 205, 255 * (measure().lower ? 1 - x : x)] : [128, 128, 128, 90], at);
    }));
    painter.putImageData(image, 0, 0);
    for (const [key, r] of [["a", state.run], ["b", state.against]]) {
      crossed[key].hidden = r === null;
      crossed[key].style.top = `${(100 * rows.indexOf(r)) / R}%`;
      crossed[key].style.height = `${100 / R}%`;
    }
    const at = columns.indexOf(state.topic);
    crossed.topic.hidden = at < 0;
    crossed.topic.style.left = `${(100 * at) / columns.length}%`;
    crossed.topic.style.width = `${100 / columns.length}%`;
  }

  function cell(event) {
    const box = canvas.getBoundingClientRect();
    const inside = (at, size, n) => Math.min(n - 1, Math.max(0, Math.floor((at / size) * n)));
    const [rows, columns] = [order(), topics().hardest];
    return [rows[inside(event.clientY - box.top, box.height, R)], columns[inside(event.clientX - box.left, box.width, columns.length)]];
  }

  canvas.addEventListener("pointermove", (event) => {
    const [r, t] = cell(event);
    if (t !== undefined) tell(event, data.runs[r], `topic ${data.topics[t]}`, shown(score(r, t)));
  });
  canvas.addEventListener("pointerleave", hide);
  canvas.addEventListener("click", (event) => {
    const [run, topic] = cell(event);
    if (topic !== undefined) change({ run, against: null, topic });
  });
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move) return;
    event.preventDefault();
    const [rows, columns] = [order(), topics().hardest];
    const next = (list, now, by) => list[Math.min(list.length - 1, Math.max(0, list.indexOf(now) + by))];
    change(move[0] ? { run: next(rows, state.run, move[0]), against: null } : { topic: next(columns, state.topic, move[1]) });
  });

  /* All of it */

  function render() {
    hide();
    const key = document.activeElement?.dataset?.key;
    drawControls();
    drawBoard();
    drawPair();
    drawTopic();
    drawLists();
    drawMap();
    if (key && !section.contains(document.activeElement)) {
      [...section.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus({ preventScroll: true });
    }
  }

  begin();
  const panels = make("div", { className: "look-panels" }, pairPanel, topicPanel);
  const overview = make("div", { className: "look-panels" }, listPanel, mapPanel);
  const rankings = make("div", { className: "look-rankings" }, boardBox, more, note);
  section.replaceChildren(section.querySelector("h2"), controls, ...(R < FEW ? [panels, rankings] : [rankings, panels]), overview);
  const linked = restore();
  render();
  if (linked) section.scrollIntoView();
  addEventListener("hashchange", () => {
    if (!restore()) return;
    render();
    section.scrollIntoView();
  });
  let drawnAt = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === drawnAt) return;
    drawnAt = innerWidth;
    render();
  });
})();
