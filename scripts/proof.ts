// `make proof`, of which HELP=1 says what may be asked: the proof of `make test` over more worlds, with progress and one line at the end that
// sums up. Two laboratories share the worlds, each with a seed of its own, counted up from SEED: the same SEED and WORLDS make the same run.
// Exit codes: 0 the judges agree, 1 they do not, 2 an argument is wrong, 3 no OVN, no dataplane or no packet filter to be had.

import { randomInt } from "node:crypto";
import fc from "fast-check";
import { everyDialect } from "../src/dialects.ts";
import { addressSetForms, namedPortForms } from "../src/nbdb/rows/render-mode.ts";
import { ChassisMissingError } from "../tools/sandbox/chassis.ts";
import { OvnMissingError } from "../tools/sandbox/find-ovn.ts";
import { antreaDialects, withAntrea } from "../test/proof/antrea-policies.ts";
import { calicoBeside, roomBeside, worldsBeside } from "../test/proof/calico/beside.ts";
import { calicoCluster, calicoWorlds, roomForPasses } from "../test/proof/calico/worlds.ts";
import type { ClusterOptions } from "../test/proof/cluster.ts";
import { clusterOfNames, withNames } from "../test/proof/names/policies.ts";
import { Laboratory, type Tally } from "../test/proof/laboratory.ts";
import { withOwnNetworkPolicies } from "../test/proof/own-network-policies.ts";
import { everyPacket } from "../test/proof/samples.ts";
import { type ProofWorld, proofWorld, zone, zonedWorld } from "../test/proof/worlds.ts";
import type { Owner } from "../test/proof/calico/walks.ts";
import { proveCalicoWalks } from "./support/calico-walks.ts";
import { proveFilters } from "./support/filter-proof.ts";
import { proofHelp } from "./support/proof-help.ts";

if (process.argv.includes("--help")) {
  process.stdout.write(proofHelp);
  process.exit();
}

const progressMs = 5000;
const tallied = [
  "worlds",
  "packets",
  "contested",
  "dropped",
  "ruled",
  "chained",
  "sampled",
  "stricter",
] as const;

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  if (/^-?\d{1,10}$/.test(text)) return Number(text);
  process.stderr.write(`${name}=${text}: not a whole number\n`);
  process.exit(2);
}

/** The first of the words unless another is given. */
function wordFrom<W extends string>(name: string, words: readonly [W, ...W[]]): W {
  const text = process.env[name] ?? "";
  if (text === "") return words[0];
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  process.stderr.write(`${name}=${text}: not ${words.join(" or ")}\n`);
  process.exit(2);
}

const namedPorts = wordFrom("NAMED_PORTS", namedPortForms);
const addressSets = wordFrom("ADDRESS_SETS", addressSetForms);
const zoned = wordFrom("ZONE", ["no", "yes"]) === "yes";
/** Calico's kinds in the policy model of theirs, judged by what reads their manifests by itself. */
const calico = wordFrom("CALICO", ["no", "yes"]) === "yes";
/** Whose the NetworkPolicies of the worlds are. Where they are others', Calico's policies stand around their rows. */
const owner = wordFrom<Owner>("NETWORK_POLICY", calico ? ["ours", "others"] : ["others", "ours"]);
const isAround = calico && owner === "others";
const drawn = zoned ? zonedWorld : proofWorld;
/** Antrea's kinds beside all others, NetworkPolicies of ours among them. */
const antrea = wordFrom("ANTREA", ["no", "yes"]) === "yes";
/** Rules of domain names in policies of all kinds that have them, Antrea's among them, with what DNS answered. */
const named = wordFrom("NAMES", ["no", "yes"]) === "yes";
/** Rows with samples, and the samples of all packets. */
const sampled = wordFrom("SAMPLES", ["no", "yes"]) === "yes";
if (sampled && (isAround || (owner === "others" && !antrea && !named))) {
  process.stderr.write(
    "SAMPLES=yes: rows of others have none; with NETWORK_POLICY=ours, ANTREA=yes or NAMES=yes all are ours\n",
  );
  process.exit(2);
}
const owned = owner === "ours" || antrea || named ? withOwnNetworkPolicies(drawn) : drawn;
const ofCalico: fc.Arbitrary<ProofWorld> = isAround
  ? worldsBeside({ passing: roomBeside, zoned })
  : calicoWorlds({ passing: roomForPasses, zoned });
const worldOf = calico ? ofCalico : named ? withNames(owned) : antrea ? withAntrea(owned) : owned;

