// What each command takes on a large cluster: `make bench W=commands`. Runs the built program three times for each command, as a
// process of its own, and prints its processor time and its largest resident memory. The plan is of an edit that takes the policy for
// DNS from ten namespaces. The work is counted in test/can/counted.test.ts and test/plan/counted.test.ts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLargeCluster, writeWithout } from "../test/support/large-cluster.ts";

const runs = 3;
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
/** Tells on standard error what the process has used. */
const meter = `process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(\`\\n\${(userCPUTime + systemCPUTime) / 1e6} \${maxRSS / 1024}\\n\`);
});`;
const end = ["--to", "ns3/app1-63"];
const old = "OLD";
const commands: readonly (readonly string[])[] = [
  ["explain", "--from", "ns4/app1-64", ...end, "--protocol", "tcp", "--port", "8080"],
  ["explain", "--from", "ns4/*", "--to", "ns3/*", "--protocol", "tcp", "--port", "8080"],
  ["get"],
  ["lint"],
  ["plan", "--against", old],
  ["can", ...end, "--port", "5012"],
  ["can", ...end],
  ["can", "--from", "ns3/app1-63"],
  ["can", "--all", "--port", "8080"],
  ["matrix"],
  ["matrix", "-n", "ns3"],
  ["matrix", "-o", "html"],
];

function used(args: readonly string[]): readonly [cpu: number, memory: number] {
  const hook = `data:text/javascript,${encodeURIComponent(meter)}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", hook, main, ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  // A plan that has found a difference ends with 2, lint that has found an error with 1.
  const found = { plan: 2, lint: 1 }[args[0] ?? ""] ?? 0;
  if (status !== 0 && status !== found)
    throw new Error(`northgate ${args.join(" ")} ended with ${status ?? "a signal"}: ${stderr}`);
  const [cpu = NaN, memory = NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return [cpu, memory];
}

const folder = mkdtempSync(join(tmpdir(), "northgate-bench-"));
const [before, after] = [join(folder, "before"), join(folder, "after")];
try {
  writeLargeCluster(before);
  writeWithout("dns", before, after);
  for (const command of commands) {
    const [now, args] = command.includes(old)
      ? [after, command.map((word) => (word === old ? `dir:${before}` : word))]
      : [before, command];
    const all = Array.from({ length: runs }, () => used([...args, "-f", now]));
    const cpu = all.map(([seconds]) => seconds.toFixed(1)).join(", ");
    const memory = Math.max(...all.map(([, mib]) => mib)).toFixed(0);
    process.stdout.write(`northgate ${command.join(" ")}: CPU ${cpu} s, ${memory} MiB\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
