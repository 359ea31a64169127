// Runs the extension with stand-ins for the editor and its language client: `node test/extension.test.js` prints "ok".
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const manifest = require("../package.json");

const events = [];
const settings = { path: "verdiff", options: ["--timeout", "5"] };
let broken = false;
let configurationChanged;
const commands = new Map();

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, server, options });
  }
  async start() {
    if (broken) throw new Error("ENOENT");
    events.push(`start ${this.server.command} ${this.server.args.join(" ")}`);
    this.running = true;
  }
  needsStop() {
    return this.running;
  }
  async stop() {
    events.push("stop");
  }
}

const vscode = {
  workspace: {
    getConfiguration: (section) => {
      assert.strictEqual(section, "verdiff");
      return { get: (name) => settings[name] };
    },
    onDidChangeConfiguration: (listener) => (configurationChanged = listener),
  },
  window: { showErrorMessage: (text) => events.push(text) },
  commands: { registerCommand: (name, action) => commands.set(name, action) },
};

const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient };
  return load.call(this, name, ...rest);
};

const happened = () => events.splice(0);

async function run() {
  const extension = require("..");
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(happened(), ["start verdiff lsp -- --timeout 5"]);
  assert.strictEqual(context.subscriptions.length, 2);

  // What the manifest declares is what the code has.
  const declared = manifest.contributes.commands.map((one) => one.command);
  assert.deepStrictEqual([...commands.keys()], declared);
  const names = Object.keys(manifest.contributes.configuration.properties);
  assert.deepStrictEqual(
    names,
    Object.keys(settings).map((name) => `verdiff.${name}`),
  );

  await commands.get("verdiff.restart")();
  assert.deepStrictEqual(happened(), ["stop", "start verdiff lsp -- --timeout 5"]);

  await configurationChanged({ affectsConfiguration: () => false });
  assert.deepStrictEqual(happened(), []);
  settings.options = [];
  await configurationChanged({ affectsConfiguration: (section) => section === "verdiff" });
  assert.deepStrictEqual(happened(), ["stop", "start verdiff lsp --"]);

  await extension.deactivate();
  assert.deepStrictEqual(happened(), ["stop"]);
  broken = true;
  settings.path = "nowhere";
  await extension.activate(context);
  assert.deepStrictEqual(happened(), [
    "verdiff: cannot start nowhere (ENOENT): install it, or set verdiff.path",
  ]);
}

run().then(
  () => console.log("ok"),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
