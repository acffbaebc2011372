// What pods declare under the names that rules say of sources and of destinations, as small numbers: equal for pods that every
// such name leads to the same ports of, and for pairs of such pods.

import type { NamedPort } from "../../model/facts.ts";
import type { Policy, PortMatch } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { namesIn } from "../../policy/peers.ts";
import { Interner } from "../interner.ts";
import type { DeclaredByEnds } from "../traffic.ts";

/** The number of a list of declared ports, or of those of both ends; 0: none. */
export type PortsId = number;

type Names = Readonly<Record<"from" | "to", ReadonlySet<string>>>;

const nothing: DeclaredByEnds = { from: [], to: [] };

export class DeclaredPorts {
  readonly #names: Names;
  readonly #ids = new Interner();
  readonly #lists: DeclaredByEnds[] = [];

  /** `policies`: those whose names count. */
  constructor(policies: Iterable<Policy>) {
    const ports = Iterator.from(policies).flatMap(portsIn).toArray();
    this.#names = {
      from: new Set(ports.flatMap((port) => (port.kind === "declared" ? namesIn(port.from) : []))),
      to: new Set(ports.flatMap(destinationNames)),
    };
    this.#add("", nothing);
  }

  /** Of a pod at one end; of an address that is no pod's, nothing. */
  of(end: "from" | "to", ports: readonly NamedPort[]): PortsId {
    const meant = ports.filter(({ name }) => this.#names[end].has(name));
    const texts = meant.map(({ name, protocol, port }) => JSON.stringify([name, protocol, port]));
    const text = [...new Set(texts)].sort().join();
    return text === "" ? 0 : this.#add(`${end} ${text}`, { ...nothing, [end]: meant });
  }

  /** Of a source and a destination. */
  both(from: PortsId, to: PortsId): PortsId {
    if (from === 0 || to === 0) return from + to;
    return this.#add(`both ${from} ${to}`, { from: this.at(from).from, to: this.at(to).to });
  }

  /** Everything that was asked about. */
  all(): readonly NamedPort[] {
    return this.#lists.flatMap(({ from, to }) => [...from, ...to]);
  }

  at(id: PortsId): DeclaredByEnds {
    return this.#lists[id] ?? nothing;
  }

  #add(text: string, declared: DeclaredByEnds): PortsId {
    const id = this.#ids.of(text);
    this.#lists[id] ??= declared;
    return id;
  }
}

function portsIn({ rules }: Policy): readonly PortMatch[] {
  return directions.flatMap((direction) => rules[direction]).flatMap(({ ports }) => ports ?? []);
}

function destinationNames(port: PortMatch): readonly string[] {
  if (port.kind === "declared") return namesIn(port.to);
  return port.kind === "named" ? [port.name] : [];
}
