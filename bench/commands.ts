// How long `northgate can` and `northgate matrix` take on a large cluster: `node bench/can.ts`, or make bench W=can. Runs each command
// three times as a process of its own and prints its processor time and its largest resident memory; the work is counted in
// test/can/counted.test.ts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLargeCluster } from "../test/support/large-cluster.ts";

const runs = 3;
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** Tells on standard error what the process has used. */
const meter = `process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(\`\\n\${(userCPUTime + systemCPUTime) / 1e6} \${maxRSS / 1024}\\n\`);
});`;
const end = ["--to", "ns3/app1-63"];
const commands: readonly (readonly string[])[] = [
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
  if (status !== 0)
    throw new Error(`northgate ${args.join(" ")} ended with ${status ?? "a signal"}: ${stderr}`);
  const [cpu = NaN, memory = NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return [cpu, memory];
}

const folder = mkdtempSync(join(tmpdir(), "northgate-bench-"));
try {
  writeLargeCluster(folder);
  for (const command of commands) {
    const all = Array.from({ length: runs }, () => used([...command, "-f", folder]));
    const cpu = all.map(([seconds]) => seconds.toFixed(1)).join(", ");
    const memory = Math.max(...all.map(([, mib]) => mib)).toFixed(0);
    process.stdout.write(`northgate ${command.join(" ")}: CPU ${cpu} s, ${memory} MiB\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
