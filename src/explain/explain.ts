// The answer to "may this connect to that, and which rule says so?", for one connection. A new connection is evaluated; its replies
// follow it. Throws NoSuchEnd for what is not there. Invariant: the verdict is the judge's (policy/evaluate.ts), or unknown
// where a caveat says why.

import type { NamedEnd } from "../analysis/ends.ts";
import { podKey } from "../model/facts.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Direction } from "../policy/ir.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import type { Answer, AnsweredEnd, AnsweredVerdict, Backend, Caveat, Side } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { endCaveats, sharedCaveat, tieCaveat } from "./caveats.ts";
import { behind, commonSide, connectionTo, serviceCaveat } from "./services.ts";
import type { AnsweredSide } from "./side.ts";
import { onlyOf, answeredSide } from "./side.ts";
import { isJudged, openVerdicts } from "./open.ts";

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
  /** Whether to show what lost and what nearly matched. */
  readonly isDetailed: boolean;
}

/** Throws NoSuchEnd. */
export function explain(asked: AskedWorld, question: Question, options: ExplainOptions): Answer {
  const { from, to } = asked.ends.pair(question.from, question.to);
  const { protocol, port } = question;
  const connection: Connection = { from: from.end, to: to.end, protocol, port: port ?? 0 };
  const told =
    serviceSides(asked, to, connection, options) ?? straightSides(asked, from, to, connection, options);
  const { verdict, egress, ingress, caveats, backends = [] } = told;
  return {
    ...{ from: shownEnd(from), to: shownEnd(to), protocol, port, verdict, egress, ingress },
    caveats: distinct([...endCaveats(asked, from, to), ...caveats]),
    ...(backends.length === 0 ? {} : { backends }),
  };
}

function straightSides(
  asked: AskedWorld,
  from: NamedEnd,
  to: NamedEnd,
  connection: Connection,
  options: ExplainOptions,
): ServiceSides {
  const sides = knownSides(asked, connection, options);
  // Neither end is of this cluster: nothing here says whether they meet.
  if (from.kind === "address" && to.kind === "address")
    return { ...sides, verdict: "unknown", caveats: [outside, ...sides.caveats] };
  return sides;
}

/** As `sidesOf`, but open where it depends on which of the pods with an end's address is meant: rules know others by address. */
export function knownSides(asked: AskedWorld, connection: Connection, options: ExplainOptions): Sides {
  const sides = sidesOf(asked, connection, options);
  const { from, to } = connection;
  const shared = [from, to].filter(({ ip, pod }) => pod !== null && asked.ends.holders(ip).length > 1);
  if (shared.length === 0) return sides;
  const ends = (end: End): readonly End[] =>
    shared.includes(end) ? asked.ends.holders(end.ip).map((pod) => ({ ...end, pod })) : [end];
  const verdicts = ends(from).flatMap((one) =>
    ends(to).map(
      (other) =>
        sidesOf(asked, { ...connection, from: one, to: other }, { ...options, isDetailed: false }).verdict,
    ),
  );
  return {
    ...sides,
    verdict: new Set(verdicts).size === 1 ? sides.verdict : "unknown",
    caveats: [...shared.map((end) => sharedCaveat(end, asked.ends.holders(end.ip))), ...sides.caveats],
  };
}

const outside: Caveat = {
  code: "Outside",
  text: "neither end is a known pod or node: no policy applies to this connection",
};

/** Each text once. */
function distinct(caveats: readonly Caveat[]): readonly Caveat[] {
  return [...new Map(caveats.map((one) => [`${one.code} ${one.text}`, one])).values()];
}

export interface Sides {
  /** Of both sides together: what is open on both may be closed where they depend on the same. */
  readonly verdict: AnsweredVerdict;
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
  const isExempt = (direction: Direction): boolean => isSelf || !isJudged(connection, direction);
  const open = openVerdicts(asked, { connection, directions, isExempt });
  const judgement = judge(connection, asked.facts, asked.policies);
  const told = (direction: Direction): AnsweredSide | null =>
    directions.includes(direction)
      ? answeredSide(asked, {
          ...{ direction, connection, isDetailed },
          ...{ decision: judgement[direction], verdicts: open[direction], isExempt: isExempt(direction) },
        })
      : null;
  const [egress, ingress] = [told("egress"), told("ingress")];
  const ties = [egress, ingress].flatMap((one) => one?.ties ?? []);
  return {
    verdict: onlyOf(open.all),
    egress: egress?.side ?? null,
    ingress: ingress?.side ?? null,
    caveats: [...(isSelf ? [hairpin] : []), ...ties.map((tie) => tieCaveat(tie, asked)), ...open.caveats],
  };
}

const hairpin: Caveat = {
  code: "Hairpin",
  text: "a pod that connects to itself is not subject to policies",
};

function shownEnd({ text, ip, pod, node, kind }: NamedEnd): AnsweredEnd {
  return { text, ip, pod: pod === null ? null : podKey(pod.namespace, pod.name), node, kind };
}

interface ServiceSides extends Sides {
  readonly backends?: readonly Backend[];
}

const mostBackends = 10;

/** Null: the destination is no Service's. */
function serviceSides(
  asked: AskedWorld,
  to: NamedEnd,
  connection: Connection,
  options: ExplainOptions,
): ServiceSides | null {
  const found = behind(asked, to, connection);
  if (found === null) return null;
  const told = found.endpoints.map((endpoint, at) => ({
    endpoint,
    sides: knownSides(asked, connectionTo(endpoint, connection), {
      ...options,
      isDetailed: options.isDetailed && at === 0,
    }),
  }));
  const all = told.map(({ endpoint: { pod, ip, port }, sides }): Backend => ({
    ...{ to: `${pod.namespace}/${pod.name}@${ip}`, port, verdict: sides.verdict },
  }));
  const caveat = serviceCaveat(to.ip, connection, found, all);
  const [first] = told;
  const { egress, ingress } = first?.sides ?? sidesOf(asked, connection, options);
  const isOne = first !== undefined && all.every(({ verdict }) => verdict === first.sides.verdict);
  const more = all.length - mostBackends;
  return {
    verdict: isOne ? first.sides.verdict : "unknown",
    egress: first === undefined ? opened(egress) : commonSide(told.map(({ sides }) => sides.egress)),
    ingress: first === undefined ? ingress : commonSide(told.map(({ sides }) => sides.ingress)),
    caveats: [
      more > 0 ? { ...caveat, text: `${caveat.text} (${mostBackends} are shown)` } : caveat,
      ...told.flatMap(({ sides }) => sides.caveats),
    ],
    backends: all.slice(0, mostBackends),
  };
}

function opened(side: Side | null): Side | null {
  return side === null || side.by === "exempt" ? side : { ...side, verdict: "unknown" };
}
