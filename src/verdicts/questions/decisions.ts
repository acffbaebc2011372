// Who decides the connections between two kinds of ends, of one family: each part of the traffic with its verdict and with what
// decides it on either side. Made once for all pairs of kinds that meet the same entries. Invariant: each part of the traffic
// that is asked about is in exactly one decision of a pair, and decisions of a pair differ in who decides. Between a workload
// and another end it is what is decided wherever the workload's pods may be.

import type { PortsId } from "../ends/declared-ports.ts";
import type { Kind } from "../ends/kinds.ts";
import type { Entry } from "../entries.ts";
import type { Frame } from "../frame.ts";
import type { PlaceGroup } from "../ends/templates.ts";
import { Interner } from "../interner.ts";
import type { ListId } from "../lists.ts";
import type { Traffic, TrafficCuts } from "../traffic.ts";
import { noTraffic } from "../traffic.ts";
import type { ClassVerdict, Walked } from "../walk.ts";
import { joined, verdictOf } from "../walk.ts";
import { Walker } from "../walker.ts";
import { invariant } from "../../lib/invariant.ts";
import type { Direction } from "../../policy/ir.ts";

export interface SideDecision {
  readonly verdict: ClassVerdict;
  /** What decides; several: it is open which of them does; none: nothing does, and the connection is allowed. */
  readonly by: readonly Entry[];
  readonly traffic: Traffic;
}

export interface Decision extends Readonly<Record<Direction, SideDecision>> {
  readonly verdict: ClassVerdict;
  readonly traffic: Traffic;
  /** Equal for decisions with the same verdict by the same entries, whatever the traffic. */
  readonly how: string;
  /** Where the place of a workload's pods makes a difference: what is decided at each; the sides are those of the first. */
  readonly ways?: readonly Decision[];
}

/** More than there are sides. */
const stride = 2 ** 24;

