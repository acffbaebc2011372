// What pods declare under the names that rules say, as small numbers: equal for pods that every such name leads to the same
// ports of.

import type { NamedPort } from "../../model/facts.ts";
import type { Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { Interner } from "../interner.ts";

/** The number of a list of declared ports; 0: none. */
export type PortsId = number;

export class DeclaredPorts {
  readonly #names: ReadonlySet<string>;
  readonly #ids = new Interner();
  readonly #lists: (readonly NamedPort[])[] = [];

  /** `policies`: those whose names count. */
  constructor(policies: Iterable<Policy>) {
    this.#names = new Set(Iterator.from(policies).flatMap(namesIn));
    this.of([]);
  }

  of(ports: readonly NamedPort[]): PortsId {
    const meant = ports.filter(({ name }) => this.#names.has(name));
    const texts = meant.map(({ name, protocol, port }) => JSON.stringify([name, protocol, port]));
    const id = this.#ids.of([...new Set(texts)].sort().join());
    this.#lists[id] ??= meant;
    return id;
  }

  /** Everything that was asked about. */
  all(): readonly NamedPort[] {
    return this.#lists.flat();
  }

  at(id: PortsId): readonly NamedPort[] {
    return this.#lists[id] ?? [];
  }
}

function namesIn({ rules }: Policy): readonly string[] {
  return directions
    .flatMap((direction) => rules[direction])
    .flatMap(({ ports }) => ports ?? [])
    .flatMap((port) => (port.kind === "named" ? [port.name] : []));
}
