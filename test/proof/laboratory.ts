// World after world set up on one cluster and judged five times, packet by packet. The controller goes on from world to
// world, so its rows come to be by edits; what is judged depends on the last world alone.

import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import type { ClusterOptions } from "./cluster.ts";
import { Cluster } from "./cluster.ts";
import { Dataplane } from "./dataplane.ts";
import { explainedOf } from "./explained.ts";
import { inTurn } from "./in-turn.ts";
import type { Hearing, Meaning, Opinion, Words } from "./judges.ts";
import { meaningOf, opinionOfOvn, opinionText } from "./judges.ts";
import { Neighbour } from "./neighbour.ts";
import type { Probe } from "./packets.ts";
import { probesOf } from "./packets.ts";
import { sits } from "./panel.ts";
import type { SampledChain } from "./samples.ts";
import { SamplesJudge } from "./samples.ts";
import { opinionsOfRows } from "./standing-judge.ts";
import type { Judged, Voices } from "./voices.ts";
import { agree, agreeOrStricter, faultText, isDropped } from "./voices.ts";
import type { ProofWorld } from "./worlds.ts";
import { ExistingReader } from "../support/existing.ts";

/** Packets of a world that are judged. */
const packetsPerWorld = 128;
/** Those among which they are chosen, so that every chain of rules that packets meet is walked. */
export const candidates = 1200;
/** Connection states that one trace takes: two for each of two switches, and room. */
const statesPerTrace = 8;
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
  /** Of these, packets whose samples were asked for the rules. */
  sampled: number;
  /** Packets that the rows drop and the policies allow, where rows may. */
  stricter: number;
}

/** The judges disagree, or OVN complains: says all a person needs to look at it. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";
}

interface Sitting {
  readonly cluster: Cluster;
  readonly dataplane: Dataplane | null;
  readonly standing: ExistingReader | null;
  readonly samples: SamplesJudge | null;
}

/** Those that are asked without a database. */
interface Heard {
  /** What `northgate explain` says of a packet. */
  readonly explained: Meaning;
  /** Where a witness says what is meant: the meaning of the policies as compiled. */
  readonly compiled: Meaning | null;
}

export class Laboratory {
  readonly tally: Tally = {
    worlds: 0,
    packets: 0,
    contested: 0,
    dropped: 0,
    ruled: 0,
    chained: 0,
    sampled: 0,
    stricter: 0,
  };
  readonly #cluster: Cluster;
  readonly #neighbour: Neighbour;
  readonly #judging: readonly Dialect[] | undefined;
  /** null: it does not sit. */
  readonly #dataplane: Dataplane | null;
  /** null: it does not sit. */
  readonly #standing: ExistingReader | null;
  /** null: rows have no samples. */
  readonly #samples: SamplesJudge | null;
  readonly #heard: string[] = [];
  /** When the first fault was found: worlds after that are attempts to make it smaller. */
  #failedAt: number | null = null;

  private constructor(
    { cluster, dataplane, standing, samples }: Sitting,
    { installed, judging = installed }: ClusterOptions,
  ) {
    this.#cluster = cluster;
    this.#standing = standing;
    this.#samples = samples;
    this.#judging = judging;
    this.#neighbour = new Neighbour(cluster.ovn, cluster.zone);
    this.#dataplane = dataplane;
  }

  /** Throws ChassisMissingError where the OVN has no dataplane. */
  static async open(options: ClusterOptions = {}): Promise<Laboratory> {
    const cluster = await Cluster.open(options);
    let standing: ExistingReader | null = null;
    try {
      standing = sits("rows") ? await ExistingReader.open(cluster.ovn.nb) : null;
      const dataplane = sits("dataplane") ? await Dataplane.open(cluster.ovn) : null;
      const isSampled = options.sampling !== undefined && dataplane !== null;
      const samples = isSampled ? await SamplesJudge.open(cluster.ovn) : null;
      return new Laboratory({ cluster, dataplane, standing, samples }, options);
    } catch (error) {
      await standing?.close();
      await cluster.close();
      throw error;
    }
  }

  get ovn(): Ovn {
    return this.#cluster.ovn;
  }

  async close(): Promise<void> {
    await this.#samples?.close();
    await this.#dataplane?.close();
    await this.#standing?.close();
    await this.#cluster.close();
  }

  /** What northd, ovn-controller, ovs-vswitchd and ovn-trace complained of since all of them were started. */
  complaints(): readonly string[] {
    this.#listen();
    return this.#heard;
  }

