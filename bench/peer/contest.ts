// One workload with the peer, and the controller beside its floor in each form of rows: cold starts, then the same events. One
// after the other on databases of their own; who is first alternates.

import { scenarios } from "../events/catalogue.ts";
import type { Step } from "../events/step.ts";
import { Arena } from "../run/arena.ts";
import type { BenchOptions } from "../run/bench.ts";
import { floorCold, type OursCold, oursCold } from "../run/cold.ts";
import { type Measurement } from "../run/measurement.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { type Mode, renderingOf } from "../workloads/rendering.ts";
import { type PeerCold, PeerContestant, type PeerEvent } from "./contestant.ts";

export interface FormCold {
  readonly ours: OursCold;
  /** The better of the floor's ways. */
  readonly floorMs: number;
}

export interface ContestCold {
  readonly peer: PeerCold;
  readonly forms: Readonly<Record<string, FormCold>>;
}

export interface ContestEvent {
  readonly peer: PeerEvent;
  readonly forms: Readonly<Record<string, Measurement>>;
}

export interface ContestResult {
  readonly workload: Workload;
  readonly modes: readonly Mode[];
  readonly cold: readonly ContestCold[];
  /** By kind, in their order. */
  readonly events: Readonly<Record<string, readonly ContestEvent[]>>;
}

/** Of one workload; `runs` differ in their mode alone. */
export async function contest(
  program: string,
  runs: readonly BenchOptions[],
  tell: (line: string) => void,
): Promise<ContestResult> {
  const [options] = runs;
  if (options === undefined) throw new Error("a contest of no form of rows");
  const { workload, coldStarts } = options;
  const cold: ContestCold[] = [];
  for (let round = 1; ; round++) {
    tell(
      `${workload.name}: cold start ${round} of ${coldStarts}, building the world ${runs.length + 1} times`,
    );
    const ring = await Ring.open(program, options, runs);
    try {
      const told = (line: string) => {
        tell(`${workload.name}: ${line}`);
      };
      cold.push(await ring.cold(round % 2 === 0, told));
      if (round < coldStarts) continue;
      const modes = runs.map(({ mode }) => mode);
      return { workload, modes, cold, events: await events(ring, options, tell) };
    } finally {
      await ring.close();
    }
  }
}

async function events(
  ring: Ring,
  { workload, repetitions, largest, events: names }: BenchOptions,
  tell: (line: string) => void,
): Promise<Readonly<Record<string, readonly ContestEvent[]>>> {
  const measured = new Map<string, ContestEvent[]>();
  const scene = { workload, world: ring.world, repetitions, largest };
  for (const step of names
    .flatMap((name) => scenarios[name] ?? [])
    .flatMap((scenario) => [...scenario(scene)])) {
    const event = await ring.perform(step);
    if (step.kind === null) continue;
    const list = measured.get(step.kind) ?? [];
    if (list.length === 0) tell(`${workload.name}: ${step.kind}`);
    measured.set(step.kind, [...list, event]);
  }
  return Object.fromEntries(measured);
}

/** All contestants of one round. */
class Ring {
  readonly #arenas: ReadonlyMap<Mode, Arena>;
  readonly #peer: PeerContestant;
  #turn = 0;

  private constructor(arenas: ReadonlyMap<Mode, Arena>, peer: PeerContestant) {
    this.#arenas = arenas;
    this.#peer = peer;
  }

  static async open(program: string, options: BenchOptions, runs: readonly BenchOptions[]): Promise<Ring> {
    const { workload, patienceMs } = options;
    const arenas = new Map<Mode, Arena>();
    try {
      for (const { mode } of runs) {
        const rendering = renderingOf(mode, workload.kind);
        arenas.set(mode, await Arena.open({ workload, rendering, patienceMs }));
      }
      return new Ring(arenas, await PeerContestant.open({ program, workload, patienceMs }));
    } catch (error) {
      for (const arena of arenas.values()) await arena.close();
      throw error;
    }
  }

  get world() {
    const [arena] = this.#arenas.values();
    if (arena === undefined) throw new Error("a contest of no form of rows");
    return arena.world;
  }

  cold(peerFirst: boolean, tell: (line: string) => void): Promise<ContestCold> {
    const form = async (arena: Arena): Promise<FormCold> => {
      tell("the controller and the floor start");
      const ours = await oursCold(arena);
      const { perPolicyMs, atOnceMs } = await floorCold(arena);
      return { ours, floorMs: Math.min(perPolicyMs, atOnceMs ?? Infinity) };
    };
    const peer = (): Promise<PeerCold> => {
      tell("the peer starts");
      return this.#peer.cold(tell);
    };
    return this.#inTurn(peer, form, peerFirst);
  }

  perform(step: Step): Promise<ContestEvent> {
    return this.#inTurn(
      () => this.#peer.perform(step),
      (arena) => arena.perform(step),
      this.#turn++ % 2 === 1,
    );
  }

  async close(): Promise<void> {
    await this.#peer.close();
    for (const arena of this.#arenas.values()) await arena.close();
  }

  async #inTurn<Peer, Form>(
    ofPeer: () => Promise<Peer>,
    ofForm: (arena: Arena) => Promise<Form>,
    peerFirst: boolean,
  ): Promise<{ readonly peer: Peer; readonly forms: Readonly<Record<string, Form>> }> {
    const early = peerFirst ? { peer: await ofPeer() } : null;
    const forms: Record<string, Form> = {};
    for (const [mode, arena] of this.#arenas) forms[mode] = await ofForm(arena);
    return { peer: early === null ? await ofPeer() : early.peer, forms };
  }
}
