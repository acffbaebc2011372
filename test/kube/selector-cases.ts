// The cases of a label selector, the same in every place where one stands.

import { type Case, egress, ingress, no, ok, to } from "./case.ts";

type Place = readonly [string, (selector: unknown) => Case["spec"]];

const places: readonly Place[] = [
  ["subject.namespaces", (selector) => ({ subject: { namespaces: selector } })],
  ...inPods("subject.pods", (pods) => ({ subject: { pods } })),
  ["from.namespaces", (selector) => ingress({ from: [{ namespaces: selector }] })],
  ...inPods("from.pods", (pods) => ingress({ from: [{ pods }] })),
  ["to.namespaces", (selector) => to({ namespaces: selector })],
  ...inPods("to.pods", (pods) => to({ pods })),
  ["to.nodes", (selector) => egress({ to: [{ nodes: selector }] })],
];

export const selectorCases: readonly Case[] = places.flatMap(([at, spec]) => [
  ok(`labels in ${at}`, spec({ matchLabels: { a: "b" } })),
  no(`labels that are no texts in ${at}`, spec({ matchLabels: { a: 1 } }), "must be of type string"),
  ok(`expressions in ${at}`, spec({ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] })),
  ok(`an operator nobody knows in ${at}`, spec({ matchExpressions: [{ key: "a", operator: "Like" }] })),
  no(`no operator in ${at}`, spec({ matchExpressions: [{ key: "a" }] }), "operator: Required"),
  no(`no key in ${at}`, spec({ matchExpressions: [{ operator: "Exists" }] }), "key: Required"),
]);

function inPods(at: string, spec: (pods: unknown) => Case["spec"]): readonly Place[] {
  return [
    [`${at}.namespaceSelector`, (selector) => spec({ namespaceSelector: selector, podSelector: {} })],
    [`${at}.podSelector`, (selector) => spec({ namespaceSelector: {}, podSelector: selector })],
  ];
}
