// The answer to "may this connect to that, and which rule says so?", for one connection. A new connection is evaluated; its replies
// follow it. Throws NoSuchEnd for what is not there. Invariant: the verdict is the judge's (policy/evaluate.ts), or unknown
// where a caveat says why.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { AskedService } from "../analysis/end-sets.ts";
import type { Candidate, NamedEnd } from "../analysis/ends.ts";
import { onlyEnd, unplaced } from "../analysis/ends.ts";
import { refOfWorkload } from "../analysis/ref.ts";
import { podKey } from "../model/facts.ts";
import { ipFamilies } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import type { Connection } from "../policy/evaluate.ts";
import type { Answer, AnsweredEnd, Caveat, ManyAnswer } from "./answer.ts";
import type { AskedWorld, NamedSet } from "./asked.ts";
import { portOf } from "./asked-port.ts";
import { explainMany } from "./many/many.ts";
import type { Question } from "./question.ts";
import { endCaveats } from "./caveats.ts";
import { endSides } from "./many/end-sides.ts";
import type { ServiceSides } from "./services/service-sides.ts";
import { serviceSides } from "./services/service-sides.ts";
import type { ExplainOptions } from "./sides.ts";

/** One answer for all ends, where an end is a set of several. Throws NoSuchEnd. */
export function explainAny(
  asked: AskedWorld,
  question: Question,
  options: ExplainOptions,
): Answer | ManyAnswer {
  const [source, target] = [asked.endNamed(question.from), asked.endNamed(question.to)];
  const isOne = ({ text, set }: NamedSet): boolean => onlyEnd(set, text) !== null;
  const isMany = !isOne(source) || (target.set.service === null && !isOne(target));
  return isMany
    ? explainMany(asked, question, { source, target }, options)
    : explain(asked, question, options);
}

/** Throws NoSuchEnd, of an end that is a set of several too. */
export function explain(asked: AskedWorld, question: Question, options: ExplainOptions): Answer {
  const [source, target] = [asked.endNamed(question.from), asked.endNamed(question.to)];
  const { service } = target.set;
  const { from, to } = asked.ends.pair(onlyOne(source), service === null ? onlyOne(target) : anyOf(target));
  const { protocol } = question;
  const port = portOf(question, target.set);
  const connection: Connection = { from: from.end, to: to.end, protocol, port: port ?? 0 };
  const told =
    serviceSides(asked, { from, to }, service, connection, options) ??
    straightSides(asked, from, to, connection, options);
  const { verdict, egress, ingress, caveats, backends = [] } = told;
  return {
    ...{ from: shownEnd(from), to: service === null ? shownEnd(to) : shownService(target, service) },
    ...{ protocol, port, verdict, egress, ingress },
    caveats: distinct([...endCaveats(asked, from, service === null ? to : null), ...caveats]),
    ...(backends.length === 0 ? {} : { backends }),
  };
}

/** Throws NoSuchEnd. */
function onlyOne({ text, set }: NamedSet): Candidate {
  const only = onlyEnd(set, text);
  if (only !== null) return only;
  const { pods, workloads, networks } = set;
  const count = networks.length > 0 ? "many addresses" : `${pods.length + workloads.length} ends`;
  throw new NoSuchEnd(`${quote(text)} is ${count}: explain is asked about one`);
}

/** Of one family with the other end: which of the pods behind it, the Service's sides say. */
function anyOf({ text, set: { pods, workloads } }: NamedSet): Candidate {
  const ips =
    workloads.length > 0 ? ipFamilies.map((family) => unplaced[family]) : pods.flatMap((one) => one.ips);
  return { text, pod: null, workload: null, ips };
}

function straightSides(
  asked: AskedWorld,
  from: NamedEnd,
  to: NamedEnd,
  connection: Connection,
  options: ExplainOptions,
): ServiceSides {
  const ends = {
    workloads: { from: from.workload, to: to.workload },
    pods: { from: from.pod, to: to.pod },
  };
  const sides = endSides(asked, connection, ends, options);
  // Neither end is of this cluster: nothing here says whether they meet.
  if (from.kind === "address" && to.kind === "address")
    return { ...sides, verdict: "unknown", caveats: [outside, ...sides.caveats] };
  return sides;
}

const outside: Caveat = {
  code: "Outside",
  text: "neither end is a known pod or node: no policy applies to this connection",
};

/** Each text once. */
function distinct(caveats: readonly Caveat[]): readonly Caveat[] {
  return [...new Map(caveats.map((one) => [`${one.code} ${one.text}`, one])).values()];
}

function shownEnd({ text, ip, pod, workload, node, kind }: NamedEnd): AnsweredEnd {
  if (workload !== null) return { text, ip: null, pod: null, node, kind, workload: refOfWorkload(workload) };
  return { text, ip, pod: pod === null ? null : podKey(pod.namespace, pod.name), node, kind };
}

function shownService({ text }: NamedSet, { service }: AskedService): AnsweredEnd {
  const { namespace, name, ips } = service;
  return {
    text,
    ip: ips[0] ?? null,
    pod: null,
    node: null,
    kind: "service",
    service: `${namespace}/${name}`,
  };
}