  /** Throws a Disagreement with the first packets on which the judges differ. */
  async prove(world: ProofWorld): Promise<void> {
    if (this.#failedAt !== null && performance.now() - this.#failedAt > shrinkingMs) return;
    await this.#cluster.connect(world.objects);
    await this.#dataplane?.connect(this.#cluster.here(world.objects));
    await this.#neighbour.become(world.objects, world.networkPolicies ?? []);
    await this.#cluster.become(world.objects);
    const misheard = await this.#cluster.answer(world.answers ?? [], world.objects);
    const judged = this.#judgeAll(world);
    // A world that is being made smaller must not lose the packet that showed the fault.
    const asked = this.#failedAt === null ? choose(judged) : judged;
    const faults = await this.#differences(asked, world);
    faults.unshift(...misheard, ...(await this.#neighbour.changes()), ...this.#listen());
    if (this.#failedAt === null) this.tally.worlds++;
    if (faults.length === 0) return;
    this.#failedAt ??= performance.now();
    throw new Disagreement(faults.join("\n"));
  }

  #judgeAll(world: ProofWorld): readonly Judged[] {
    const { zone } = this.#cluster;
    const meaning = world.witness?.meaning(zone) ?? meaningOf(world.objects, this.#hearing(world));
    return probesOf(world, candidates, zone).flatMap((probe) => {
      const meant = meaning.opinion(probe.connection);
      if (meant === null && this.#failedAt === null) this.tally.contested++;
      return meant === null ? [] : [{ probe, meant }];
    });
  }

  #hearing({ networkPolicies, told, witness }: ProofWorld): Hearing {
    const { zone } = this.#cluster;
    const others = told === undefined ? networkPolicies : [];
    return { networkPolicies: others, zone, installed: this.#judging, words: witness?.words };
  }

  #heardIn(world: ProofWorld): Heard {
    const hearing = this.#hearing(world);
    const objects = world.told ?? world.objects;
    return {
      explained: explainedOf(objects, hearing),
      compiled: world.witness === undefined ? null : meaningOf(objects, hearing),
    };
  }

  async #differences(judged: readonly Judged[], world: ProofWorld): Promise<string[]> {
    const probes = judged.map(({ probe }) => probe);
    const { explained, compiled } = this.#heardIn(world);
    const words = world.witness?.words;
    const [traced, { sent, sampled }, standing] = await Promise.all([
      sits("trace") ? this.#traced(judged, words) : { opinions: [], complaints: [] },
      this.#sent(probes, words),
      this.#standing === null ? [] : opinionsOfRows(this.#standing, probes, words),
    ]);
    const found = [...this.#hear(traced.complaints)];
    for (const [at, one] of judged.entries()) {
      if (this.#failedAt === null) this.#count(one.meant, sampled[at]);
      const voices = {
        ...{ ovn: traced.opinions[at], dataplane: sent[at] },
        ...{ explain: explained.opinion(one.probe.connection), rows: standing[at] },
        samples: sampled[at],
        ...{ compiled: compiled?.opinion(one.probe.connection) },
      };
      if (this.#agree(one, voices, world)) continue;
      found.push(faultText(one, voices));
      if (found.length === faultsTold) break;
    }
    return found;
  }

  #agree(one: Judged, voices: Voices, { mayBeStricter }: ProofWorld): boolean {
    if (mayBeStricter === undefined) return agree(one, voices);
    if (isDropped(voices) && this.#failedAt === null && one.meant.verdict === "allow") this.tally.stricter++;
    return agreeOrStricter(one, voices, mayBeStricter);
  }

  /** Judge C, and the samples of the packets. */
  async #sent(probes: readonly Probe[], words?: Words) {
    const sent = (await this.#dataplane?.verdicts(probes.map(({ packet }) => packet))) ?? [];
    return { sent, sampled: (await this.#samples?.chains(probes, words)) ?? [] };
  }

  /** Judge B, and what ovn-trace said of the expressions as it read them. */
  async #traced(judged: readonly Judged[], words?: Words) {
    const tracer = await openTracer(this.ovn, { newConnections: 40 + judged.length * statesPerTrace });
    try {
      const opinions: Opinion[] = [];
      for (const { probe } of judged) opinions.push(await opinionOfOvn(tracer, probe, words));
      return { opinions, complaints: await tracer.complaints() };
    } finally {
      await tracer.close();
    }
  }

  #listen(): readonly string[] {
    return this.#hear(this.#cluster.complaints(), this.#dataplane?.complaints() ?? []);
  }

  #hear(...complaints: readonly (readonly string[])[]): readonly string[] {
    const news = complaints.flat();
    this.#heard.push(...news);
    return news;
  }

  #count({ verdict, rules }: Opinion, sampled: SampledChain | undefined): void {
    this.tally.packets++;
    if (verdict === "drop") this.tally.dropped++;
    if (rules.length > 0) this.tally.ruled++;
    if (rules.length > 0 && sampled !== undefined) this.tally.sampled++;
    if (rules.length > 2) this.tally.chained++;
  }
}

/** Half of them from every chain of rules in turn, half as they were drawn. */
export function choose(judged: readonly Judged[]): readonly Judged[] {
  const chains = [...Map.groupBy(judged, ({ meant }) => opinionText(meant)).values()];
  const chosen = new Set(inTurn(chains, packetsPerWorld / 2));
  for (const one of judged) if (chosen.size < packetsPerWorld) chosen.add(one);
  return [...chosen];
}
