// Steps that a test makes in a page; what they find stands in a `pre` at the end of it.
(async () => {
  const results = [];
  const check = (what, holds) => results.push(`${holds ? "ok" : "FAILED"} ${what}`);
  const pause = () => new Promise((done) => setTimeout(done, 50));
  const find = (selector) => document.querySelector(selector);
  const click = (selector) => find(selector).click();
  const rows = () => [...byId("rows").children];
  const text = () => byId("rows").textContent;
  const type = (selector, words) => {
    find(selector).value = words;
    find(selector).dispatchEvent(new Event("input", { bubbles: true }));
  };
  const choose = (selector, value) => {
    find(selector).value = value;
    find(selector).dispatchEvent(new Event("change", { bubbles: true }));
  };
  const key = (name) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  try {
    /* STEPS */
  } catch (error) {
    results.push(`FAILED ${error.stack}`);
  }
  const shown = document.createElement("pre");
  shown.id = "results";
  shown.textContent = results.join("\n");
  document.body.append(shown);
})();
