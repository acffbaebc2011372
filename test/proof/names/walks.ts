// Walks in which answers of DNS come, change, fail and are over, pods get and lose addresses that names lead to, policies of names
// change, and controllers end and take over: on a strict stand-in for the database. After each step the rows are judged by src/nbdb/audit
// against the policies written out with what is meant to be remembered. Where only addresses change, no ACL is written.

import fc from "fast-check";
import { evaluateRows } from "../../../src/nbdb/audit/index.ts";
import type { AddressSetForm } from "../../../src/nbdb/rows/render-mode.ts";
import { addressSetForms } from "../../../src/nbdb/rows/render-mode.ts";
import type { PolicyObject, WorldObject } from "../../../src/model/object.ts";
import { meaningOf, opinionText } from "../judges.ts";
import type { Probe } from "../packets.ts";
import { probesOf, probeText } from "../packets.ts";
import { RowCluster } from "../row-cluster.ts";
import { rowConnectionOf } from "../standing-judge.ts";
import { proofWorld, sorted, worldText } from "../worlds.ts";
import type { Answered } from "./answers.ts";
import { answers, destinations } from "./answers.ts";
import { namesDialects, namesInstalled, namesPolicies } from "./policies.ts";
import { patternOf, Remembered } from "./remembered.ts";
import { patternsIn, rightReading, writtenOut } from "./written-out.ts";

export type NamesStep =
  | { readonly kind: "answers"; readonly answered: readonly Answered[]; readonly ttl: number }
  /** What is remembered is answered again. */
  | { readonly kind: "repeated"; readonly ttl: number }
  | { readonly kind: "failures" }
  | { readonly kind: "time"; readonly seconds: number }
  | { readonly kind: "policies"; readonly policies: readonly PolicyObject[] }
  /** Pods are removed, but for the first, so that the families of the cluster stay, and for these of the world by their places in it. */
  | { readonly kind: "pods"; readonly staying: readonly number[] }
  | { readonly kind: "restart" | "takeover" };

export interface NamesWalk {
  /** Facts alone. */
  readonly objects: readonly WorldObject[];
  readonly policies: readonly PolicyObject[];
  readonly addressSets: AddressSetForm;
  readonly salt: number;
  readonly steps: readonly NamesStep[];
}

export interface NamesWalkTally {
  /** By their kinds. */
  readonly steps: Map<string, number>;
  /** Verdicts of rows. */
  judged: number;
  /** Packets that have another verdict after a step. */
  turned: number;
  /** Operations of steps in which only addresses change. */
  edits: number;
}

export function newNamesTally(): NamesWalkTally {
  return { steps: new Map(), judged: 0, turned: 0, edits: 0 };
}

const onlyAddresses: ReadonlySet<NamesStep["kind"]> = new Set(["answers", "repeated", "failures", "time"]);
const packetsPerStep = 300;
const faultsTold = 5;

const step: fc.Arbitrary<NamesStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("answers" as const),
      answered: answers,
      ttl: fc.constantFrom(0, 5, 30, 60, 300),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("repeated" as const), ttl: fc.constantFrom(0, 5, 60) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "failures" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      seconds: fc.constantFrom(1, 3, 6, 20, 36, 60, 120),
    }),
  },
  { weight: 1, arbitrary: namesPolicies.map((policies) => ({ kind: "policies" as const, policies })) },
  {
    weight: 3,
    arbitrary: fc
      .subarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 3 })
      .map((staying) => ({ kind: "pods" as const, staying })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "takeover" as const }) },
);

/** `length`: the steps of one walk. */
export function namesWalks(length: number): fc.Arbitrary<NamesWalk> {
  return fc
    .record({
      // Rows hold the families of the cluster alone, and so does what another controller finds.
      world: proofWorld.filter(({ objects }) => sorted(objects).pods[0]?.ips.length === 2),
      policies: namesPolicies,
      addressSets: fc.constantFrom(...addressSetForms),
      steps: fc.array(step, { minLength: length, maxLength: length }),
    })
    .map(({ world: { objects, salt }, ...rest }) => {
      const { namespaces, nodes, pods } = sorted(objects);
      const walk: NamesWalk = { objects: [...namespaces.values(), ...nodes, ...pods], salt, ...rest };
      return Object.assign(walk, { [fc.toStringMethod]: () => textOf(walk) });
    });
}

/** Throws at the end of the first step in which a packet has another verdict than it is meant to have, or that wrote too much. */
export async function followNames(walk: NamesWalk, tally: NamesWalkTally): Promise<void> {
  const { objects, policies, addressSets } = walk;
  const options = { kinds: namesInstalled, addressSets, resolves: true };
  const cluster = await RowCluster.open([...objects, ...policies], options);
  try {
    const passage = new Passage(cluster, walk, tally);
    for (const [at, one] of walk.steps.entries()) {
      const faults = await passage.take(one);
      if (faults.length > 0)
        throw new Error([`step ${at}, ${one.kind}:`, ...faults.slice(0, faultsTold)].join("\n"));
      tally.steps.set(one.kind, (tally.steps.get(one.kind) ?? 0) + 1);
    }
    passage.end();
  } finally {
    await cluster.close();
  }
}

