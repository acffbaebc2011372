// The lines of a plan in random worlds of pods and workloads, with many edits at once: each changed connection is in one line, the
// numbers in the texts are those of its ends, and the edits that a cause names do change the verdict, says the judge.

import { isDeepStrictEqual } from "node:util";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { deploymentOf } from "../../../test/support/facts.ts";
import type { IrWorld } from "../../../test/support/ir.ts";
import { declaring, factsIn, irPolicies, irWorlds } from "../../../test/support/ir.ts";
import { usualNeeds } from "../../analysis/needs.ts";
import { refText } from "../../analysis/ref.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { PodFact } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import { parseIp } from "../../model/ip.ts";
import type { Fact } from "../../model/object.ts";
import type { Connection, End } from "../../policy/evaluate.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import { directions, policyKey } from "../../policy/ir.ts";
import { outcomesOn } from "../../policy/ties.ts";
import type { SampleEnd } from "../../verdicts/comparison.ts";
import type { Age, Both } from "../../verdicts/worlds.ts";
import { both } from "../../verdicts/worlds.ts";
import { judged } from "../judged.ts";
import type { ObjectChanges, VerdictClass } from "../report.ts";
import type { Decided } from "../shown-classes.ts";
import type { PlanWorld } from "../world.ts";
import { Causes } from "./causes.ts";
import type { DrawnEnds } from "./drawn.ts";
import { Edits } from "./edits.ts";
import { linesOf, summaryOf } from "./summary.ts";

const namer = () =>
  ({ direction: "egress", index: 0, name: "", action: "allow", word: "Allow", place: null }) as const;
const namers = both(() => namer);

/** What becomes of each policy. */
const fates = ["kept", "kept", "added", "removed", "changed"] as const;
interface Drawn {
  readonly here: IrWorld;
  readonly all: readonly Policy[];
  readonly fate: readonly (typeof fates)[number][];
}
const drawn: fc.Arbitrary<Drawn> = fc.record({
  here: irWorlds.map(declaring),
  all: fc
    .tuple(irPolicies, irPolicies)
    .map(([some, more]) => [...some, ...more].map((policy, at) => named(policy, `p${at}`))),
  fate: fc.array(fc.constantFrom(...fates), { minLength: 8, maxLength: 8 }),
});

function named(policy: Policy, name: string): Policy {
  const ref = { ...policy.ref, name };
  return { ...policy, ref, key: policyKey(ref) };
}

/** It says the opposite. */
function changed(policy: Policy): Policy {
  const rules = (direction: Direction) =>
    policy.rules[direction].map((rule) => ({
      ...rule,
      action: rule.action === "allow" ? ("deny" as const) : ("allow" as const),
    }));
  return { ...policy, rules: { ingress: rules("ingress"), egress: rules("egress") } };
}

interface Case {
  readonly worlds: Both<PlanWorld>;
  readonly facts: FactStore;
  readonly edits: ObjectChanges;
  /** By the text of its reference. */
  readonly policies: ReadonlyMap<string, Both<Policy | null>>;
}

function caseOf({ here: { world, pods }, all, fate }: Drawn, isOfWorkloads: boolean): Case {
  const isThere = (_: PodFact, at: number): boolean => !isOfWorkloads || at % 2 === 0;
  const workloads = pods.filter((one, at) => !isThere(one, at)).map(deploymentOf);
  const facts = new FactStore();
  const given: readonly Fact[] = [...factsIn(world), ...pods.filter(isThere)];
  for (const fact of given) facts.put(fact);
  const policies = new Map(
    all.map((policy, at): [string, Both<Policy | null>] => {
      const own = fate[at] ?? "kept";
      const next = own === "changed" ? changed(policy) : policy;
      return [
        refText(policy.ref),
        { old: own === "added" ? null : policy, new: own === "removed" ? null : next },
      ];
    }),
  );
  const refs = (of: string) => all.filter((_, at) => fate[at] === of).map(({ ref }) => ref);
  return {
    facts,
    worlds: both((age) => ({ facts, workloads, policies: policiesOf(policies, () => age) })),
    edits: {
      added: refs("added"),
      removed: refs("removed"),
      changed: refs("changed").map((ref) => ({ ...ref, fields: [] })),
    },
    policies,
  };
}

