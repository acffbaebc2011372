// Questions of every kind, which a server asks itself before anybody asks (serving/rehearsing.ts): the first answer of a kind takes
// several times as long as the next, for what is made of the world once and for code that has not run yet. What threads answer is
// not asked.

import { endText } from "../analysis/end-query.ts";
import { orderedPolicies } from "../explain/overview.ts";
import { podKey } from "../model/facts.ts";
import { ownersOf } from "../model/workload.ts";
import { policyKey } from "../policy/ir.ts";
import type { ShownWorld } from "./world.ts";

/** Of a kind: after so many, the next takes no less. */
const ofEach = 3;

export interface Question {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** About the first objects of the world. */
export function rehearsed({ asked, facts }: ShownWorld): readonly Question[] {
  const pods = [...facts.pods.values().take(ofEach + 1)];
  const first = pods[0] === undefined ? null : podKey(pods[0].namespace, pods[0].name);
  return [
    question("state"),
    question("board"),
    question("policies"),
    ...pods.slice(-ofEach).flatMap((pod) => {
      const key = podKey(pod.namespace, pod.name);
      const [owner] = ownersOf(pod).slice(-1);
      return [
        question("pods", { q: pod.name }),
        question("search", { q: `${pod.namespace} ${pod.name}` }),
        question("pod", { pod: key }),
        ...(first === null
          ? []
          : [question("explain", { from: key, to: first, protocol: "tcp", port: "80" })]),
        ...(owner === undefined
          ? []
          : [endQuestion({ kind: "workload", of: owner, namespace: pod.namespace, name: owner.name })]),
      ];
    }),
    ...facts.namespaces
      .values()
      .take(ofEach)
      .map(({ name }) => question("namespace", { namespace: name })),
    ...orderedPolicies(asked)
      .slice(0, ofEach)
      .map(({ policy }) => question("policy", { policy: policyKey(policy.ref) })),
    ...asked.services
      .slice(0, ofEach)
      .map(({ namespace, name }) => endQuestion({ kind: "service", namespace, name, port: null })),
  ];
}

function question(path: string, query: Readonly<Record<string, string>> = {}): Question {
  return { path: `/api/${path}`, query: new URLSearchParams(query) };
}

function endQuestion(end: Parameters<typeof endText>[0]): Question {
  return question("end", { end: endText(end) });
}
