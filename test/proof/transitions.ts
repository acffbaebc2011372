// Walks from world to world over the same pods in the same places: labels of namespaces, pods and nodes and whole policies
// change at once, between any two steps the controller may be restarted, with either form of named ports. Whatever is committed on the way, no packet has a
// verdict that neither the world before nor the world after gives it.

import fc from "fast-check";
import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { openTracer } from "../../src/sandbox/trace.ts";
import type { NamedPortForm } from "../../src/nbdb/render.ts";
import { namedPortForms } from "../../src/nbdb/render.ts";
import type { Cluster } from "./cluster.ts";
import type { Meaning, Opinion } from "./judges.ts";
import { meaningOf, opinionOfOvn, opinionText } from "./judges.ts";
import type { Probe } from "./packets.ts";
import { probesOf, probeText } from "./packets.ts";
import type { ProofWorld } from "./worlds.ts";
import { proofWorld, sorted, worldText } from "./worlds.ts";

interface Walk {
  readonly first: ProofWorld;
  readonly steps: readonly {
    readonly objects: readonly WorldObject[];
    readonly restart: NamedPortForm | null;
  }[];
}

export interface WalkTally {
  steps: number;
  transactions: number;
  packets: number;
}

/** Packets among which those of a walk are chosen, and how many are: first those whose verdict a step changes. */
const candidates = 600;
const packetsPerState = 40;

/** The second world, with the pods and node addresses of the first. */
function movedTo(first: ProofWorld, second: ProofWorld): readonly WorldObject[] {
  const [here, there] = [sorted(first.objects), sorted(second.objects)];
  const labelsOf = <T extends PodFact | NodeFact>(fact: T, others: readonly T[], at: number): T => ({
    ...fact,
    labels: others[at % Math.max(1, others.length)]?.labels ?? fact.labels,
  });
  return [
    ...there.namespaces.values(),
    ...here.nodes.map((fact, at) => labelsOf(fact, there.nodes, at)),
    ...here.pods.map((fact, at) => labelsOf(fact, there.pods, at)),
    ...there.policies,
  ];
}

export const walk: fc.Arbitrary<Walk> = fc
  .tuple(
    proofWorld,
    fc.array(fc.tuple(proofWorld, fc.option(fc.constantFrom(...namedPortForms), { freq: 1 })), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([first, others]) => ({
    first,
    steps: others.map(([other, restart]) => ({ objects: movedTo(first, other), restart })),
  }))
  .map((made) => ({ ...made, [fc.toStringMethod]: () => walkText(made) }));

function walkText({ first, steps }: Walk): string {
  const text = steps.map(
    ({ objects, restart }) =>
      `${restart === null ? "EDIT" : `RESTART with named ports as ${restart}`} ${worldText({ objects, salt: first.salt })}`,
  );
  return [worldText(first), ...text].join("\n");
}

/** Throws at the first committed state in which a packet's verdict is neither the old nor the new world's. */
export async function follow(cluster: Cluster, { first, steps }: Walk, tally: WalkTally): Promise<void> {
  await cluster.connect(first.objects);
  await cluster.become(first.objects);
  const probes = probesOf(first, candidates);
  let before = meaningOf(first.objects);
  const faults: string[] = [];
  try {
    for (const { objects, restart } of steps) {
      const after = meaningOf(objects);
      const judged = packetsOf(probes, before, after);
      let transactions = 0;
      // What is thrown in there would end the controller; it is told when the step is done.
      cluster.committed = async () => {
        transactions++;
        tally.transactions++;
        const found = await faultsOf(cluster, judged, tally);
        faults.push(
          ...found.map(
            (fault) =>
              `after transaction ${transactions} of a ${restart === null ? "edit" : "restart"}: ${fault}`,
          ),
        );
      };
      await (restart === null ? cluster.become(objects) : cluster.restart(objects, restart));
      // At rest only the new world's verdicts are right.
      const final = judged.map(({ probe, allowed }) => ({ probe, allowed: allowed.slice(1) }));
      const atRest = await faultsOf(cluster, final, tally);
      faults.push(...atRest.map((fault) => `at rest: ${fault}`));
      tally.steps++;
      if (faults.length > 0) throw new Error(faults.slice(0, 5).join("\n"));
      before = after;
    }
  } finally {
    cluster.committed = async () => {};
  }
}

interface Judged {
  readonly probe: Probe;
  /** The old world's opinion, then the new one's. */
  readonly allowed: readonly Opinion[];
}

function packetsOf(probes: readonly Probe[], before: Meaning, after: Meaning): readonly Judged[] {
  const judged = probes.flatMap((probe) => {
    const [old, next] = [before.opinion(probe.connection), after.opinion(probe.connection)];
    return old === null || next === null ? [] : [{ probe, allowed: [old, next] as const }];
  });
  const changes = ({ allowed: [old, next] }: (typeof judged)[number]) => old.verdict !== next.verdict;
  // Those that keep their verdict show a gap or a hole on the way, the others a step that never arrives.
  const [moved, kept] = [judged.filter(changes), judged.filter((one) => !changes(one))];
  const ruled = kept.toSorted((a, b) => b.allowed[0].rules.length - a.allowed[0].rules.length);
  return [...moved.slice(0, packetsPerState / 4), ...ruled].slice(0, packetsPerState);
}

async function faultsOf(
  cluster: Cluster,
  judged: readonly Judged[],
  tally: WalkTally,
): Promise<readonly string[]> {
  const tracer = await openTracer(cluster.ovn, { newConnections: 40 + judged.length * 8 });
  const faults: string[] = [];
  try {
    for (const { probe, allowed } of judged) {
      const seen = await opinionOfOvn(tracer, probe);
      tally.packets++;
      if (allowed.some(({ verdict }) => verdict === seen.verdict)) continue;
      const expected = allowed.map(opinionText).join(" or ");
      faults.push(`${probeText(probe)}\n  policies: ${expected}\n  OVN:      ${opinionText(seen)}`);
    }
  } finally {
    await tracer.close();
  }
  return faults;
}