function policiesOf(all: Case["policies"], ageOf: (name: string) => Age): readonly Policy[] {
  return [...all].flatMap(([name, one]) => one[ageOf(name)] ?? []);
}

/** Every pair of ends of the classes with its change: a pod and itself is none. */
function pairsOf(of: VerdictClass, from: DrawnEnds, to: DrawnEnds): readonly string[] {
  const names = ({ pods, workloads, addresses }: DrawnEnds) => [
    ...pods,
    ...workloads.map(refText),
    ...addresses,
  ];
  const change = JSON.stringify([of.old, of.new, of.families, of.traffic]);
  const isPod = (name: string, { pods }: DrawnEnds): boolean => pods.some((key) => key === name);
  return names(from).flatMap((source) =>
    names(to)
      .filter((target) => target !== source || !isPod(target, to))
      .map((target) => `${change} ${source} ${target}`),
  );
}

test.each([false, true])("each changed connection is in one line; with workloads: %s", (isOfWorkloads) => {
  const seen = { lines: 0, workloads: 0, several: 0 };
  fc.assert(
    fc.property(drawn, (one) => {
      const { worlds, facts, edits } = caseOf(one, isOfWorkloads);
      const judgement = judged(worlds, namers);
      const { classes } = judgement;
      const lines = linesOf(judgement, worlds);
      const expected = classes.flatMap((each) => pairsOf(each, each.from, each.to));
      const found = lines.flatMap(({ drawn: list }) =>
        list.flatMap((each) => pairsOf(each.class, each.from, each.to)),
      );
      expect(found.toSorted()).toEqual(expected.toSorted());
      const summary = summaryOf(judgement, {
        ...{ worlds, facts, needs: usualNeeds },
        edits: new Edits(
          edits,
          both(() => () => null),
        ),
      });
      expect(new Set(summary.flatMap((line) => line.classes))).toEqual(new Set(classes.keys()));
      const ranks = summary.map(({ change }) => ["denied", "allowed", "unknown"].indexOf(change));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      for (const line of lines) expect(wrongNumbers(line)).toEqual([]);
      seen.lines += lines.length;
      seen.several += lines.filter((line) => line.drawn.length > 1).length;
      seen.workloads += classes.filter(
        ({ from, to }) => from.workloads.length + to.workloads.length > 0,
      ).length;
    }),
    { numRuns: 80 },
  );
  expect(seen.lines).toBeGreaterThan(50);
  if (isOfWorkloads) expect(seen.workloads).toBeGreaterThan(20);
});

/** "all 3 pods of 2 namespaces", "both pods", "4 pods of 3 namespaces", "all 4 workloads of 4 namespaces": of a text of nothing else. */
function wrongNumbers({ drawn: list, from, to }: ReturnType<typeof linesOf>[number]): readonly string[] {
  return (["from", "to"] as const).flatMap((role) => {
    const text = { from, to }[role];
    const pods = new Set(list.flatMap((one) => one[role].pods));
    const made = new Map(list.flatMap((one) => one[role].workloads).map((one) => [refText(one), one]));
    const isOfWorkloads = text.includes(" workloads of ");
    const homes = new Set(
      isOfWorkloads
        ? Array.from(made.values(), ({ namespace }) => namespace)
        : Array.from(pods, (key) => key.slice(0, key.indexOf("/"))),
    );
    const [, said] =
      /^(?:all )?(\d+) (?:pods|workloads)(?: of (?:\w+|\d+ namespaces))?(?:, \S+ among them)?$/.exec(text) ??
      [];
    const [, spaces] = / of (\d+) namespaces$/.exec(text) ?? [];
    const isRight =
      (said === undefined || Number(said) === (isOfWorkloads ? made.size : pods.size)) &&
      (!text.startsWith("both pods") || text.includes(" and ") || pods.size === 2) &&
      (spaces === undefined || text.includes(" and ") || Number(spaces) === homes.size);
    return isRight ? [] : [`${text}: ${[...pods].join()}`];
  });
}

