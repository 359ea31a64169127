// The overview with its filters, and one function at a time. All text comes from the data; this file lays it out.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const functions = data.functions;
const LABEL = { unknown: "undecided" };
const STEP = 300;
const view = { shown: STEP, cursor: -1, list: [], verdicts: new Set() };

functions.forEach((entry) => {
  const place = entry.n || entry.o;
  entry.file = place ? place[0] : "";
  entry.group = entry.v === "equivalent" && entry.c === "unchanged" && !entry.r ? "unchanged" : entry.v;
  const further = [
    ...(entry.k || []),
    ...(entry.cond || []),
    ...(entry.w ? [...entry.w.in, ...entry.w.rows.flat()] : []),
  ];
  entry.text = `${entry.f} ${entry.r || ""} ${entry.file} ${entry.s || ""} ${further.join(" ")}`.toLowerCase();
});
const named = new Map(functions.map((entry) => [entry.f, entry]));

const link = (name) =>
  named.has(name)
    ? `<a href="#f=${encodeURIComponent(name)}">${escapeText(name)}</a>`
    : `<code>${escapeText(name)}</code>`;
const placeText = (place) => (place ? `${place[0]}${place[1] ? ":" + place[1] : ""}` : "");
const badge = (entry) =>
  `<span class="badge ${entry.v}">${LABEL[entry.v] || entry.v}</span>` +
  (entry.k || []).map((kind) => ` <span class="badge plain">${kind}</span>`).join("") +
  (entry.a ? ' <span class="badge plain">accepted</span>' : "");

// Overview

function options(id, values) {
  const select = byId(id);
  [...new Set(values)]
    .filter(Boolean)
    .sort()
    .forEach((value) => select.add(new Option(value, value)));
}

function matches(entry, words) {
  const [file, kind, cause] = ["file", "kind", "cause"].map((id) => byId(id).value);
  return (
    (view.verdicts.size ? view.verdicts.has(entry.group) : entry.group !== "unchanged" || words.length > 0) &&
    (!file || entry.file === file) &&
    (!kind || (entry.k || []).includes(kind) || (entry.why && entry.why.kind === kind)) &&
    (!cause || entry.c === cause) &&
    words.every((word) => entry.text.includes(word))
  );
}

function drawList() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  view.list = functions.filter((entry) => matches(entry, words));
  const part = view.list.slice(0, view.shown);
  byId("rows").innerHTML = part
    .map((entry, index) => {
      const name = entry.r ? `${entry.f} → ${entry.r}` : entry.f;
      return (
        `<tr${index === view.cursor ? ' class="at"' : ""}><td>` +
        `<a href="#f=${encodeURIComponent(entry.f)}">${escapeText(name)}</a>` +
        `<span class="place">${escapeText(placeText(entry.n || entry.o))}</span></td><td>${badge(entry)}</td>` +
        `<td>${escapeText(entry.s || "")}</td></tr>`
      );
    })
    .join("");
  const hidden = functions.length - view.list.length;
  byId("count").textContent =
    `${view.list.length} of ${functions.length} functions` + (hidden ? `, ${hidden} hidden by the filters` : "");
  byId("more").hidden = part.length === view.list.length;
}

function filtersToHash() {
  const parts = new URLSearchParams();
  if (view.verdicts.size) parts.set("v", [...view.verdicts].join(","));
  const search = byId("search").value;
  if (search) parts.set("q", search);
  ["file", "kind", "cause"].forEach((id) => byId(id).value && parts.set(id, byId(id).value));
  return "#" + parts.toString();
}

function changed() {
  view.shown = STEP;
  view.cursor = -1;
  drawList();
  history.replaceState(null, "", filtersToHash() === "#" ? location.pathname + location.search : filtersToHash());
}

function drawTiles() {
  document
    .querySelectorAll(".tile")
    .forEach((tile) => tile.setAttribute("aria-pressed", String(view.verdicts.has(tile.dataset.verdict))));
}

