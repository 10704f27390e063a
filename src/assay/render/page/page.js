"use strict";
(() => {
  const root = document.documentElement;
  const all = (query, within = document) => [...within.querySelectorAll(query)];

  function make(tag, text = "", more = {}) {
    return Object.assign(document.createElement(tag), { textContent: text }, more);
  }

  function button(text, act, more = {}) {
    const made = make("button", text, { type: "button", ...more });
    made.addEventListener("click", () => act(made));
    return made;
  }

  function tools(...parts) {
    const made = make("p", "", { className: "tools" });
    made.append(...parts);
    return made;
  }

  /* Copies */

  async function copy(text, from, done = "Copied") {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    if (from.dataset.before) return;
    const { textContent: before, ariaLabel: label } = from;
    from.dataset.before = before;
    from.textContent = done;
    from.ariaLabel = null;
    setTimeout(() => {
      from.textContent = before;
      from.ariaLabel = label;
      delete from.dataset.before;
    }, done === "Copied" ? 1200 : 3000);
  }

  const special = JSON.parse(document.getElementById("page-latex").textContent);
  const shown = (cell) => cell.textContent;
  const exact = (cell) => cell.dataset.v ?? cell.textContent;

  function csv(table) {
    const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => quoted(exact(cell))).join(","));
    return rows.join("\n") + "\n";
  }

  function latex(table) {
    const escaped = (text) => (/^[[*]/.test(text) ? "{}" : "") + [...text].map((c) => special[c] ?? c).join("");
    const [head, ...body] = [...table.rows].map((row) => [...row.cells].map((c) => escaped(shown(c))).join(" & ") + " \\\\");
    const columns = [...table.tHead.rows[0].cells].map((cell) => (cell.classList.contains("n") ? "r" : "l")).join("");
    const notes = all(".notes li", table.closest("section")).map((note) => `% ${note.textContent}`);
    const cut = table.closest(".table")?.querySelector(".cut");
    if (cut) notes.push(`% ${cut.textContent}`);
    const lines = [`\\begin{tabular}{${columns}}`, "\\toprule", head, "\\midrule", ...body, "\\bottomrule"];
    return [...notes, ...lines, "\\end{tabular}"].join("\n") + "\n";
  }

  /* Tables */

  function number(text) {
    if (text === "") return null;
    return text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  }

  function sort(table, column) {
    const head = table.tHead.rows[0].cells[column];
    const numeric = head.classList.contains("n");
    const now = head.getAttribute("aria-sort");
    const rising = now ? now === "descending" : !numeric;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const words = new Intl.Collator("en", { numeric: true });
    const keyed = [...table.tBodies[0].rows].map((row) => {
      const text = exact(row.cells[column]);
      return [numeric ? number(text) : text || null, row];
    });
    const compare = numeric ? (a, b) => (a < b ? -1 : a > b ? 1 : 0) : words.compare;
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return rising ? compare(a, b) : compare(b, a);
    });
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  }

  function furnishTable(table) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const text = cell.textContent;
      cell.replaceChildren(button(text, () => sort(table, column)));
    });
    const size = table.tBodies[0].rows.length;
    const done = table.dataset.of ? `${size} of ${table.dataset.of} rows copied` : "Copied";
    const of = (text) => `${text} of ${table.ariaLabel}`;
    const parts = [
      button("Copy CSV", (from) => copy(csv(table), from, done), { ariaLabel: of("Copy CSV") }),
      button("Copy LaTeX", (from) => copy(latex(table), from, done), { ariaLabel: of("Copy LaTeX") }),
    ];
    if (table.classList.contains("long")) {
      const more = `Show ${size} rows`;
      parts.unshift(button(more, (from) => {
        const whole = table.classList.toggle("whole");
        from.textContent = whole ? "Show fewer" : more;
        from.ariaLabel = of(whole ? "Show fewer rows" : more);
        from.ariaExpanded = String(whole);
      }, { ariaExpanded: "false", ariaLabel: of(more) }));
    }
    table.parentElement.after(tools(...parts));
  }

  function furnishCommand(line) {
    const words = line.textContent;
    const name = line.closest("section").querySelector(".name")?.textContent ?? "this page";
    line.append(tools(button("Copy", (from) => copy(words, from), { ariaLabel: `Copy command of ${name}` })));
  }

  /* Light and dark */

  const bar = document.getElementById("page-tools");
  const night = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : night.matches);
  const name = () => (isDark() ? "Light" : "Dark");
  const theme = button(name(), () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    theme.textContent = name();
  });
  night.addEventListener("change", () => { theme.textContent = name(); });
  bar.append(theme);

  /* Charts */

  const tip = make("dl", "", { className: "tip", hidden: true });
  document.body.append(tip);
  const short = (text) => (/^-?\d*\.\d{5,}(e[-+]?\d+)?$/.test(text) ? String(Number(Number(text).toPrecision(4))) : text);

  function put(x, y) {
    const room = (size, at, most) => (at + 14 + size > most ? Math.max(4, at - size - 10) : at + 14);
    tip.style.left = `${room(tip.offsetWidth, x, innerWidth)}px`;
    tip.style.top = `${room(tip.offsetHeight, y, innerHeight)}px`;
  }

  function tell(_, event, __, value) {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const facts = typeof value === "object" ? Object.entries(value) : [["", value]];
    tip.replaceChildren(...facts.flatMap(([key, fact]) => [make("dt", key), make("dd", short(String(fact)))]));
    put(event.clientX, event.clientY);
  }

  /* Words that are explained on demand */

  function furnishWord(word) {
    const meaning = word.title;
    const explain = () => {
      tip.replaceChildren(make("dd", meaning));
      tip.hidden = false;
      const box = word.getBoundingClientRect();
      put(box.left - 14, box.bottom - 8);
    };
    const end = () => { tip.hidden = true; };
    word.removeAttribute("title");  // the browser would show it, too
    word.setAttribute("aria-description", meaning);
    for (const event of ["pointerenter", "focus", "click"]) word.addEventListener(event, explain);
    for (const event of ["pointerleave", "blur"]) word.addEventListener(event, end);
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  async function save(view, kind, file) {
    const ground = view.background();
    view.background("white");
    const svg = async () => new Blob([await view.toSVG()], { type: "image/svg+xml" });
    const png = async () => {
      const canvas = await view.toCanvas(2);
      return new Promise((done) => { canvas.toBlob(done); });
    };
    const url = URL.createObjectURL(await (kind === "svg" ? svg() : png()));
    view.background(ground);
    make("a", "", { href: url, download: `${file}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  /** What draws charts is text until the first one is near: it takes longer to read than all else. */
  function ready() {
    const held = document.getElementById("page-vega");
    if (!window.vegaEmbed) document.body.append(make("script", held.textContent));
  }

  async function draw(figure) {
    ready();
    const spec = JSON.parse(figure.querySelector("script").textContent);
    const canvas = figure.querySelector(".canvas");
    const box = document.createElement("div");
    const settings = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, logLevel: 1, tooltip: tell };
    const { view } = await window.vegaEmbed(box, spec, settings);
    canvas.replaceChildren(box);
    if (!canvas.style.length) canvas.style.setProperty("--w", `${box.querySelector("svg").getAttribute("width")}px`);
    const title = figure.querySelector("figcaption").textContent || figure.dataset.name;
    const saves = ["svg", "png"].map((kind) => {
      const text = `Save ${kind.toUpperCase()}`;
      return button(text, () => save(view, kind, figure.dataset.name), { ariaLabel: `${text} of ${title}` });
    });
    const legend = JSON.stringify(spec).includes('"bind":"legend"');
    const line = tools(...saves, make("span", legend ? "Click the legend to bring a series out." : ""));
    canvas.after(line);
    figure.classList.add("live");
  }

  /* A chart is drawn when it comes near the screen; one in a fold has no place before that opens */

  async function drawAll(figures) {
    for (const figure of figures) {
      try {
        await draw(figure);
      } catch (problem) {
        console.error(`chart ${figure.dataset.name}: ${problem}`);
      }
      await new Promise((next) => { setTimeout(next); });
    }
    root.classList.add("drawn");
    reach();
  }

  const near = new IntersectionObserver((entries) => {
    const figures = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
    for (const figure of figures) near.unobserve(figure);
    drawAll(figures);
  }, { rootMargin: "300px" });

  function reach() {
    for (const box of all(".scroll, .chart .canvas")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  /* All that answers to the reader, in the page or in what a fold held as text until it opened */

  function furnish(within) {
    all(":not(.still) > table", within).forEach(furnishTable);
    all(".command", within).forEach(furnishCommand);
    all("abbr", within).forEach(furnishWord);
    for (const cell of all("[data-command]", within)) {
      cell.addEventListener("click", () => copy(cell.dataset.command, cell));
    }
    const watch = () => all("figure.chart", within).forEach((figure) => near.observe(figure));
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", watch, { once: true }); // what is above may grow
    else watch();
  }

  function unpack(fold) {
    const held = fold.querySelector(":scope > noscript");
    if (!held) return;
    const made = make("template", "", { innerHTML: held.textContent }); // written by us, all names in it escaped
    held.replaceWith(made.content);
    furnish(fold);
    reach();
  }

  for (const fold of all("details:has(> noscript)")) fold.addEventListener("toggle", () => unpack(fold), { once: true });
  furnish(document.querySelector("main"));
  addEventListener("resize", reach);
  reach();

  /* A link may lead into a fold */

  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  unfold();
})();
