#!/usr/bin/env -S node --max-semi-space-size=8 --initial-heap-size=96
// The launcher: plain JavaScript that any Node can parse. It starts dist/main.js under a Node that is new enough:
// this one, or else the one that this package carries as its dependency `node`.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [major, minor] = process.versions.node.split(".").map(Number);
const main = here("../dist/main.js");

// The one would end the program, the other opens a debugger. The program says the same in src/cli/ends.ts.
for (const signal of ["SIGHUP", "SIGUSR1"]) process.on(signal, () => {});

function refuse(sentence) {
  process.stderr.write(`northgate: ${sentence}\n`);
  process.exitCode = 2;
}

function runUnder(node) {
  // The channel ends when this process does, however it does: the program then ends too (src/cli/ends.ts).
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = spawn(node, ["--disable-sigusr1", ...process.execArgv, main, ...process.argv.slice(2)], {
    stdio,
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGUSR2"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
}

if (!existsSync(main)) {
  refuse("not built yet; run `make build` (or `npm run build`) first");
} else if (major > 22 || (major === 22 && minor >= 19)) {
  process.argv[1] = main;
  await import(main);
} else {
  const carried = ["../node_modules/node/bin/node", "../../node/bin/node"].map(here).find(existsSync);
  if (carried === undefined) {
    refuse(
      `needs Node.js 22.19 or newer, this is ${process.versions.node}; \`npm install\` brings the Node it carries`,
    );
  } else {
    runUnder(carried);
  }
}