function drawTree() {
  const callers = new Map();
  functions.forEach((entry) => {
    const nearest = entry.i && entry.i.k !== "none" && (entry.i.t || [])[0];
    if (nearest) callers.set(nearest, [...(callers.get(nearest) || []), entry]);
  });
  if (!callers.size) return;
  const under = [...callers.values()].flat();
  const roots = [...callers.keys()].filter((name) => !under.some((entry) => entry.f === name));
  const branch = (name, seen) => {
    const below = (callers.get(name) || []).filter((entry) => !seen.has(entry.f));
    if (!below.length) return "";
    const items = below.slice(0, 200).map((entry) => {
      seen.add(entry.f);
      return `<li>${link(entry.f)} ${badge(entry)}${branch(entry.f, seen)}</li>`;
    });
    const rest = below.length > 200 ? `<li>${below.length - 200} more</li>` : "";
    return `<ul>${items.join("")}${rest}</ul>`;
  };
  const seen = new Set();
  const tree = (roots.length ? roots : [...callers.keys()].slice(0, 1)).map((name) => {
    const count = callers.get(name).length;
    const word = count === 1 ? "function" : "functions";
    const head = `<summary>${escapeText(name)}: ${count} ${word}</summary>`;
    return `<li><details${count < 20 ? " open" : ""}>${head}${branch(name, seen)}</details></li>`;
  });
  byId("tree").innerHTML = `<ul>${tree.join("")}</ul>`;
  byId("impact").hidden = false;
}

// One function

const section = (title, content) => (content ? `<section><h2>${title}</h2>${content}</section>` : "");
const items = (list, style = "") =>
  list.length ? `<ul${style}>${list.map((item) => `<li>${item}</li>`).join("")}</ul>` : "";

const scrolled = (label) => `<div class="scroll" tabindex="0" role="region" aria-label="${label}">`;
const heads = (words) => `<thead><tr>${words.map((word) => `<th scope="col">${word}</th>`).join("")}</tr></thead>`;

function outcomes(entry) {
  const shown = entry.w;
  if (!shown) return "";
  const count = Math.max(shown.in.length, shown.rows.length);
  const rows = Array.from({ length: count }, (_, index) => {
    const [old, now] = shown.rows[index] || ["", ""];
    const style = old !== now ? ' class="differs"' : "";
    const input = shown.in[index] || "";
    const shownAs = (text, style) => `<td${style}><code>${escapeText(text)}</code></td>`;
    return `<tr>${shownAs(input, "")}${shownAs(old, style)}${shownAs(now, style)}</tr>`;
  });
  return (
    scrolled("Counterexample") +
    `<table class="outcomes">${heads(["input", "old version", "new version"])}` +
    `<tbody>${rows.join("")}</tbody></table></div><p>${escapeText(shown.how)}</p>`
  );
}

const SIGN = {
  d: ["≠", "different", "different"],
  e: ["=", "equal", "equivalent"],
  o: ["?", "undecided", "unknown"],
};

function picture(entry) {
  const shown = entry.pic;
  if (!shown) return "";
  const near = (axis, index) => index === 0 || BigInt(axis[index]) - BigInt(axis[index - 1]) === 1n;
  const head = shown.x
    .map(
      (value, index) =>
        `${near(shown.x, index) ? "" : '<td class="dots" aria-hidden="true">…</td>'}<th scope="col">${value}</th>`,
    )
    .join("");
  const line = (row) =>
    [...row]
      .map((state, index) => {
        const same = shown.gaps && index > 0 && row[index - 1] === state;
        const gap = near(shown.x, index)
          ? ""
          : `<td class="dots${same ? " c" + state : ""}" aria-hidden="true">…</td>`;
        const [sign, word] = SIGN[state];
        const told = `<span aria-hidden="true">${sign}</span><span class="hidden">${word}</span>`;
        return `${gap}<td class="c${state}">${told}</td>`;
      })
      .join("");
  const first = shown.y
    ? `${escapeText(shown.names[1])} \\ ${escapeText(shown.names[0])}`
    : escapeText(shown.names[0]);
  const rows = shown.y
    ? shown.cells.map((row, index) => `<tr><th scope="row">${shown.y[index]}</th>${line(row)}</tr>`).reverse()
    : [`<tr><th scope="row"><span class="hidden">versions</span></th>${line(shown.cells[0])}</tr>`];
  const states = [...new Set(shown.cells.join(""))];
  const legend = states.map(
    (state) => `<li><b class="${SIGN[state][2]}">${SIGN[state][0]}</b>${SIGN[state][1]}</li>`,
  );
  return (
    scrolled("Picture of the condition") +
    '<table class="picture"><caption>For which values the versions differ</caption>' +
    `<thead><tr><th scope="col">${first}</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>` +
    `<ul class="legend">${legend.join("")}</ul>`
  );
}

