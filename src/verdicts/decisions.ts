// Who decides the connections between two kinds of ends, of one family: each part of the traffic with its verdict and with what
// decides it on either side. Made once for all pairs of kinds that meet the same entries. Invariant: each part of the traffic
// that is asked about is in exactly one decision of a pair, and decisions of a pair differ in who decides.

import type { PortsId } from "./ends/declared-ports.ts";
import type { Kind } from "./ends/kinds.ts";
import type { Entry } from "./entries.ts";
import type { Frame } from "./frame.ts";
import { Interner } from "./interner.ts";
import type { ListId } from "./lists.ts";
import type { Traffic, TrafficCuts } from "./traffic.ts";
import { noTraffic } from "./traffic.ts";
import type { ClassVerdict, Walked } from "./walk.ts";
import { joined, verdictOf } from "./walk.ts";
import { Walker } from "./walker.ts";
import type { Direction } from "../policy/ir.ts";

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
    const { sides, declared } = this.#frame;
    const ports = declared.both(from.ports.new, to.ports.new);
    const egress = this.#side("egress", sides.egress.new.listsOf(from.rows.new)[to.columns.new] ?? 0, ports);
    const ingress = this.#side(
      "ingress",
      sides.ingress.new.listsOf(to.rows.new)[from.columns.new] ?? 0,
      ports,
    );
    const key = egress * stride + ingress;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
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

function idsOf(entries: readonly Entry[]): string {
  return entries.map(({ id }) => id).join();
}