/** A walk on its way. */
class Passage {
  readonly #cluster: RowCluster;
  readonly #tally: NamesWalkTally;
  readonly #facts: readonly WorldObject[];
  readonly #probes: readonly Probe[];
  readonly #remembered = new Remembered();
  #world: readonly WorldObject[];
  #policies: readonly PolicyObject[];
  #verdicts: readonly string[] = [];

  constructor(cluster: RowCluster, { objects, policies, salt }: NamesWalk, tally: NamesWalkTally) {
    this.#cluster = cluster;
    this.#tally = tally;
    this.#facts = objects;
    this.#world = objects;
    this.#policies = policies;
    this.#probes = probesOf({ objects, salt, destinations }, packetsPerStep);
    this.#meet();
  }

  async take(one: NamesStep): Promise<readonly string[]> {
    const written = new Map<string, number>();
    this.#cluster.committed = (operations) => {
      for (const operation of operations) {
        const table = "table" in operation ? operation.table : operation.op;
        written.set(table, (written.get(table) ?? 0) + 1);
      }
    };
    const sent = await this.#do(one);
    const faults: string[] = [];
    if (sent > 0) faults.push(`another controller wrote ${sent} operations`);
    if (onlyAddresses.has(one.kind)) {
      const others = [...written.keys()].filter((table) => table !== "Address_Set");
      if (others.length > 0) faults.push(`answers wrote ${others.join(" and ")}`);
      this.#tally.edits += written.get("Address_Set") ?? 0;
    }
    return [...faults, ...this.#cluster.misheard(this.#remembered.facts), ...this.#judge()];
  }

  /** The rows are those of a fresh start with what is remembered. */
  end(): void {
    if (!this.#cluster.isAsFresh([...this.#world, ...this.#policies, ...this.#remembered.facts]))
      throw new Error("rows at the end are not those of a fresh start");
  }

  /** Returns how many operations another controller sent. */
  async #do(one: NamesStep): Promise<number> {
    const all = () => [...this.#world, ...this.#policies];
    switch (one.kind) {
      case "answers":
      case "repeated": {
        // What rows held of a wildcard has no name.
        const again = this.#remembered.answers.filter(({ name }) => !name.includes("*"));
        const answered = one.kind === "answers" ? one.answered : again;
        this.#remembered.learn(answered, one.ttl);
        await this.#cluster.learn((names) => {
          names.learn(answered, one.ttl);
        });
        return 0;
      }
      case "failures":
        for (const { name } of this.#remembered.answers) this.#remembered.fail(name);
        await this.#cluster.learn((names) => {
          for (const { name } of this.#remembered.answers) names.fail(name);
        });
        return 0;
      case "time":
        await this.#elapse(one.seconds);
        return 0;
      case "restart":
      case "takeover":
        this.#remembered.restart();
        return this.#cluster[one.kind === "restart" ? "restart" : "takeOver"](all());
      case "policies":
        this.#policies = one.policies;
        break;
      case "pods": {
        const { pods } = sorted(this.#facts);
        const removed = new Set<WorldObject>(pods.filter((_, at) => at > 0 && !one.staying.includes(at)));
        this.#world = this.#facts.filter((fact) => !removed.has(fact));
      }
    }
    this.#meet();
    await this.#cluster.become(all());
    // What a pod got is taken from names within a second.
    await this.#elapse(1);
    return 0;
  }

  async #elapse(seconds: number): Promise<void> {
    this.#remembered.elapse(seconds);
    await this.#cluster.learn((names) => {
      names.elapse(seconds);
    });
  }

  #meet(): void {
    const patterns = patternsIn(this.#policies).map(({ text, isText }) => patternOf(text, isText));
    this.#remembered.meet(sorted(this.#world), patterns);
  }

  #judge(): readonly string[] {
    const here = new Set<WorldObject>(this.#world);
    const isHere = (end: Probe["connection"]["from"]) => end.pod === null || here.has(end.pod);
    const reading = { ...rightReading, leads: () => true };
    const objects = writtenOut([...this.#world, ...this.#policies], this.#remembered.answers, reading);
    const meaning = meaningOf(objects, { installed: namesDialects });
    const rows = this.#cluster.rows();
    const faults: string[] = [];
    const verdicts = this.#probes.map((probe) => {
      const { from, to } = probe.connection;
      const meant = isHere(from) && isHere(to) ? meaning.opinion(probe.connection) : null;
      if (meant === null) return "";
      this.#tally.judged++;
      const { verdict } = evaluateRows(rows, rowConnectionOf(probe));
      if ((verdict === "deny" ? "drop" : verdict) !== meant.verdict)
        faults.push(`${probeText(probe)}\n  policies: ${opinionText(meant)}\n  rows:     ${verdict}`);
      return meant.verdict;
    });
    const isTurned = (verdict: string, at: number) => {
      const before = this.#verdicts[at] ?? "";
      return verdict !== "" && before !== "" && verdict !== before;
    };
    this.#tally.turned += verdicts.filter(isTurned).length;
    this.#verdicts = verdicts;
    return faults;
  }
}

function textOf({ objects, policies, addressSets, steps, salt }: NamesWalk): string {
  const world = worldText({ objects: [...objects, ...policies], salt });
  const texts = steps.map((one) => {
    if (one.kind === "policies") return `policies: ${worldText({ objects: one.policies, salt })}`;
    return JSON.stringify(one);
  });
  return [`address sets: ${addressSets}`, world, ...texts].join("\n");
}
