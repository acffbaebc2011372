// Commands of the program that only read, run in the process of the test: what they print, and their exit code. For many short
// runs; what a process does (signals, pipes, wrong usage) is for program.ts. Output is as in a pipe: whole lines, no colours.

import { Command } from "commander";
import { addCan } from "../../src/cli/can.ts";
import { addExplain } from "../../src/cli/explain.ts";
import { addGet } from "../../src/cli/get.ts";
import { addLint } from "../../src/cli/lint.ts";
import { addMatrix } from "../../src/cli/matrix.ts";
import { addObserve } from "../../src/cli/observing/observe.ts";
import { addObserveNode } from "../../src/cli/observing/observe-node.ts";
import { addPlan } from "../../src/cli/plan.ts";
import type { Ran } from "./program.ts";
import { withoutProgress } from "./without-progress.ts";

/** In a folder. Throws on wrong usage. */
export async function ranIn(folder: string, args: readonly string[]): Promise<Ran> {
  const program = new Command("northgate").exitOverride();
  const commands = [addCan, addExplain, addGet, addLint, addMatrix, addObserve, addObserveNode, addPlan];
  for (const add of commands) add(program);
  const before = { folder: process.cwd(), code: process.exitCode };
  const streams = [captured(process.stdout), captured(process.stderr)] as const;
  process.chdir(folder);
  process.exitCode = 0;
  try {
    await program.parseAsync(args, { from: "user" });
    const [stdout, stderr] = streams.map((one) => one.text());
    return { code: codeOf(process.exitCode), stdout: stdout ?? "", stderr: withoutProgress(stderr ?? "") };
  } finally {
    for (const one of streams) one.restore();
    process.chdir(before.folder);
    process.exitCode = before.code;
  }
}

function codeOf(code: typeof process.exitCode): number {
  return typeof code === "number" ? code : 0;
}

/** What is written to the stream from now on, which is no terminal. */
function captured(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const { isTTY } = stream;
  const write = stream.write.bind(stream);
  let text = "";
  stream.isTTY = false;
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  return {
    text: () => text,
    restore: () => {
      stream.isTTY = isTTY;
      stream.write = write;
    },
  };
}
