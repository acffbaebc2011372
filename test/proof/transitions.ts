// Walks from world to world, each step a named kind of change brought to the controller in a named manner. Whatever is
// committed on the way, no packet has a verdict that neither the world before nor the world after gives it; at rest it has
// the new one's.

import fc from "fast-check";
import type { WorldObject } from "../../src/model/object.ts";
import type { AddressSetForm, NamedPortForm } from "../../src/nbdb/rows/render-mode.ts";
import { addressSetForms, namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import { isPod } from "../../src/model/object.ts";
import { openTracer, Tracer } from "../../tools/sandbox/trace.ts";
import { pickBy } from "./changes.ts";
import type { Cluster } from "./cluster.ts";
import type { Compared, Stage } from "./compared.ts";
import { comparedIn } from "./compared.ts";
import type { Opinion } from "./judges.ts";
import { antreaDialects } from "./antrea-policies.ts";
import type { Ground } from "./grounds.ts";
import { plain } from "./grounds.ts";
import { opinionOfOvn, opinionText } from "./judges.ts";
import { probeText } from "./packets.ts";
import type { Moment } from "./severed.ts";
import { moments } from "./severed.ts";
import type { ProofWorld } from "./worlds.ts";
import { worldText } from "./worlds.ts";

/** Walks are among policies of every kind. */
export const installed = antreaDialects;

/** The world stays as it is: of a restart in another form. */
export const stays = "the world stays";

/**
 * How a new world reaches the controller: as edits; while it is down; while it is down and comes back with address sets in
 * the other form; while the database is down; or as the database falls.
 */
export type Manner = "edit" | "restart" | "other sets" | "away" | Moment;
export const outages = ["away", ...moments] as const satisfies readonly Manner[];

interface Step {
  readonly kind: string;
  readonly manner: Manner;
  /** Of the controller from the next restart on. */
  readonly namedPorts: NamedPortForm;
  readonly objects: readonly WorldObject[];
}

interface Walk {
  readonly first: ProofWorld;
  /** Of its first world. */
  readonly addressSets: AddressSetForm;
  readonly steps: readonly Step[];
}

export interface WalkTally {
  steps: number;
  transactions: number;
  /** States found by a controller whose connection came back. */
  found: number;
  packets: number;
  /** Packets that both worlds give one verdict by different rules. */
  handedOver: number;
  /** Packets that the worlds give different verdicts. */
  turned: number;
}

export function newTally(): WalkTally {
  return { steps: 0, transactions: 0, found: 0, packets: 0, handedOver: 0, turned: 0 };
}

/** Walks with a step or more, each of one of the kinds and in one of the manners. */
export function walks(
  kinds: readonly string[],
  manners: readonly Manner[],
  { changes: known, worlds: world, mustTell }: Ground = plain,
): fc.Arbitrary<Walk> {
  const draw = fc.record({
    kind: fc.constantFrom(...kinds),
    manner: fc.constantFrom(...manners),
    namedPorts: fc.constantFrom(...namedPortForms),
    material: world,
    rolls: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  });
  return fc
    .tuple(world, fc.constantFrom(...addressSetForms), fc.array(draw, { minLength: 1, maxLength: 2 }))
    .map(([first, addressSets, drawn]) => {
      let now = first.objects;
      const steps = drawn.flatMap(({ kind, manner, namedPorts, material, rolls }) => {
        const worlds = kind === stays ? [now] : (known[kind]?.(now, material.objects, pickBy(rolls)) ?? []);
        now = worlds.at(-1) ?? now;
        return worlds.map((objects) => ({ kind, manner, namedPorts, objects }));
      });
      return { first, addressSets, steps };
    })
    .filter((walk) => walk.steps.length > 0 && (!mustTell || tells(walk)))
    .map((made) => ({ ...made, [fc.toStringMethod]: () => walkText(made) }));
}

function tells({ first, steps }: Walk): boolean {
  const worlds = [first.objects, ...steps.map(({ objects }) => objects)];
  return steps.some(({ objects: after }, at) => {
    const before = worlds[at] ?? [];
    const compared = comparedIn({
      ...{ before, ports: after, after, salt: first.salt + at, installed },
      candidates: 100,
    });
    return compared.some(({ fate }) => fate === "turned");
  });
}

function walkText({ first, addressSets, steps }: Walk): string {
  const text = steps.map(
    ({ kind, manner, namedPorts, objects }) =>
      `${kind}, ${manner}, named ports as ${namedPorts}: ${worldText({ objects, salt: first.salt })}`,
  );
  return [`address sets: ${addressSets}`, worldText(first), ...text].join("\n");
}

/** Throws at the end of the first step in which a packet had a verdict that it must not have. */
export async function follow(
  cluster: Cluster,
  { first, addressSets, steps }: Walk,
  tally: WalkTally,
): Promise<void> {
  await cluster.connect(first.objects);
  if (cluster.addressSets === addressSets) await cluster.become(first.objects);
  else await cluster.restart(first.objects, { addressSets });
  let before = first.objects;
  for (const [at, step] of steps.entries()) {
    const passage = new Passage(cluster, before, step, first.salt + at, tally);
    const faults = await passage.go();
    if (faults.length > 0) throw new Error(faults.slice(0, 5).join("\n"));
    before = step.objects;
  }
}

/** One step on its way. */
class Passage {
  readonly #cluster: Cluster;
  readonly #step: Step;
  readonly #tally: WalkTally;
  readonly #ports: readonly WorldObject[];
  readonly #compared: readonly Compared[];
  readonly #faults: string[] = [];
  #stage: Stage = "ports";
  #states = 0;
  /** What the packets met in the state that the database is still in. */
  #seen: ReadonlyMap<Compared, Opinion> | null = null;

  constructor(cluster: Cluster, before: readonly WorldObject[], step: Step, salt: number, tally: WalkTally) {
    this.#cluster = cluster;
    this.#step = step;
    this.#tally = tally;
    this.#ports = portsBetween(before, step.objects);
    this.#compared = comparedIn({ before, ports: this.#ports, after: step.objects, salt, installed });
  }

  async go(): Promise<readonly string[]> {
    // What is thrown in there would end the controller; it is told when the step is done.
    this.#cluster.committed = (state) => this.#look(state);
    try {
      await this.#take();
      this.#stage = "rest";
      // A pod's port goes after the controller was told of the pod.
      if (await this.#cluster.connect(this.#step.objects)) this.#seen = null;
      this.#seen ??= await this.#observe();
      this.#judge(this.#seen, "at rest");
    } finally {
      this.#cluster.committed = async () => {};
    }
    this.#tally.steps++;
    this.#tally.handedOver += this.#compared.filter(({ fate }) => fate === "handed over").length;
    this.#tally.turned += this.#compared.filter(({ fate }) => fate === "turned").length;
    return this.#faults;
  }

  async #take(): Promise<void> {
    const { manner, objects, namedPorts } = this.#step;
    const ports = () => this.#cluster.connect(this.#ports);
    if (manner === "restart" || manner === "other sets") {
      this.#stage = "way";
      const now = this.#cluster.addressSets;
      const addressSets = manner === "restart" ? now : now === "rule" ? "shared" : "rule";
      await this.#cluster.restart(objects, { whileDown: ports, namedPorts, addressSets });
      return;
    }
    await ports();
    this.#stage = "way";
    // A transaction whose answer is lost is not told.
    this.#seen = null;
    if (manner === "edit") await this.#cluster.become(objects);
    else if (manner === "away") await this.#cluster.becomeAway(objects);
    else await this.#cluster.becomeSevered(objects, manner);
  }

  async #look(state: "landed" | "found"): Promise<void> {
    this.#states++;
    this.#tally[state === "landed" ? "transactions" : "found"]++;
    this.#seen = await this.#observe();
    this.#judge(this.#seen, `in state ${this.#states}, ${state}`);
  }

  async #observe(): Promise<ReadonlyMap<Compared, Opinion>> {
    const { ovn } = this.#cluster;
    await ovn.sync();
    // Verdicts alone are compared, so the rows behind them need not be listed.
    const options = { newConnections: 40 + this.#compared.length * 8 };
    const tracer = new Tracer(ovn, new Map(), options);
    const seen = await opinionsBy(tracer, this.#compared);
    this.#tally.packets += seen.size;
    if (![...seen].some(([one, opinion]) => isFault(one, this.#stage, opinion))) return seen;
    return opinionsBy(await openTracer(ovn, options), this.#compared);
  }

  #judge(seen: ReadonlyMap<Compared, Opinion>, when: string): void {
    for (const [one, opinion] of seen) {
      if (!isFault(one, this.#stage, opinion)) continue;
      const expected = one.allowed[this.#stage].map(opinionText).join(" or ");
      this.#faults.push(
        `${this.#step.kind}, ${this.#step.manner}, ${when}: ${probeText(one.probe)}\n` +
          `  policies: ${expected}\n  OVN:      ${opinionText(opinion)}`,
      );
    }
  }
}

function isFault({ allowed }: Compared, stage: Stage, seen: Opinion): boolean {
  return allowed[stage].length > 0 && allowed[stage].every(({ verdict }) => verdict !== seen.verdict);
}

async function opinionsBy(
  tracer: Tracer,
  compared: readonly Compared[],
): Promise<ReadonlyMap<Compared, Opinion>> {
  const seen = new Map<Compared, Opinion>();
  try {
    for (const one of compared) seen.set(one, await opinionOfOvn(tracer, one.probe));
  } finally {
    await tracer.close();
  }
  return seen;
}

/** A pod's port is there before the controller hears of the pod, and goes after; but no address is given twice. */
function portsBetween(before: readonly WorldObject[], after: readonly WorldObject[]): readonly WorldObject[] {
  const coming = after.filter(isPod);
  const names = new Set(coming.map(({ namespace, name }) => `${namespace}/${name}`));
  const held = new Set(coming.flatMap(({ ips }) => ips));
  const going = before
    .filter(isPod)
    .filter(
      ({ namespace, name, ips }) => !names.has(`${namespace}/${name}`) && ips.every((one) => !held.has(one)),
    );
  return [...after, ...going];
}
