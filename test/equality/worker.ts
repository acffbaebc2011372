// The process of a build: takes the arguments of a command line, loads the program's entry anew, and answers what it printed
// and its exit code. What the entry imports is loaded once, so a command that kept something for the next one would be seen
// as a difference from the other build, or as a world that repeats otherwise alone.

import { pathToFileURL } from "node:url";
import type { Answer, Question } from "./build.ts";

const entry = pathToFileURL(process.argv[2] ?? "").href;
let asked = 0;

process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

/** Collects what is written in place of writing it. */
function captured(stream: NodeJS.WriteStream): string[] {
  const chunks: string[] = [];
  stream.write = (
    chunk: string | Uint8Array,
    second?: BufferEncoding | ((error?: Error | null) => void),
    third?: (error?: Error | null) => void,
  ): boolean => {
    chunks.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = typeof second === "function" ? second : third;
    if (done !== undefined) queueMicrotask(done);
    return true;
  };
  return chunks;
}

const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];

function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

async function answer({ args, folder }: Question): Promise<Answer> {
  process.chdir(folder);
  process.argv.splice(2, Infinity, ...args);
  process.exitCode = 0;
  await import(`${entry}?asked=${asked++}`);
  const code = exitCode();
  process.exitCode = 0;
  return { stdout: stdout.splice(0).join(""), stderr: stderr.splice(0).join(""), code };
}

process.on("message", (question: Question) => {
  void answer(question).then(
    (one) => process.send?.(one),
    (error: unknown) => process.send?.({ stdout: "", stderr: `threw ${String(error)}`, code: -1 }),
  );
});
