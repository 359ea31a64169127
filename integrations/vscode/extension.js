// Starts `verdiff lsp` for C files. Lenses, actions and commands come from the server.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("verdiff");
  const server = { command: settings.get("path"), args: ["lsp", "--", ...settings.get("options")] };
  client = new LanguageClient("verdiff", "verdiff", server, {
    documentSelector: [{ scheme: "file", language: "c" }],
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `verdiff: cannot start ${server.command} (${error.message}): install it, or set verdiff.path`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.needsStop()) {
    await running.stop();
  }
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("verdiff.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("verdiff")) {
        return restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
