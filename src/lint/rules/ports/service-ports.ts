// NG021: the port of a Service where the port of its pods is meant. Rules see a connection behind the Service: at the pod, on the
// port that the Service leads to. Found where a rule decides the Service's port of a pod and the port behind it has the opposite
// verdict from the same ends; not where a pod of the rule has that port for another reason.

import { isOnPodNetwork } from "../../../model/facts.ts";
import type { PodFact, Protocol } from "../../../model/facts.ts";
import { selects } from "../../../model/selector.ts";
import type { Service } from "../../../model/service.ts";
import { targetOf } from "../../../model/service.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import type { Pair } from "../../../verdicts/family-reach.ts";
import { podsOf } from "../../../verdicts/family-reach.ts";
import type { Reach } from "../../../verdicts/reach.ts";
import type { Row } from "../../../verdicts/row.ts";
import { effectOfRule, verdictIn } from "../../../verdicts/row.ts";
import { noTraffic } from "../../../verdicts/traffic.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule, partOf } from "../../draft.ts";

/** A port of a rule that is some Service's. */
interface Asked {
  readonly protocol: Protocol;
  readonly port: number;
}

/** A port of a pod that a Service has, and its pods have not. */
interface Led extends Asked {
  readonly service: Service;
  readonly target: number;
}

/** By port of a pod, what a Service leads it to; null: the pod has that port itself. */
type PodPorts = ReadonlyMap<string, Led | null>;

export function* servicePorts(context: Context): Generator<Draft> {
  const asked = askedIn(context);
  if (asked.size === 0) return;
  const portsOf = portsOfPods(context);
  const found = new Map<OrderedRule, Map<string, Led | null>>();
  for (const pair of context.reach.pairs()) lookAt(pair, asked, portsOf, context, found);
  for (const [entry, ports] of found)
    for (const led of ports.values()) if (led !== null) yield draftOf(entry, led);
}

/** The rules that name the port of a Service by its number, where pods have another one behind it. */
function askedIn(context: Context): ReadonlyMap<OrderedRule, readonly Asked[]> {
  const led = new Set(
    context.services
      .filter(({ selector }) => selector !== null)
      .flatMap(({ ports }) => ports.filter(({ port, target }) => port !== target).map(portKey)),
  );
  const rules = context.entries().map((entry): [OrderedRule, readonly Asked[]] => {
    const ports = (entry.rule.ports ?? []).filter((one) => one.kind === "port");
    const effect = effectOfRule(entry.rule);
    return [entry, effect === "pass" ? [] : ports.filter((one) => led.has(portKey(one)))];
  });
  return new Map(rules.filter(([, ports]) => ports.length > 0));
}

function portKey({ protocol, port }: Asked): string {
  return `${protocol} ${port}`;
}

function portsOfPods({ services, facts }: Context): (pod: PodFact) => PodPorts {
  const byNamespace = Map.groupBy(services, ({ namespace }) => namespace);
  const known = new Map<PodFact, PodPorts>();
  const portsOf = (pod: PodFact): PodPorts => {
    const ports = new Map<string, Led | null>();
    if (!isOnPodNetwork(pod) || !facts.namespaces.has(pod.namespace)) return ports;
    const own = (byNamespace.get(pod.namespace) ?? []).filter(
      ({ selector }) => selector !== null && selects(selector, pod.labels),
    );
    for (const service of own)
      for (const port of service.ports) {
        const target = targetOf(pod, port);
        if (target !== null && target !== port.port) ports.set(portKey(port), { ...port, service, target });
      }
    const targets = own.flatMap((service) =>
      service.ports.map((port) => ({ protocol: port.protocol, port: targetOf(pod, port) ?? 0 })),
    );
    for (const port of [...targets, ...pod.ports]) ports.set(portKey(port), null);
    return ports;
  };
  return (pod) => {
    const ports = known.get(pod) ?? portsOf(pod);
    known.set(pod, ports);
    return ports;
  };
}

type Found = Map<OrderedRule, Map<string, Led | null>>;

/** Of `found`, null: the rule is right about the port somewhere. */
function lookAt(
  { direction, subject, peer, rows }: Pair,
  asked: ReadonlyMap<OrderedRule, readonly Asked[]>,
  portsOf: (pod: PodFact) => PodPorts,
  { reach }: Context,
  found: Found,
): void {
  const entries = new Set(rows.flatMap(({ says }) => says.map(({ entry }) => entry)));
  const own = [...entries].flatMap((entry) => (entry !== null && asked.has(entry) ? [entry] : []));
  if (own.length === 0) return;
  const [to, from] = direction === "egress" ? [peer, subject] : [subject, peer];
  const others = podsOf(from);
  // A connection of a pod to itself is not evaluated.
  const isElsewhere = (pod: PodFact): boolean =>
    from.hasAddress || others.length > 1 || others[0] !== pod || pod.isTemplate === true;
  const pods = podsOf(to).filter(isElsewhere);
  for (const entry of own)
    for (const one of asked.get(entry) ?? []) {
      const key = portKey(one);
      const known = pods.flatMap((pod) => {
        const led = portsOf(pod).get(key);
        return led === undefined ? [] : [led];
      });
      for (const led of inRows(rows, entry, one, known, reach)) note(found, entry, key, led);
    }
}

/**
 * What the rule's port leads to, where the rule decides it: null where the rule is right about the port. Of workloads, only if no place of
 * their pods makes a difference.
 */
function inRows(
  rows: readonly Row[],
  entry: OrderedRule,
  { protocol, port }: Asked,
  known: readonly (Led | null)[],
  reach: Reach,
): readonly (Led | null | undefined)[] {
  const deciding = rows.filter(({ says }) =>
    says.some((one) => one.entry === entry && (one.said & reach.at(protocol, port)) !== noTraffic),
  );
  if (deciding.length === 0) return [];
  const contrary = effectOfRule(entry.rule) === "allow" ? "deny" : "allow";
  const isRight = (led: Led | null): boolean =>
    led === null ||
    deciding.some((row) => verdictIn(row, reach.at(protocol, led.target)).verdict !== contrary);
  if (known.some(isRight)) return [null];
  return deciding.length < rows.length ? [undefined] : [known[0]];
}

/** undefined: nothing is known of the port there. */
function note(found: Found, entry: OrderedRule, key: string, led: Led | null | undefined): void {
  const ports = found.get(entry) ?? new Map<string, Led | null>();
  found.set(entry, ports);
  const known = ports.get(key);
  if (led !== undefined && known !== null) ports.set(key, led === null ? null : (known ?? led));
}

function draftOf(entry: OrderedRule, { service, protocol, port, target }: Led): Draft {
  const [says, is] = effectOfRule(entry.rule) === "allow" ? ["allows", "denied"] : ["denies", "allowed"];
  const name = `Service ${service.namespace}/${service.name}`;
  return {
    ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "ports") },
    message:
      `${says} ${protocol} ${port}, which is the port of ${name}: it leads to ${protocol} ${target} of its pods, ` +
      `which is ${is}`,
    fix: `write ${target}: rules see the port of the pod, not the one of the Service`,
    about: `${protocol} ${port}`,
  };
}
