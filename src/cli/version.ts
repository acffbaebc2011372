// `northgate --version`: the package's version and the commit it was made from, for people or, with `-o json`, for
// programs. A flag of the whole program, so that it works beside no command.

import type { Command } from "commander";
import { CommanderError } from "commander";
import { parseChoice } from "../config/config.ts";
import { commit, version } from "../version.ts";

const formats = ["text", "json"] as const;

/** Prints and ends the program's parsing, as commander's own flag does. */
export function addVersion(program: Command): void {
  program
    .option("-V, --version", "print the version and the commit it was made from; -o json: as JSON")
    .on("option:version", () => {
      const { node } = process.versions;
      const told = { version: version(), commit: commit(), node };
      const text = `${told.version} (commit ${told.commit}, Node ${node})`;
      process.stdout.write(`${formatIn(process.argv) === "json" ? JSON.stringify(told) : text}\n`);
      throw new CommanderError(0, "commander.version", text);
    });
}

/** `-o` is a flag of the commands, and here there is none. */
function formatIn(args: readonly string[]): (typeof formats)[number] {
  const at = args.findIndex((arg) => /^(?:-o|--output)/.test(arg));
  const given = args[at] ?? "";
  const text = /^(?:-o|--output=)(.+)$/.exec(given)?.[1] ?? args[at + 1] ?? "";
  return at < 0 ? "text" : parseChoice({ text, texts: [text], from: "--output", isDefault: false }, formats);
}
