// Rules of v1alpha1 → rules of v1alpha2 that mean the same. The older API takes 100 peers and ports, the newer 25: a longer
// rule becomes several of the same action, one behind the other. Refuses what the newer API has no form for. What it
// changes is a warning at the field. Reads rules that their dialect has accepted, so shapes are not checked again.

import type { Field } from "../model/reader.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The most rules of a direction, peers of a rule and ports of a rule that v1alpha2 takes. */
export const most = 25;

const actions: ReadonlyMap<unknown, string> = new Map([
  ["Allow", "Accept"],
  ["Deny", "Deny"],
  ["Pass", "Pass"],
]);
/** Peers that upstream's standard definition of ClusterNetworkPolicy v1alpha2 lacks. */
const experimental = ["nodes", "domainNames"];
const peerKinds = ["namespaces", "pods", "nodes", "networks", "domainNames"];

export function migrateRules(list: Field, side: "from" | "to"): readonly Json[] {
  return list.items().flatMap((rule) => migrateRule(rule, side));
}

function migrateRule(rule: Field, side: "from" | "to"): readonly Json[] {
  const peers = readPeers(rule.at(side));
  const matching = rule.has("ports") ? rule.at("ports").items().flatMap(migratePort) : null;
  const isClosed = deniesAll(rule, side);
  if (matching?.length === 0 && !isClosed) {
    rule.warn("matches nothing, and is left out");
    return [];
  }
  const ports = matching?.length === 0 ? null : matching;
  if (ports !== matching)
    rule.warn(
      "has no port that matches, and denies all traffic while its names are not resolved: its ports are left out",
    );
  const pieces = chunks(peers, most).flatMap((some) =>
    (ports === null ? [{}] : chunks(ports, most).map((protocols) => ({ protocols }))).map((traffic) => ({
      ...(rule.has("name") ? { name: rule.at("name").raw } : {}),
      action: actions.get(rule.at("action").raw),
      [side]: some,
      ...traffic,
    })),
  );
  if (pieces.length > 1) {
    const counts = `${peers.length} peers and ${ports?.length ?? 0} ports`;
    rule.warn(`has ${counts}, of which v1alpha2 takes ${most} each: it becomes ${pieces.length} rules`);
  }
  return pieces;
}

/** Whether it is unknown what the rule is about, so that it denies everything whatever its ports say. */
function deniesAll(rule: Field, side: "from" | "to"): boolean {
  return (
    rule.at("action").raw !== "Allow" &&
    rule
      .at(side)
      .items()
      .some((peer) => peer.has("domainNames"))
  );
}

function readPeers(list: Field): readonly unknown[] {
  const peers = list.items();
  for (const peer of peers) {
    if (!peerKinds.some((kind) => peer.has(kind)))
      peer.error("is of no kind that v1alpha2 has", "UnknownPeer");
    // An implementation that resolves no names closes the whole rule: its pieces without the names would be open.
    if (peer.has("domainNames") && peers.length > most)
      peer.error(`cannot be in a rule of more than ${most} peers, which has to be split`, "TooMany");
  }
  for (const kind of experimental)
    peers
      .find((peer) => peer.has(kind))
      ?.at(kind)
      .warn(
        "needs the definition of ClusterNetworkPolicy of the experimental channel: the standard one lacks the field",
      );
  return peers.map(({ raw }) => raw);
}

/** Nothing: the entry matches nothing. */
function migratePort(entry: Field): readonly Json[] {
  if (entry.has("namedPort")) return [{ destinationNamedPort: entry.at("namedPort").raw }];
  if (entry.has("portNumber")) {
    const number = entry.at("portNumber");
    return [protocolOf(number, { number: number.at("port").raw })];
  }
  if (entry.has("portRange")) return migrateRange(entry.at("portRange"));
  entry.error("is of no kind that v1alpha2 has", "UnknownPort");
  return [];
}

function migrateRange(range: Field): readonly Json[] {
  const [start, end] = [range.at("start").integer(1, 65535), range.at("end").integer(1, 65535)];
  if (start === null || end === null) return [];
  if (start > end) {
    range.warn(`start ${start} is above end ${end}: it matches nothing, and is left out`);
    return [];
  }
  if (start < end) return [protocolOf(range, { range: { start, end } })];
  range.warn(`is one port, which v1alpha2 takes as a number only: it becomes the number ${start}`);
  return [protocolOf(range, { number: start })];
}

/** Only the older API has a default. */
function protocolOf(entry: Field, destinationPort: Json): Json {
  const named = entry.at("protocol");
  const protocol = named.present ? String(named.raw).toLowerCase() : "tcp";
  return { [protocol]: { destinationPort } };
}

/** Lists of at most `size` elements; one for an empty list. */
export function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.max(1, Math.ceil(list.length / size));
  return Array.from({ length: count }, (_, at) => list.slice(at * size, (at + 1) * size));
}