test("the edits that a cause names change the verdict", () => {
  const seen = { undone: 0, none: 0 };
  fc.assert(
    fc.property(drawn, (one) => {
      const { worlds, edits, policies } = caseOf(one, false);
      const causes = new Causes(
        new Edits(
          edits,
          both(() => () => null),
        ),
      );
      const { classes, decidersOf } = judged(worlds, namers);
      for (const each of classes) {
        const connection = connectionOf(each, worlds.new.facts);
        const isExample = ({ ends, by }: Decided): boolean =>
          isDeepStrictEqual(by, each.by) &&
          isAt(ends.from, connection?.from) &&
          isAt(ends.to, connection?.to);
        const first = decidersOf(each, 200).decided.find(isExample);
        if (connection === null || first === undefined) continue;
        const [cause] = causes.of([first]);
        const names = new Set(cause?.edits.map(({ object }) => refText(object)));
        if (names.size === 0) seen.none++;
        else
          expect([each.by, whatItChanges(connection, names, policies, worlds, seen)]).toEqual([each.by, []]);
      }
    }),
    { numRuns: 150 },
  );
  expect(seen.undone).toBeGreaterThan(50);
});

/**
 * The sides that differ although the edits are undone, and although nothing else is edited: either shows that an edit is the cause,
 * since a rule that was removed may have others behind it, and one that was added others before it.
 */
function whatItChanges(
  connection: Connection,
  names: ReadonlySet<string>,
  policies: Case["policies"],
  worlds: Both<PlanWorld>,
  seen: { undone: number },
): readonly Direction[] {
  const verdictOn = (direction: Direction, ageOf: (name: string) => Age): string =>
    [...outcomesOn(direction, connection, worlds.new.facts, policiesOf(policies, ageOf)).verdicts]
      .sort()
      .join();
  return directions.filter((direction) => {
    const verdicts = both((age) => verdictOn(direction, () => age));
    if (verdicts.old === verdicts.new) return false;
    const isUndone = verdictOn(direction, (name) => (names.has(name) ? "old" : "new")) === verdicts.old;
    const isAlone = verdictOn(direction, (name) => (names.has(name) ? "new" : "old")) === verdicts.new;
    if (isUndone) seen.undone++;
    return !isUndone && !isAlone;
  });
}

/** null: the example of ICMP does not say its type. */
function connectionOf({ example }: VerdictClass, facts: PlanWorld["facts"]): Connection | null {
  const { from, to, protocol, port, sourcePort } = example;
  if (protocol === "icmp") return null;
  const end = (text: string): End => {
    const [name = "", address] = text.split("@");
    const pod = [...facts.pods].find(([key]) => key === name)?.[1] ?? null;
    const ip = parseIp(address ?? pod?.ips[0] ?? text);
    if (ip === null) throw new Error(`not an end: ${text}`);
    return { ip, pod };
  };
  const isNamed = protocol === "tcp" || protocol === "udp" || protocol === "sctp";
  return {
    ...{ from: end(from), to: end(to), protocol: isNamed ? protocol : Number(protocol), port: port ?? 0 },
    ...(sourcePort === undefined ? {} : { sourcePort }),
  };
}

function isAt(sample: SampleEnd, end: End | undefined): boolean {
  const pod = end?.pod ?? null;
  if (pod === null || sample === null) return pod === null && sample === null;
  return !("workload" in sample) && sample.key === podKey(pod.namespace, pod.name);
}
