// C in colours, and both versions of a function side by side.
"use strict";

const escapeText = (text) =>
  String(text).replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c],
  );

const KEYWORDS = new Set(
  (
    "auto break case char const continue default do double else enum extern float for goto if inline int long " +
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while " +
    "_Bool _Static_assert _Noreturn NULL"
  ).split(" "),
);
const TOKEN =
  /(\/\*.*?(?:\*\/|$)|\/\/.*)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)|(^\s*#.*)/g;

// The state is whether a comment is open from the line before.
function coloured(line, state) {
  let out = "";
  let at = 0;
  if (state.comment) {
    const end = line.indexOf("*/");
    const stop = end < 0 ? line.length : end + 2;
    out += `<span class="c">${escapeText(line.slice(0, stop))}</span>`;
    state.comment = end < 0;
    at = stop;
  }
  TOKEN.lastIndex = at;
  for (let found; (found = TOKEN.exec(line));) {
    out += escapeText(line.slice(at, found.index));
    at = TOKEN.lastIndex;
    const text = escapeText(found[0]);
    if (found[1]) {
      state.comment = found[1].startsWith("/*") && !found[1].endsWith("*/");
      out += `<span class="c">${text}</span>`;
    } else if (found[2]) out += `<span class="s">${text}</span>`;
    else if (found[3]) out += `<span class="d">${text}</span>`;
    else if (found[5]) out += `<span class="p">${text}</span>`;
    else out += KEYWORDS.has(found[0]) ? `<span class="k">${text}</span>` : text;
  }
  return out + escapeText(line.slice(at));
}

// What two changed lines have in common at their start and end is not marked; lines that have little in common but their
// indentation are not marked at all.
function marked(line, other) {
  let start = 0;
  while (start < line.length && start < other.length && line[start] === other[start]) start += 1;
  let end = 0;
  while (
    end < line.length - start &&
    end < other.length - start &&
    line[line.length - 1 - end] === other[other.length - 1 - end]
  )
    end += 1;
  const indentation = line.length - line.trimStart().length;
  if (Math.max(0, start - indentation) + end < (line.length - indentation) / 3) return null;
  return [start, line.length - end];
}

function cell(line, other, state) {
  const range = other === null ? null : marked(line, other);
  if (!range || range[0] >= range[1]) return coloured(line, state);
  const [from, to] = range;
  return (
    coloured(line.slice(0, from), state) +
    "<mark>" +
    coloured(line.slice(from, to), state) +
    "</mark>" +
    coloured(line.slice(to), state)
  );
}

// The table of both versions. `inRegion` and `traps` are about line numbers; `ran` has the executed lines of either version,
// and the last ones before they part.
function sourceTable(diff, inRegion, traps, ran) {
  let [old, now] = [diff.o, diff.n];
  const executed = ran ? ran.l.map((lines) => new Set(lines)) : [new Set(), new Set()];
  const parts = (ran && ran.at) || [0, 0];
  const states = [{ comment: false }, { comment: false }];
  const rows = diff.r.map(([sign, first, second]) => {
    if (sign === "…") {
      old += first;
      now += first;
      return `<tr class="gap"><td colspan="4">${first} unchanged lines</td></tr>`;
    }
    const left = sign === "+" ? null : first;
    const right = sign === "-" ? null : sign === "+" || sign === "=" ? first : second;
    const side = (text, other, number, version, style) => {
      if (text === null) return '<td class="number absent"></td><td class="absent"></td>';
      const trap = traps[version] === number ? " trap" : "";
      const run = executed[version].has(number) ? (parts[version] === number ? " ran parts" : " ran") : "";
      const change = sign === "=" ? "" : style;
      const label = change ? `<span class="hidden-sign">${version ? "+" : "−"} </span>` : "";
      const code = cell(text, change ? other : null, states[version]);
      return `<td class="number${run}">${label}${number}</td><td class="code ${change}${trap}">${code}</td>`;
    };
    const region = right !== null && inRegion(now) ? ' class="region"' : "";
    const row = `<tr${region}>` + side(left, right, old, 0, "removed") + side(right, left, now, 1, "added") + "</tr>";
    if (left !== null) old += 1;
    if (right !== null) now += 1;
    return row;
  });
  return (
    '<div class="scroll" tabindex="0" role="region" aria-label="Source of both versions"><table class="diff">' +
    '<colgroup><col class="number"><col><col class="number"><col></colgroup>' +
    '<thead><tr><th scope="col" colspan="2">old version</th>' +
    '<th scope="col" colspan="2">new version</th></tr></thead><tbody>' +
    rows.join("") +
    "</tbody></table></div>"
  );
}
