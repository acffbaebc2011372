// `make same BASE=<commit> [WORLDS=1000] [SEED=…] [TAKEOVERS=40]`: whether the builds of two commits, BASE and this tree,
// answer alike: rows, JSON and exit codes of every command that reads manifests, over generated worlds of all kinds and all
// examples of BASE; and whether this build writes nothing over the rows that BASE's wrote. A world is made by its seed alone, counted up
// from SEED: the one that fails is repeated by `SEED=<its seed> WORLDS=1`. Exit codes: 0 alike, 1 not, 2 an argument is wrong.

import { randomInt } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startOvn } from "../tools/sandbox/ovn.ts";
import { Build } from "../test/equality/build.ts";
import type { Builds, Tally } from "../test/equality/run.ts";
import { differencesOf, differencesOfExample, written } from "../test/equality/run.ts";
import { takeOver } from "../test/equality/takeover.ts";
import { pairOf } from "../test/equality/worlds.ts";
import { portName } from "../src/nbdb/rows/names.ts";
import { builtBase, builtBases } from "./support/built-base.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const progressMs = 10_000;

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  process.stderr.write(`${name}=${text}: not a whole number\n`);
  process.exit(2);
}

/** Every folder of the examples that has manifests, itself or below. */
function exampleFolders(examples: string): readonly string[] {
  const files = readdirSync(examples, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && file.name.endsWith(".yaml"),
  );
  const folders = files.flatMap(({ parentPath }) => {
    const parts = relative(examples, parentPath).split("/");
    return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  });
  return [...new Set(folders)].sort();
}

async function takeOvers(
  builds: Builds,
  seeds: readonly number[],
  parent: string,
): Promise<readonly string[]> {
  if (seeds.length === 0) return [];
  const ovn = await startOvn({ northd: false });
  const differences: string[] = [];
  let rows = 0;
  try {
    for (const seed of seeds) {
      const pair = pairOf(seed);
      const folder = written(pair, parent);
      const taken = await takeOver({
        ...{ ovn, base: builds.base.main, here: builds.here.main, source: join(folder, "world") },
        ports: pair.pods.map((pod) => portName(...(pod.split("/") as [string, string]))),
        flags: [
          ...["--enable-network-policy=true", "--enable-antrea-policy=true"],
          ...(pair.zone === null ? [] : [`--zone=${pair.zone}`, "--allow-empty-zone"]),
        ],
      });
      rows += taken.rows;
      if (taken.operations !== 0 || taken.altered.length > 0)
        differences.push(
          `${folder}: a takeover took ${taken.operations} operations: ${taken.altered.slice(0, 3).join(", ")}`,
        );
    }
  } finally {
    await ovn.stop();
  }
  process.stdout.write(
    `took over ${seeds.length} worlds with ${rows} rows: ${differences.length} written to\n`,
  );
  return differences;
}

/** `examples`: those of the base; it cannot read what later ones are about. */
async function worlds(
  builds: Builds,
  seeds: readonly number[],
  { parent, examples }: { readonly parent: string; readonly examples: string },
): Promise<readonly string[]> {
  const differences: string[] = [];
  const tally: Tally = new Map();
  const begun = performance.now();
  let done = 0;
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1000);
    process.stdout.write(
      `   ${done} of ${seeds.length} worlds, ${differences.length} differences, ${seconds} s\n`,
    );
  }, progressMs);
  try {
    for (const seed of seeds) {
      differences.push(...(await differencesOf(builds, pairOf(seed), parent, tally)));
      done++;
    }
    for (const folder of exampleFolders(examples))
      differences.push(...(await differencesOfExample(builds, { examples, folder, parent }, tally)));
  } finally {
    clearInterval(progress);
  }
  const counted = [...tally].sort().map(([name, count]) => `${name}: ${count}`);
  process.stdout.write(`asked, by command and exit code: ${counted.join(", ")}\n`);
  return differences;
}

async function main(): Promise<number> {
  const commit = process.env["BASE"] ?? "";
  if (commit === "") {
    process.stderr.write("BASE=<commit> says which build this one is compared with\n");
    return 2;
  }
  const [count, takeovers] = [numberFrom("WORLDS", 1000), numberFrom("TAKEOVERS", 40)];
  const seed = numberFrom("SEED", randomInt(2 ** 30));
  const parent = join(builtBases, "worlds");
  mkdirSync(parent, { recursive: true });
  const tree = builtBase(commit);
  process.stdout.write(`comparing with ${tree}: ${count} worlds, ${takeovers} takeovers, seed ${seed}\n`);
  const seeds = Array.from({ length: count }, (_, at) => seed + at);
  const builds: Builds = { base: new Build(tree), here: new Build(repository) };
  try {
    const found = [
      ...(await worlds(builds, seeds, { parent, examples: join(tree, "examples") })),
      ...(await takeOvers(builds, seeds.slice(0, takeovers), parent)),
    ];
    for (const line of found) process.stdout.write(`${line}\n`);
    process.stdout.write(`${found.length === 0 ? "alike" : "DIFFERENT"}: ${count} worlds, seed ${seed}\n`);
    return found.length === 0 ? 0 : 1;
  } finally {
    builds.base.close();
    builds.here.close();
  }
}

process.exitCode = await main();
