// `make bench W=filter`: the backend of a packet filter on the real tools, beside the same texts loaded by hand into a second network
// namespace, which is the floor. Both take turns in one run.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { heapFlags } from "../src/v8-flags.ts";
import type { Variant } from "../test/netfilter/tools.ts";
import { netfilterMissing, variants } from "../test/netfilter/tools.ts";
import { NamespaceProcess } from "../test/support/netns.ts";
import { connectionTimes } from "./filter/connections.ts";
import type { Times } from "./filter/node-bench.ts";
import { NodeBench } from "./filter/node-bench.ts";
import type { Size } from "./filter/workload.ts";
import { sizes, wideCount } from "./filter/workload.ts";

const help = `make bench W=filter

Measures, for each flavour of iptables and for nftables, how long \`run\` needs to write a node's packet filter: at a cold start, for a pod
that comes, for one that is in 120 sets, and for an edit of 20 rules. Beside each is the time of the same texts, loaded by hand.
Milliseconds: the middle one, and the worst. Then what a new connection of two pods takes, alone and among 1,000 NetworkPolicies of other
namespaces; and the peak of a process's memory with the policies of W2. Needs root and netfilter in the kernel.
`;

const memory = fileURLToPath(new URL("filter/memory.ts", import.meta.url));

function middle(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
}

function line({ what, own: mine, floor }: Times): string {
  const shown = (times: readonly number[]) =>
    `${middle(times).toFixed(1)} (${Math.max(...times).toFixed(1)})`;
  return `   ${what}: ${shown(mine)} ms, by hand ${shown(floor)} ms, ratio ${(middle(mine) / middle(floor)).toFixed(2)}\n`;
}

async function measure(variant: Variant, size: Size): Promise<void> {
  const namespaces = [await NamespaceProcess.hold(), await NamespaceProcess.hold()] as const;
  try {
    const bench = new NodeBench(variant, size, ...namespaces);
    try {
      const all = await bench.run();
      const { rules, sets } = bench.counts;
      const policies = size.policies + wideCount + 1;
      process.stdout.write(
        `${variant.name}: ${policies} policies, ${size.pods} pods; ${rules} rules, ${sets} sets\n`,
      );
      for (const times of all) process.stdout.write(line(times));
    } finally {
      bench.stop();
    }
  } finally {
    await Promise.all(namespaces.map((one) => one.end()));
  }
}

async function measureConnections(variant: Variant, size: Size): Promise<void> {
  const { alone, amongOthers } = await connectionTimes(variant, size);
  const [less, more] = [middle(alone), middle(amongOthers)];
  process.stdout.write(
    `${variant.name}: a new connection ${less.toFixed(0)} µs; past ${size.policies} NetworkPolicies of ${size.namespaces} other namespaces ${more.toFixed(0)} µs, ${(more - less).toFixed(0)} more\n`,
  );
}

const missing = variants.map(({ flavour }) => netfilterMissing(flavour)).find((why) => why !== null) ?? null;
if (process.argv.includes("--help")) process.stdout.write(help);
else if (missing !== null) {
  process.stderr.write(`no packet filter to be had: ${missing}\n`);
  process.exitCode = 3;
} else {
  for (const size of sizes) for (const variant of variants) await measure(variant, size);
  const largest = sizes.at(-1);
  if (largest !== undefined) for (const variant of variants) await measureConnections(variant, largest);
  for (const { name } of variants)
    process.stdout.write(execFileSync(process.execPath, [...heapFlags, memory, name, "W2"]));
}