/** Of the controller; as users run it who say nothing, unless told. */
const kindsOfWorlds = (): ClusterOptions => {
  if (calico) return isAround ? calicoBeside : calicoCluster;
  if (named) return clusterOfNames;
  if (antrea) return { installed: antreaDialects };
  return owner === "ours" ? { installed: everyDialect.dialects } : {};
};
/** For the sentence at the start. */
const others = [
  ...(antrea ? ["Antrea's kinds"] : []),
  ...(calico ? ["Calico's kinds"] : []),
  ...(named ? ["names"] : []),
  ...(sampled ? ["samples"] : []),
];
const alsoAsked = Object.entries({
  ZONE: zoned,
  ANTREA: antrea,
  CALICO: calico,
  NAMES: named,
  SAMPLES: sampled,
})
  .flatMap(([name, isAsked]) => (isAsked ? [` ${name}=yes`] : []))
  .join("");

interface Share {
  readonly laboratory: Laboratory;
  readonly worlds: number;
  readonly seed: number;
}

/** Says what it found, when it found something. */
async function prove({ laboratory, worlds, seed }: Share): Promise<boolean> {
  const property = fc.asyncProperty(worldOf, (world) => laboratory.prove(world));
  const details = await fc.check(property, { numRuns: worlds, seed, includeErrorInReport: true });
  const complaints = laboratory.complaints();
  if (details.failed) process.stdout.write(`${fc.defaultReportMessage(details) ?? "failed"}\n`);
  for (const line of complaints) process.stdout.write(`complaint: ${line}\n`);
  if (!details.failed && complaints.length === 0) return true;
  process.stdout.write(
    `repeat it: make proof WORLDS=${worlds} SEED=${seed} LABORATORIES=1 NAMED_PORTS=${namedPorts} ADDRESS_SETS=${addressSets} NETWORK_POLICY=${owner}${alsoAsked}\n`,
  );
  return false;
}

function total(shares: readonly Share[]): Tally {
  const sum: Tally = {
    ...{ worlds: 0, packets: 0, contested: 0, dropped: 0 },
    ...{ ruled: 0, chained: 0, sampled: 0, stricter: 0 },
  };
  for (const { laboratory } of shares) {
    for (const name of tallied) sum[name] += laboratory.tally[name];
  }
  return sum;
}

function summary({ worlds, packets, ...of }: Tally): string {
  const parts = [
    ...[`${of.dropped} dropped`, `${of.ruled} met a rule`, `${of.chained} three or more`],
    ...(sampled ? [`${of.sampled} had their rules named by samples`] : []),
    ...(isAround ? [`${of.stricter} stricter than one stack`] : []),
    `${of.contested} left out as contested`,
  ];
  return `${worlds} worlds, ${packets} packets, each judged three times (${parts.join(", ")})`;
}

async function main(): Promise<number> {
  const worlds = numberFrom("WORLDS", 1000);
  const seed = numberFrom("SEED", randomInt(2 ** 31));
  const backend = wordFrom("BACKEND", ["ovn", "iptables", "nftables"]);
  if (backend !== "ovn") return proveFilters(worlds, seed, backend === "nftables" ? backend : null);
  const count = Math.max(1, Math.min(numberFrom("LABORATORIES", 2), worlds));
  process.stdout.write(
    `proving ${worlds} worlds in ${count} laboratories, named ports as ${namedPorts}, address sets: ${addressSets}, NetworkPolicies of ${owner}${others.map((name) => `, ${name}`).join("")}, seed ${seed}\n`,
  );
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const shares: Share[] = [];
  const progress = setInterval(() => {
    const { worlds: done, packets } = total(shares);
    process.stdout.write(`   ${done} of ${worlds} worlds, ${packets} packets, ${seconds()} s\n`);
  }, progressMs);
  try {
    for (let at = 0; at < count; at++) {
      const laboratory = await Laboratory.open({
        ...{ namedPorts, addressSets, zone: zoned ? zone : null },
        ...kindsOfWorlds(),
        ...(sampled && { sampling: everyPacket }),
      });
      shares.push({
        laboratory,
        worlds: Math.floor(worlds / count) + (at < worlds % count ? 1 : 0),
        seed: seed + at,
      });
    }
    const agreed = (await Promise.all(shares.map(prove))).every(Boolean);
    process.stdout.write(
      `${agreed ? "agreed" : "DISAGREED"}: ${summary(total(shares))}, ` +
        `${seconds()} s, OVN ${shares[0]?.laboratory.ovn.install.version ?? "?"}, seed ${seed}\n`,
    );
    const agreedOnTheWay = !calico || (await proveCalicoWalks(worlds, seed, owner));
    return agreed && agreedOnTheWay ? 0 : 1;
  } finally {
    clearInterval(progress);
    await Promise.all(shares.map(({ laboratory }) => laboratory.close()));
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof OvnMissingError || error instanceof ChassisMissingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}
