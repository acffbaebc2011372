// The addresses and nodes that pods which are not there yet may have, as far as they make a difference to a connection: one
// connection for each way in which rules can tell them apart. Invariant: a verdict is that of some address and node that the
// pods may have exactly when it is that of one of the connections. Where there are too many it says so.

import { AddressSpace } from "../analysis/address-space.ts";
import { neverPods } from "../analysis/internet.ts";
import { aloneIn, contains } from "../model/cidr.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import { anyNode } from "../model/workload.ts";
import type { Connection, End, World } from "../policy/evaluate.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { addressesOf, hasEnds, isSelected } from "../policy/matching.ts";
import type { EndTerm } from "../policy/normal-form.ts";
import { endsOf, formOf, subjectForm } from "../policy/normal-form.ts";
import type { OpenPart } from "./completions.ts";

export type Role = "from" | "to";

export interface Placements {
  /** null: there are too many to ask about. */
  readonly connections: readonly Connection[] | null;
  /** What tells the addresses and nodes of each end apart. */
  readonly parts: Readonly<Record<Role, readonly OpenPart[]>>;
}

export interface PlacingWorld {
  readonly world: World;
  readonly policies: readonly Policy[];
  /** Addresses that other pods, nodes and Services have. */
  readonly taken: readonly IpAddress[];
}

/** Connections that are judged. */
const most = 500;

export function hasTemplate({ from, to }: Pick<Connection, "from" | "to">): boolean {
  return isTemplate(from) || isTemplate(to);
}

function isTemplate({ pod }: End): boolean {
  return pod?.isTemplate === true;
}

/** The address of a template's end says the family alone. */
export function placementsOf(connection: Connection, placing: PlacingWorld): Placements {
  const asked = new Asked(connection, placing);
  const [froms, tos] = [asked.ends("from"), asked.ends("to")];
  const connections =
    froms.length * tos.length > most
      ? null
      : froms.flatMap((from) => tos.map((to) => ({ ...connection, from, to })));
  return { connections, parts: asked.parts };
}

/** A rule that may apply to the subject's end, whatever its address and node. */
interface Applying extends OpenPart {
  readonly rule: Rule;
}

class Asked {
  readonly parts: Readonly<Record<Role, OpenPart[]>> = { from: [], to: [] };
  readonly #connection: Connection;
  readonly #placing: PlacingWorld;
  readonly #rules: readonly Applying[];

  constructor(connection: Connection, placing: PlacingWorld) {
    this.#connection = connection;
    this.#placing = placing;
    this.#rules = placing.policies.flatMap((policy) =>
      directions.flatMap((direction) =>
        policy.rules[direction]
          .filter((rule) => this.#mayApply(policy, direction, rule))
          .map((rule) => ({ policy, direction, rule })),
      ),
    );
  }

  /** Of an end that is no template, itself. */
  ends(role: Role): readonly End[] {
    const end = this.#connection[role];
    const { pod } = end;
    if (pod === null || !isTemplate(end)) return [end];
    const nodes = this.#nodes(role);
    return this.#addresses(role).flatMap((ip) =>
      nodes.map((node) => ({ ip, pod: { ...pod, node, ips: [ip] } })),
    );
  }

  #mayApply(policy: Policy, direction: Direction, rule: Rule): boolean {
    const { world } = this.#placing;
    const subject = this.#connection[direction === "egress" ? "from" : "to"];
    if (subject.pod === null) return false;
    const groups = rule.subject ?? policy.subject;
    if (world.namespaces.get(subject.pod.namespace)?.isUnread === true) return true;
    return subjectForm(groups).ofNodes.length > 0 || isSelected(subject, groups, world);
  }

  /** One of each sort. */
  #addresses(role: Role): readonly IpAddress[] {
    const lists = this.#rules.flatMap((part) =>
      (formOf(part.rule, part.direction)[role === "from" ? "source" : "destination"] ?? [])
        .flatMap((term) => networksIn(term, this.#placing.world))
        .map((networks) => ({ networks, part })),
    );
    const space = new AddressSpace(
      familyOf(this.#connection[role].ip),
      [...lists.flatMap(({ networks }) => networks), ...neverPods],
      this.#placing.taken,
    );
    const free = Array.from({ length: space.size }, (_, piece) => space.freeIn(piece)).filter(
      (ip) => ip !== null && !isWithin(ip, neverPods),
    );
    const sorts = new Map(
      free.flatMap((ip) =>
        ip === null ? [] : [[lists.map(({ networks }) => isWithin(ip, networks)).join(), ip] as const],
      ),
    );
    const ips = [...sorts.values()];
    for (const { networks, part } of lists)
      if (new Set(ips.map((ip) => isWithin(ip, networks))).size > 1) this.parts[role].push(part);
    return ips;
  }

  /** Those whose pods a rule treats in a way of their own, and one whose pods none does. */
  #nodes(role: Role): readonly string[] {
    const direction = role === "from" ? "egress" : "ingress";
    const { world } = this.#placing;
    const names = new Set([anyNode]);
    for (const part of this.#rules) {
      if (part.direction !== direction) continue;
      const { ofNodes } = subjectForm(part.rule.subject ?? part.policy.subject);
      if (ofNodes.length === 0) continue;
      const { source, destination } = formOf(part.rule, direction);
      const peers = role === "to" ? { source, destination: null } : { source: null, destination };
      if (!hasEnds(peers, direction, this.#connection, world)) continue;
      for (const name of ofNodes) names.add(name);
      this.parts[role].push(part);
    }
    return [...names];
  }
}

/** Of the term's ends, the networks and what DNS answered for host names. */
function networksIn(term: EndTerm, world: World): readonly (readonly Cidr[])[] {
  return endsOf(term)
    .flatMap(({ networks, hostNames }) => [
      networks,
      hostNames.flatMap((group) => addressesOf(group, world).map(aloneIn)),
    ])
    .filter((networks) => networks.length > 0);
}

function isWithin(ip: IpAddress, networks: readonly Cidr[]): boolean {
  return networks.some((network) => contains(network, ip));
}
