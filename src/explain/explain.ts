// The answer to "may this connect to that, and who says so?", of one connection. Judged is a new connection; its answers
// follow it. Throws NoSuchEnd for what is not there. Invariant: the verdict is the judge's (policy/evaluate.ts), or unknown
// where a caveat says why.

import type { NamedEnd } from "../analysis/ends.ts";
import { podKey } from "../model/facts.ts";
import { contains } from "../model/cidr.ts";
import type { Connection } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Direction } from "../policy/ir.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import type { Answer, AnsweredEnd, AnsweredVerdict, Backend, Caveat, Side } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { doubtCaveat, endCaveats, tieCaveat } from "./caveats.ts";
import { endpointsOf } from "./services.ts";
import type { ToldSide } from "./side.ts";
import { toldSide } from "./side.ts";

/** As a user asks. */
export interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: AskedProtocol;
  /** Null for icmp. */
  readonly port: number | null;
}

export interface ExplainOptions {
  /** Both unless given. */
  readonly directions?: readonly Direction[];
  /** Whether to tell what lost and what nearly matched. */
  readonly isDetailed: boolean;
}

/** Throws NoSuchEnd. */
export function explain(asked: AskedWorld, question: Question, options: ExplainOptions): Answer {
  const { from, to } = asked.ends.pair(question.from, question.to);
  const { protocol, port } = question;
  const connection: Connection = { from: from.end, to: to.end, protocol, port: port ?? 0 };
  const told = sidesOf(asked, connection, options);
  const service = serviceAt(asked, to, connection, options);
  const sides = service === null ? told : { ...told, egress: opened(told.egress) };
  return {
    ...{ from: shownEnd(from), to: shownEnd(to), protocol, port },
    verdict: overall([sides.egress, sides.ingress]),
    egress: sides.egress,
    ingress: sides.ingress,
    caveats: [...endCaveats(asked, from, to), ...told.caveats, ...(service?.caveats ?? [])],
    ...(service === null || service.backends.length === 0 ? {} : { backends: service.backends }),
  };
}

export interface Sides {
  readonly egress: Side | null;
  readonly ingress: Side | null;
  readonly caveats: readonly Caveat[];
}

/** Of ends that are known already: those of a test or of another command. */
export function sidesOf(
  asked: AskedWorld,
  connection: Connection,
  { directions = ["egress", "ingress"], isDetailed }: ExplainOptions,
): Sides {
  const { from, to } = connection;
  const isSelf =
    from.pod !== null &&
    to.pod !== null &&
    podKey(from.pod.namespace, from.pod.name) === podKey(to.pod.namespace, to.pod.name);
  const judgement = judge(connection, asked.facts, asked.policies);
  const told = (direction: Direction): ToldSide | null =>
    directions.includes(direction)
      ? toldSide(asked, { direction, connection, decision: judgement[direction], isDetailed }, isSelf)
      : null;
  const [egress, ingress] = [told("egress"), told("ingress")];
  const both = [egress, ingress].filter((one) => one !== null);
  const doubts = new Map(
    both.flatMap((one) => [...one.doubts]).map((doubt) => [doubt.policy.key + doubt.code, doubt]),
  );
  return {
    egress: egress?.side ?? null,
    ingress: ingress?.side ?? null,
    caveats: [
      ...(isSelf ? [hairpin] : []),
      ...both.flatMap(({ ties }) => ties).map((tie) => tieCaveat(tie, asked)),
      ...[...doubts.values()].map(doubtCaveat),
    ],
  };
}

const hairpin: Caveat = {
  code: "Hairpin",
  text: "a pod that connects to itself is not subject to policies",
};

/** A denial on one side is one, whatever the other says. */
export function overall(sides: readonly (Side | null)[]): AnsweredVerdict {
  const verdicts = sides.filter((side) => side !== null).map(({ verdict }) => verdict);
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("unknown") ? "unknown" : "allow";
}

function opened(side: Side | null): Side | null {
  return side === null || side.by === "exempt" ? side : { ...side, verdict: "unknown" };
}

function shownEnd({ text, ip, pod, node, kind }: NamedEnd): AnsweredEnd {
  return { text, ip, pod: pod === null ? null : podKey(pod.namespace, pod.name), node, kind };
}

const mostBackends = 10;

/** Null: it is no Service's address. */
function serviceAt(
  asked: AskedWorld,
  to: NamedEnd,
  { from, protocol, port }: Connection,
  options: ExplainOptions,
): { readonly caveats: readonly Caveat[]; readonly backends: readonly Backend[] } | null {
  if (to.kind !== "address") return null;
  const service = asked.services.find(({ ips }) => ips.includes(to.ip));
  if (service === undefined && !asked.serviceNetworks.some((one) => contains(one, to.ip))) return null;
  const name = service === undefined ? "a Service" : `Service ${service.namespace}/${service.name}`;
  const endpoints =
    service === undefined
      ? []
      : endpointsOf(service, { ip: to.ip, protocol: String(protocol), port }, asked.facts.pods.values());
  const backends = endpoints.slice(0, mostBackends).map((endpoint): Backend => {
    const { pod, ip } = endpoint;
    const connection: Connection = {
      ...{ from, to: { ip, pod }, protocol, port: endpoint.port, translated: true },
    };
    const { egress, ingress } = sidesOf(asked, connection, { ...options, isDetailed: false });
    const verdict = overall([egress, ingress]);
    return { to: `${pod.namespace}/${pod.name}@${ip}`, port: endpoint.port, verdict };
  });
  const more = endpoints.length > mostBackends ? ` (${mostBackends} of ${endpoints.length} are shown)` : "";
  const known =
    backends.length === 0
      ? "no pod behind it is known: ask about one"
      : `ask about the pods behind it${more}`;
  const text = `${to.ip} is an address of ${name}: egress rules see the pod that it leads to; ${known}`;
  return { caveats: [{ code: "ServiceAddress", text }], backends };
}