export class Decisions {
  readonly #frame: Frame;
  readonly #walker: Walker;
  readonly #all: Traffic;
  readonly #sideIds = { egress: new Interner(), ingress: new Interner() };
  readonly #sides = {
    egress: new Map<number, readonly SideDecision[]>(),
    ingress: new Map<number, readonly SideDecision[]>(),
  };
  readonly #pairs = new Map<number, readonly Decision[]>();
  readonly #anywhere = new Map<string, readonly Decision[]>();
  #asked = 0;

  /** `all`: the traffic that is asked about. */
  constructor(frame: Frame, cuts: TrafficCuts, all: Traffic) {
    this.#frame = frame;
    this.#all = all;
    this.#walker = new Walker(frame, cuts, all);
  }

  /** Pairs of kinds that were asked about, and pairs of lists that were worked out for them; tests count them. */
  get work(): { readonly pairs: number; readonly made: number } {
    return { pairs: this.#asked, made: this.#pairs.size };
  }

  /** Of connections from the one kind to the other. */
  between(from: Kind, to: Kind): readonly Decision[] {
    this.#asked += 1;
    const ports = this.#frame.declared.both(from.ports.new, to.ports.new);
    if (from.workloads.length + to.workloads.length === 0) {
      const { egress, ingress } = this.#frame.sides;
      const out = egress.new.listsOf(from.rows.new)[to.columns.new] ?? 0;
      const into = ingress.new.listsOf(to.rows.new)[from.columns.new] ?? 0;
      return this.#pair(this.#side("egress", out, ports) * stride + this.#side("ingress", into, ports));
    }
    const places = from.places.new.flatMap((one) => to.places.new.map((other) => [one, other] as const));
    const pairs = new Set(places.flatMap(([one, other]) => this.#pairsAt(one, other, ports)));
    const [first = 0] = pairs;
    return pairs.size === 1 ? this.#pair(first) : this.#ofPlaces([...pairs].sort((a, b) => a - b));
  }

  #pairsAt(from: PlaceGroup, to: PlaceGroup, ports: PortsId): readonly number[] {
    const ingress = this.#met("ingress", to, from, ports);
    return [...this.#met("egress", from, to, ports)].flatMap((out) =>
      Array.from(ingress, (into) => out * stride + into),
    );
  }

  /** The decisions of a side, wherever the two ends may be; each once. */
  #met(direction: Direction, subject: PlaceGroup, peer: PlaceGroup, ports: PortsId): ReadonlySet<number> {
    const lists = new Set<ListId>();
    for (const row of subject.rows) {
      const met = this.#frame.sides[direction].new.listsOf(row);
      for (const column of peer.columns) lists.add(met[column] ?? 0);
    }
    return new Set(Iterator.from(lists).map((list) => this.#side(direction, list, ports)));
  }

  #ofPlaces(pairs: readonly number[]): readonly Decision[] {
    const key = pairs.join();
    const known = this.#anywhere.get(key) ?? decidedAnywhere(pairs.map((pair) => this.#pair(pair)));
    this.#anywhere.set(key, known);
    return known;
  }

  #pair(key: number): readonly Decision[] {
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const [egress, ingress] = [Math.floor(key / stride), key % stride];
    const made = together(this.#sides.egress.get(egress) ?? [], this.#sides.ingress.get(ingress) ?? []);
    this.#pairs.set(key, made);
    return made;
  }

  /** The number of the decisions of a side. */
  #side(direction: Direction, list: ListId, ports: PortsId): number {
    const asked = this.#walker.hasNames(list) ? ports : 0;
    const id = this.#sideIds[direction].of(`${list} ${asked}`);
    if (!this.#sides[direction].has(id))
      this.#sides[direction].set(id, decisionsOf(this.#walker.walk(list, asked), this.#all));
    return id;
  }
}

function decisionsOf({ says, silent }: Walked, all: Traffic): readonly SideDecision[] {
  let parts: readonly Traffic[] = [all];
  for (const cut of [...says.map(({ said }) => said), silent])
    parts = parts.flatMap((part) => [part & cut, part & ~cut]).filter((part) => part !== noTraffic);
  const found = new Map<string, SideDecision>();
  for (const part of parts) {
    const speaking = says.filter(({ said }) => (said & part) !== noTraffic).map(({ entry }) => entry);
    const verdict = verdictOf(new Set(speaking.map(({ action }) => action)), (silent & part) !== noTraffic);
    const deciding = speaking.filter(({ action }) => action !== "pass");
    const by = verdict === "unknown" ? deciding : deciding.filter(({ isOpen }) => !isOpen).slice(0, 1);
    const key = `${verdict} ${idsOf(by)}`;
    found.set(key, { verdict, by, traffic: part | (found.get(key)?.traffic ?? noTraffic) });
  }
  return [...found.values()];
}

function together(egress: readonly SideDecision[], ingress: readonly SideDecision[]): readonly Decision[] {
  return egress.flatMap((out) =>
    ingress.flatMap((into) => {
      const traffic = out.traffic & into.traffic;
      if (traffic === noTraffic) return [];
      const verdict = joined(out.verdict, into.verdict);
      const how = [verdict, idsOf(out.by), out.verdict, idsOf(into.by), into.verdict].join(" ");
      return [{ verdict, egress: out, ingress: into, traffic, how }];
    }),
  );
}

interface Placed {
  readonly ways: readonly Decision[];
  readonly traffic: Traffic;
}

/** `lists`: what is decided at each place. A verdict is given only where all places have it. */
function decidedAnywhere(lists: readonly (readonly Decision[])[]): readonly Decision[] {
  const [first = [], ...others] = lists;
  let parts: readonly Placed[] = first.map((way) => ({ ways: [way], traffic: way.traffic }));
  for (const list of others)
    parts = parts.flatMap(({ ways, traffic }) =>
      list.flatMap((way): readonly Placed[] => {
        const own = traffic & way.traffic;
        if (own === noTraffic) return [];
        return [{ ways: ways.some(({ how }) => how === way.how) ? ways : [...ways, way], traffic: own }];
      }),
    );
  const found = new Map<string, Decision>();
  for (const part of parts) {
    const made = ofWays(part);
    found.set(made.how, { ...made, traffic: made.traffic | (found.get(made.how)?.traffic ?? noTraffic) });
  }
  return [...found.values()];
}

function ofWays({ ways, traffic }: Placed): Decision {
  const [first] = ways;
  invariant(first !== undefined, "a decision at no place");
  if (ways.length === 1) return { ...first, traffic };
  const common = (direction: Direction): SideDecision => {
    const { verdict, by } = first[direction];
    const isOne = ways.every((way) => way[direction].verdict === verdict);
    return { verdict: isOne ? verdict : "unknown", by, traffic };
  };
  return {
    verdict: ways.every(({ verdict }) => verdict === first.verdict) ? first.verdict : "unknown",
    ...{ egress: common("egress"), ingress: common("ingress"), traffic, ways },
    how: ways.map(({ how }) => how).join("|"),
  };
}

function idsOf(entries: readonly Entry[]): string {
  return entries.map(({ id }) => id).join();
}
