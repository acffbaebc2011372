// The port that a question means: its number, what a name leads to at the destination, or the only port of a Service. Refuses, in one
// sentence, a name that no container port of the destination has, and one that leads to several numbers.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { EndSet } from "../analysis/end-sets.ts";
import type { NamedPort, PodFact } from "../model/facts.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import { quote } from "../model/quote.ts";

interface AskedPort {
  readonly protocol: AskedProtocol;
  readonly port: number | string | null;
}

/** null: of icmp. Throws NoSuchEnd. */
export function portOf({ protocol, port }: AskedPort, target: EndSet): number | null {
  if (protocol === "icmp") return null;
  if (typeof port === "number") return port;
  return target.service === null ? ofPods(protocol, port, target) : ofService(protocol, port, target);
}

/** As `portOf`, of one destination among many. Undefined: it has no port of that name, or several. */
export function portIn({ protocol, port }: AskedPort, facts: readonly PodFact[]): number | null | undefined {
  if (protocol === "icmp") return null;
  if (typeof port === "number") return port;
  const named = facts.slice(0, 1).flatMap(({ ports }) => ports.filter((one) => one.name === port));
  const numbers = new Set(named.filter((one) => one.protocol === protocol).map((one) => one.port));
  return numbers.size === 1 ? [...numbers][0] : undefined;
}

function ofService(protocol: AskedProtocol, name: string | null, { text, service }: EndSet): number {
  const ports = (service?.ports ?? []).filter((one) => one.protocol === protocol);
  const meant = name === null ? ports : ports.filter((one) => one.name === name);
  const [only, ...others] = meant;
  if (only !== undefined && others.length === 0) return only.port;
  const has = listed(ports.map((one) => `${one.port}${one.name === "" ? "" : ` (${one.name})`}`));
  const what = name === null ? "a port is needed" : `there is no port ${quote(name)}`;
  throw new NoSuchEnd(`${quote(text)}: ${what}; it has ${protocol} ${has}`);
}

function ofPods(protocol: AskedProtocol, name: string | null, { text, pods, workloads }: EndSet): number {
  if (name === null) throw new NoSuchEnd(`${quote(text)}: a port is needed`);
  const facts = [...pods.map(({ pod }) => pod), ...workloads.map(({ template }) => template)];
  const declared = facts.flatMap(({ ports }) => ports).filter((one) => one.protocol === protocol);
  const numbers = new Set(declared.filter((one) => one.name === name).map(({ port }) => port));
  const [only, ...others] = numbers;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new NoSuchEnd(
      `${quote(text)}: the port ${quote(name)} is ${listed([...numbers].map(String))}: ask about one of them`,
    );
  const names = new Set(declared.map((one: NamedPort) => one.name));
  throw new NoSuchEnd(
    `${quote(text)}: no container port of ${protocol} is named ${quote(name)}; the names are ${listed([...names])}`,
  );
}

function listed(texts: readonly string[]): string {
  return texts.length === 0 ? "none" : texts.join(", ");
}