function proofs(entry) {
  const list = (entry.p || []).map((step) => {
    const uses = step.uses.length ? ` It uses the verdicts on ${step.uses.map(link).join(", ")}.` : "";
    const assumes = step.assumes.length ? ` It assumes that ${step.assumes.map(escapeText).join("; ")}.` : "";
    const part = step.cut ? " (in part)" : "";
    const rule = `rule <code>${escapeText(step.rule)}</code>, proof obligations: ${step.count}`;
    return (
      `<b>${step.about}${part}</b>: ${escapeText(step.by)}.${uses}${assumes} ` +
      `<span class="faint">Engine ${escapeText(step.engine)}, ${rule}.</span>`
    );
  });
  return items(list, ' class="proof"');
}

function loops(entry) {
  const place = (at) => escapeText(at.name) + (at.line ? `, line ${at.line}` : "");
  const list = (entry.p || []).flatMap((step) => step.loops || []);
  const rows = list.map((at) => {
    const facts = [...at.invariant.map((text) => `<code>${escapeText(text)}</code>`), ...at.notes.map(escapeText)];
    const [old, now] = at.iterations;
    const cells = [place(at.old), place(at.new), `${old} : ${now}`, facts.join("<br>")];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const names = ["old version", "new version", "iterations", "invariant"];
  return rows.length
    ? "<p>The proof executes both versions together. The invariant holds whenever both are at these places; the " +
        "iterations of the old version correspond to those of the new one in this ratio.</p>" +
        `${scrolled("Loop alignment")}<table class="loops">${heads(names)}<tbody>${rows.join("")}</tbody></table></div>`
    : "";
}

function states(entry) {
  if (!(entry.cors || []).length) return "";
  const place = (at) => escapeText(at.event) + (at.line ? `, line ${at.line}` : "");
  const texts = (list) => list.map((text) => `<code>${escapeText(text)}</code>`).join(", ");
  const rows = entry.cor.points.flatMap((point) =>
    point.states
      .filter((state) => !state.overflowed)
      .map((state) => {
        const seen = state.seen_equal ? "equal" : "may differ";
        const cells = [place(point.old), place(point.new), seen, escapeText(state.equal.join(", "))];
        cells.push(escapeText(state.not_proved_equal.join(", ")), texts(state.state));
        return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
      }),
  );
  const names = ["old version", "new version", "visible", "equal", "not proved equal", "relations"];
  return (
    "<p>Found by executing both versions together over convex polyhedra. This describes the difference; the verdict " +
    "does not depend on it.</p>" +
    items(entry.cors.map(escapeText)) +
    `${scrolled("Correlated states")}<table class="loops">${heads(names)}<tbody>${rows.join("")}</tbody></table></div>`
  );
}

function todo(entry) {
  const list = (entry.todo || []).map(([option, why]) =>
    option ? `<code>${escapeText(option)}</code>: ${escapeText(why)}` : escapeText(why),
  );
  return items(list, ' class="todo"');
}

function related(entry) {
  const list = [...(entry.bs || []), entry.l, entry.ir, entry.i && entry.i.s, ...(entry.notes || [])];
  const callers = functions.filter((other) => other.i && (other.i.t || [])[0] === entry.f).slice(0, 50);
  const shown = list.filter(Boolean).map(escapeText);
  if (entry.i && (entry.i.t || []).length)
    shown.push("The change comes from " + entry.i.t.map(link).join(", ") + ".");
  if (callers.length) shown.push("It may affect " + callers.map((other) => link(other.f)).join(", ") + ".");
  return items(shown);
}

function engines(entry) {
  if (!entry.e) return "";
  const rows = entry.e.map(
    ([name, ms, outcome]) => `<tr><td>${escapeText(name)}</td><td>${ms} ms</td><td>${escapeText(outcome)}</td></tr>`,
  );
  const table = `<table>${heads(["engine", "time", "outcome"])}<tbody>${rows.join("")}</tbody></table>`;
  return `<details><summary>${entry.e.length} engine runs</summary>${table}</details>`;
}

function tests(entry) {
  if (!entry.t) {
    return entry.v === "different" && entry.w && entry.w.ok
      ? "<p>Compare with <code>--emit-test DIR</code> to get a C test of this difference here and in a file.</p>"
      : "";
  }
  return entry.t
    .map(
      ([name, text]) =>
        `<p><code>${escapeText(name)}</code> <button type="button" class="copy">Copy</button></p>` +
        `<pre tabindex="0">${escapeText(text)}</pre>`,
    )
    .join("");
}

function source(entry) {
  if (entry.left_out) return "<p>The source is left out to keep this page small.</p>";
  if (!entry.d) return "";
  const inRegion = (line) =>
    (entry.b || []).some(([name, first, last]) => name === entry.f && first <= line && line <= last);
  const place = [entry.o, entry.n];
  const traps = ((entry.w && entry.w.at) || []).map((at, side) =>
    at && place[side] && at[0] === place[side][0] ? at[1] : 0,
  );
  const legend = (entry.b || []).length
    ? '<p class="faint">Coloured line numbers: the region beyond which the change has no effect.</p>'
    : "";
  const trap = traps.some(Boolean)
    ? '<p class="faint">A bar at the left of a line: the counterexample traps there.</p>'
    : "";
  const ran = entry.ran ? `<p class="faint">${escapeText(entry.ran.s)}</p>` : "";
  return sourceTable(entry.d, inRegion, traps, entry.ran) + legend + trap + ran;
}

function drawFunction(entry) {
  const position = view.list.indexOf(entry);
  const before = view.list[position - 1];
  const after = position >= 0 ? view.list[position + 1] : undefined;
  const name = entry.r ? `${entry.f} (now ${entry.r})` : entry.f;
  const places = [entry.o && `old: ${placeText(entry.o)}`, entry.n && `new: ${placeText(entry.n)}`]
    .filter(Boolean)
    .join(", ");
  const code = entry.why ? entry.why.code || "unknown-" + entry.why.kind : "";
  const reason = entry.why
    ? `<p>${escapeText(entry.why.s)}${entry.why.at ? ` (${escapeText(placeText(entry.why.at))})` : ""}. ` +
      `<span class="faint">More: <code>verdiff explain ${escapeText(code)}</code></span></p>`
    : "";
  const conditions = items((entry.cond || []).map((text) => `<code>${escapeText(text)}</code>`));
  byId("function").innerHTML =
    `<nav class="nav" aria-label="Functions"><a href="${filtersToHash()}">All functions</a>` +
    (before ? `<a rel="prev" href="#f=${encodeURIComponent(before.f)}">Previous: ${escapeText(before.f)}</a>` : "") +
    (after ? `<a rel="next" href="#f=${encodeURIComponent(after.f)}">Next: ${escapeText(after.f)}</a>` : "") +
    "</nav>" +
    `<h1 tabindex="-1">${escapeText(name)} ${badge(entry)}</h1><p class="faint">${escapeText(places)}</p>` +
    `<p class="lead">${escapeText(entry.s || "")}</p>` +
    (entry.a ? `<p class="warn">Accepted: ${escapeText(entry.a)}</p>` : "") +
    section(entry.w && !entry.w.ok ? "Predicted counterexample" : "Counterexample", outcomes(entry)) +
    section("Condition", conditions + picture(entry)) +
    section("Why it is undecided", entry.v === "unknown" ? reason : "") +
    section("What you can do", todo(entry)) +
    section("Source", source(entry)) +
    section("Proof", proofs(entry)) +
    section("Loop alignment", loops(entry)) +
    section("Correlated states", states(entry)) +
    section("Related", related(entry)) +
    section("C test", tests(entry)) +
    section("Engines", engines(entry));
  document.title = `${entry.f}: ${LABEL[entry.v] || entry.v} - verdiff`;
}

// Navigation

const title = document.title;

function route() {
  const hash = location.hash.slice(1);
  const wanted = new URLSearchParams(hash);
  const entry = wanted.has("f") ? named.get(wanted.get("f")) : undefined;
  byId("overview").hidden = Boolean(entry);
  byId("function").hidden = !entry;
  if (entry) {
    if (!view.list.length) drawList();
    drawFunction(entry);
    window.scrollTo(0, 0);
    byId("function").querySelector("h1").focus({ preventScroll: true });
    return;
  }
  document.title = title;
  if (hash && hash !== "main") {
    view.verdicts = new Set((wanted.get("v") || "").split(",").filter(Boolean));
    byId("search").value = wanted.get("q") || "";
    ["file", "kind", "cause"].forEach((id) => (byId(id).value = wanted.get(id) || ""));
  }
  drawTiles();
  drawList();
}

function moveCursor(step) {
  view.cursor = Math.max(0, Math.min(view.cursor + step, Math.min(view.list.length, view.shown) - 1));
  drawList();
  const row = byId("rows").children[view.cursor];
  if (row) row.querySelector("a").focus();
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").setAttribute("aria-pressed", String(dark));
}

const isDark = () =>
  (document.documentElement.dataset.theme ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function toggleKeys() {
  const help = byId("keyhelp");
  help.hidden = !help.hidden;
  byId("keys").setAttribute("aria-expanded", String(!help.hidden));
}

byId("function").addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (!button) return;
  const text = button.parentElement.nextElementSibling;
  getSelection().selectAllChildren(text);
  const told = () => (button.textContent = "Copied");
  if (navigator.clipboard)
    navigator.clipboard.writeText(text.textContent).then(told, () => document.execCommand("copy") && told());
  else if (document.execCommand("copy")) told();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else if (!byId("function").hidden) location.hash = filtersToHash();
    return;
  }
  if (typing) return;
  const inFunction = !byId("function").hidden;
  const follow = (rel) => {
    const next = byId("function").querySelector(`a[rel="${rel}"]`);
    if (next) next.click();
  };
  const actions = {
    "/": () => {
      if (inFunction) location.hash = filtersToHash();
      byId("overview").hidden = false;
      byId("function").hidden = true;
      byId("search").focus();
    },
    j: () => (inFunction ? follow("next") : moveCursor(1)),
    k: () => (inFunction ? follow("prev") : moveCursor(-1)),
    u: () => inFunction && (location.hash = filtersToHash()),
    t: () => setTheme(!isDark()),
    "?": toggleKeys,
  };
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

options(
  "file",
  functions.map((entry) => entry.file),
);
options(
  "kind",
  functions.flatMap((entry) => [...(entry.k || []), entry.why && entry.v === "unknown" ? entry.why.kind : ""]),
);
options(
  "cause",
  functions.map((entry) => entry.c),
);
byId("search").addEventListener("input", changed);
["file", "kind", "cause"].forEach((id) => byId(id).addEventListener("change", changed));
document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
document.querySelector(".filters").addEventListener("reset", () => {
  view.verdicts.clear();
  drawTiles();
  setTimeout(changed);
});
document.querySelectorAll(".tile").forEach((tile) =>
  tile.addEventListener("click", () => {
    const word = tile.dataset.verdict;
    if (!view.verdicts.delete(word)) view.verdicts.add(word);
    drawTiles();
    changed();
  }),
);
byId("more").addEventListener("click", () => {
  view.shown += 10 * STEP;
  drawList();
});
byId("theme").addEventListener("click", () => setTheme(!isDark()));
byId("theme").setAttribute("aria-pressed", String(isDark()));
byId("keys").addEventListener("click", toggleKeys);
window.addEventListener("hashchange", route);
drawTree();
route();
