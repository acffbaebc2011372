// World after world set up on one cluster and judged twice, packet by packet. The controller goes on from world to world, so
// its rows come to be by edits; what is judged depends on the last world alone.

import type { NamedPortForm } from "../../src/nbdb/render.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { openTracer, parseErrors } from "../../src/sandbox/trace.ts";
import { Cluster } from "./cluster.ts";
import type { Opinion } from "./judges.ts";
import { meaningOf, opinionOfOvn, opinionText, sameOpinion } from "./judges.ts";
import type { Probe } from "./packets.ts";
import { probesOf, probeText } from "./packets.ts";
import type { ProofWorld } from "./worlds.ts";

/** Packets of a world that are judged. */
const packetsPerWorld = 128;
/** Those among which they are chosen, so that every chain of rules that packets meet is walked. */
const candidates = 1200;
/** Connection states that one trace takes: two for each of two switches, and room. */
const statesPerTrace = 8;
/** Every so many worlds a fresh ovn-trace parses every expression and is heard; northd's log tells of all worlds. */
const parsedEvery = 10;
const faultsTold = 5;
/** How long a fault is made smaller. */
const shrinkingMs = 60_000;

export interface Tally {
  worlds: number;
  packets: number;
  /** Packets that two policies of one priority contest, among all that could have been chosen. */
  contested: number;
  dropped: number;
  /** Packets that met a rule at all. */
  ruled: number;
  /** Packets that met three rules or more: passes, and both sides. */
  chained: number;
}

/** The judges disagree, or OVN complains: says all a person needs to look at it. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";
}

interface Judged {
  readonly probe: Probe;
  readonly meant: Opinion;
}

export class Laboratory {
  readonly tally: Tally = { worlds: 0, packets: 0, contested: 0, dropped: 0, ruled: 0, chained: 0 };
  readonly #cluster: Cluster;
  /** When the first fault was found: worlds after that are attempts to make it smaller. */
  #failedAt: number | null = null;

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  static async open(namedPorts: NamedPortForm): Promise<Laboratory> {
    return new Laboratory(await Cluster.open(namedPorts));
  }

  get ovn(): Ovn {
    return this.#cluster.ovn;
  }

  close(): Promise<void> {
    return this.#cluster.close();
  }

  /** What northd said about expressions since it was started. */
  complaints(): readonly string[] {
    return this.#cluster.complaints();
  }

  /** Throws a Disagreement with the first packets on which the judges differ. */
  async prove(world: ProofWorld): Promise<void> {
    if (this.#failedAt !== null && performance.now() - this.#failedAt > shrinkingMs) return;
    await this.#cluster.connect(world.objects);
    await this.#cluster.become(world.objects);
    const judged = this.#judgeAll(world);
    // A world that is being made smaller must not lose the packet that showed the fault.
    const faults = await this.#differences(this.#failedAt === null ? choose(judged) : judged);
    if (this.#failedAt === null) this.tally.worlds++;
    if (this.tally.worlds % parsedEvery === 1) faults.unshift(...(await parseErrors(this.ovn)));
    if (faults.length === 0) return;
    this.#failedAt ??= performance.now();
    throw new Disagreement(faults.join("\n"));
  }

  #judgeAll(world: ProofWorld): readonly Judged[] {
    const meaning = meaningOf(world.objects);
    return probesOf(world, candidates).flatMap((probe) => {
      const meant = meaning.opinion(probe.connection);
      if (meant === null && this.#failedAt === null) this.tally.contested++;
      return meant === null ? [] : [{ probe, meant }];
    });
  }

  async #differences(judged: readonly Judged[]): Promise<string[]> {
    const tracer = await openTracer(this.ovn, { newConnections: 40 + judged.length * statesPerTrace });
    const found: string[] = [];
    try {
      for (const { probe, meant } of judged) {
        const seen = await opinionOfOvn(tracer, probe);
        if (this.#failedAt === null) this.#count(meant);
        if (sameOpinion(meant, seen)) continue;
        found.push(
          `${probeText(probe)}\n  policies: ${opinionText(meant)}\n  OVN:      ${opinionText(seen)}`,
        );
        if (found.length === faultsTold) break;
      }
    } finally {
      await tracer.close();
    }
    return found;
  }

  #count({ verdict, rules }: Opinion): void {
    this.tally.packets++;
    if (verdict === "drop") this.tally.dropped++;
    if (rules.length > 0) this.tally.ruled++;
    if (rules.length > 2) this.tally.chained++;
  }
}

/** Half of them from every chain of rules in turn, half as they were drawn. */
function choose(judged: readonly Judged[]): readonly Judged[] {
  const chains = [...Map.groupBy(judged, ({ meant }) => opinionText(meant)).values()];
  const chosen = new Set<Judged>();
  for (let at = 0; chosen.size < Math.min(packetsPerWorld / 2, judged.length); at++) {
    for (const chain of chains) {
      const one = chain[at];
      if (one !== undefined && chosen.size < packetsPerWorld / 2) chosen.add(one);
    }
  }
  for (const one of judged) if (chosen.size < packetsPerWorld) chosen.add(one);
  return [...chosen];
}
