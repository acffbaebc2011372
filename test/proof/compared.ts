// Which packets of a step are looked at, and which verdicts each may have when. A packet exists in a world when both of its
// ends do, each on its node and with its addresses; other addresses always exist. While ports come and the controller knows
// the old world only, packets of the old world have its verdicts; on the way, packets of both worlds have one of the two, and
// those of one world alone are not judged: a pod that goes is gone and one that comes is not yet ready; at rest, packets of
// the new world have its verdicts.

import { podKey } from "../../src/model/facts.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { Packet } from "../../tools/sandbox/trace.ts";
import { inTurn } from "./in-turn.ts";
import type { Opinion } from "./judges.ts";
import { meaningOf, opinionText } from "./judges.ts";
import type { Probe } from "./packets.ts";
import { probesOf, probeText } from "./packets.ts";
import { sorted } from "./worlds.ts";

export type Stage = "ports" | "way" | "rest";

export interface Compared {
  readonly probe: Probe;
  /** What it may be at each stage; empty: it is not judged then. */
  readonly allowed: Readonly<Record<Stage, readonly Opinion[]>>;
  readonly fate: Fate;
}

/** What a step does to a packet: one verdict by other rules, another verdict, the same; or it is in one of the worlds alone. */
type Fate = "handed over" | "turned" | "kept" | "alone";

interface Step {
  readonly before: readonly WorldObject[];
  /** The objects whose ports there are while the controller goes from one to the other. */
  readonly ports: readonly WorldObject[];
  readonly after: readonly WorldObject[];
  readonly salt: number;
  readonly installed: readonly Dialect[];
  readonly candidates?: number;
}

/** Packets of each world among which those of a step are chosen unless told otherwise, and how many are. */
const usualCandidates = 400;
const packetsPerStep = 60;

export function comparedIn(step: Step): readonly Compared[] {
  const { before, ports, after, salt, installed, candidates = usualCandidates } = step;
  const [inOld, inNew, atPorts] = [presenceIn(before), presenceIn(after), presenceIn(ports)];
  const [oldMeaning, newMeaning] = [meaningOf(before, { installed }), meaningOf(after, { installed })];
  const probes = new Map(
    [before, after]
      .flatMap((objects) => probesOf({ objects, salt }, candidates))
      .map((probe) => [identityOf(probe), probe]),
  );
  const compared = [...probes.values()].flatMap((probe) => {
    const old = inOld(probe) ? oldMeaning.opinion(probe.connection) : undefined;
    const next = inNew(probe) ? newMeaning.opinion(probe.connection) : undefined;
    // Contested in one of them.
    if (old === null || next === null) return [];
    const allowed = {
      ports: old !== undefined && atPorts(probe) ? [old] : [],
      way: old === undefined || next === undefined ? [] : [old, next],
      rest: next === undefined ? [] : [next],
    };
    return [{ probe, allowed, fate: fateOf(old, next) }];
  });
  return choose(compared);
}

function fateOf(old: Opinion | undefined, next: Opinion | undefined): Fate {
  if (old === undefined || next === undefined) return "alone";
  if (old.verdict !== next.verdict) return "turned";
  return old.rules.join() === next.rules.join() ? "kept" : "handed over";
}

/** Those that are handed over show a hole, those that keep their rules a gap, the others a step that never arrives. */
function choose(compared: readonly Compared[]): readonly Compared[] {
  const having = (wanted: Fate) => compared.filter(({ fate }) => fate === wanted);
  const met = ({ allowed }: Compared) => allowed.rest[0]?.rules.length ?? 0;
  const [alone, kept] = [having("alone").filter(({ allowed }) => allowed.rest.length > 0), having("kept")];
  const chosen = new Set([
    ...spread(having("handed over"), packetsPerStep / 2),
    ...spread(having("turned"), packetsPerStep / 6),
    ...spread(alone, packetsPerStep / 6),
    ...kept.toSorted((one, other) => met(other) - met(one)),
    ...alone,
  ]);
  return [...chosen].slice(0, packetsPerStep);
}

/** One of every chain of rules in turn, until there are enough. */
function spread(all: readonly Compared[], limit: number): readonly Compared[] {
  const chains = [
    ...Map.groupBy(all, ({ allowed }) => [...allowed.way, ...allowed.rest].map(opinionText).join()).values(),
  ];
  return inTurn(chains, limit);
}

function presenceIn(objects: readonly WorldObject[]): (probe: Probe) => boolean {
  const places = new Map(
    sorted(objects).pods.map((pod) => [podKey(pod.namespace, pod.name), placeOf(pod)] as const),
  );
  const isThere = (end: Packet["to"]) =>
    "ip" in end || places.get(podKey(end.namespace, end.name)) === placeOf(end);
  return ({ packet: { from, to } }) => isThere(from) && isThere(to);
}

function placeOf(pod: Packet["to"]): string {
  if ("ip" in pod) return "";
  return isOnPodNetwork(pod) ? [pod.node, ...pod.ips].join(" ") : "off the network";
}

function identityOf(probe: Probe): string {
  const { from, to } = probe.packet;
  return [probeText(probe), placeOf(from), placeOf(to)].join();
}
