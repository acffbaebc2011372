// Commands whose output nobody reads to its end, as in `northgate get --help | head -1`: they end as they do with a reader, with
// the same exit code, and say nothing of it. The program is the real one, and so is the pipe, which is closed before it writes.

import { spawn } from "node:child_process";
import { expect, test } from "@jest/globals";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import { mainFile } from "../support/main-file.ts";

/** Runs the command with one of its streams closed, and resolves with its exit code and what the other stream had. */
async function unread(stream: "stdout" | "stderr", args: readonly string[]) {
  const child = spawn(process.execPath, [mainFile, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  child[stream].destroy();
  let other = "";
  child[stream === "stdout" ? "stderr" : "stdout"]
    .setEncoding("utf8")
    .on("data", (text: string) => (other += text));
  const [code, signal] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("close", (...end) => {
      resolve(end);
    });
  });
  return { code, signal, other };
}

const cluster = ["-f", "examples/multi-tenant/cluster"];
const closed = [...cluster, "-f", "examples/antrea/closed"];

test.each<readonly [code: number, args: readonly string[]]>([
  [0, ["--help"]],
  [0, ["get", "--help"]],
  [0, ["get", "policies", ...cluster]],
  [1, ["render", ...closed]],
])(
  "nobody reads standard output: the exit code is %i all the same: %j",
  async (code, args) => {
    const read = northgate(...args);
    expect([read.code, read.stdout.length > 0]).toEqual([code, true]);
    expect(await unread("stdout", args)).toEqual({ code, signal: null, other: read.stderr });
  },
  patience(60_000),
);

test(
  "nobody reads standard error: the exit code is the same",
  async () => {
    expect(await unread("stderr", ["get", "--nothing"])).toEqual({ code: 2, signal: null, other: "" });
  },
  patience(60_000),
);
