// The answers of network plugins as docs/cni.md has them: a table of the answers, and the page that each is from.

import { invariant } from "../lib/invariant.ts";
import type { Answer, Cni, HostPodAnswer, NetworkAnswer, RangeAnswer } from "./answers.ts";
import { cnis } from "./answers.ts";

const marks = { begin: "<!-- answers: node scripts/cni-doc.ts -->", end: "<!-- end of the answers -->" };

type AnswerOf = (cni: Cni) => Answer | NetworkAnswer | HostPodAnswer | RangeAnswer;

const questions: readonly (readonly [string, AnswerOf])[] = [
  ["a node to its own pod", (cni) => cni.nodeToOwnPods],
  ["a pod to its own node", (cni) => cni.podToOwnNode],
  ["protocols but TCP, UDP and SCTP, where a policy of Kubernetes' APIs applies", (cni) => cni.icmp],
  ["SCTP, where such a policy applies", (cni) => cni.sctp],
  ["a pod to itself", (cni) => cni.toItself],
  ["a pod to itself through a Service, where a policy selects it", (cni) => cni.throughService],
  ["whether a network in a rule is about pods", (cni) => cni.podsInNetworks],
  ["whether it is about nodes", (cni) => cni.nodesInNetworks],
  ["pods of the host network are", (cni) => cni.hostPods],
  ["whether `endPort` of a NetworkPolicy counts", (cni) => cni.portRanges],
];

/** The page with the present answers. */
export function withAnswers(page: string): string {
  const [first, last] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  invariant(first >= 0 && last > first, "the page has no place for the answers");
  const text = [answersTable(), kindsTable(), sourcesTable()].join("\n\n");
  return `${page.slice(0, first + marks.begin.length)}\n\n${text}\n\n${page.slice(last)}`;
}

function answersTable(): string {
  return table([
    ["question", ...cnis.map(({ name }) => `\`${name}\``)],
    ...questions.map(([question, answerOf]) => [question, ...cnis.map((cni) => wordOf(answerOf(cni)))]),
  ]);
}

function kindsTable(): string {
  return table([
    ["plugin", "kinds that are enforced", "condition"],
    ...cnis.map(({ name, kinds, conditions }) => [
      `\`${name}\``,
      kinds.map((kind) => `\`${kind}\``).join(", "),
      conditions.map(({ kinds: some, text }) => `${some.join(", ")}: ${text}`).join("; ") || "–",
    ]),
  ]);
}

function sourcesTable(): string {
  return table([
    ["question", "plugin", "what the page says", "page"],
    ...questions.flatMap(([question, answerOf]) =>
      [...Map.groupBy(cnis, (cni) => answerOf(cni).source)].map(([source, some]) => {
        const says = [...new Set(some.map((cni) => answerOf(cni).says))].join("; ");
        return [question, some.map(({ name }) => `\`${name}\``).join(", "), says, `<${source}>`];
      }),
    ),
  ]);
}

function wordOf(answer: ReturnType<AnswerOf>): string {
  if ("matches" in answer) return answer.matches === "open" ? "unknown" : answer.matches;
  if ("are" in answer) return answer.are === "open" ? "unknown" : "their node";
  if ("covers" in answer) return answer.covers === "open" ? "unknown above the first port" : "yes";
  const { outcomes } = answer;
  if (outcomes.includes("allow") && outcomes.includes("deny")) return "unknown";
  const [first, second] = outcomes.map((one) => words[one]).toSorted();
  if (first === undefined || second === undefined) return first ?? "";
  return `${first}, or ${second}: unknown where they differ`;
}

const words = { allow: "allowed", deny: "denied", policies: "what policies say" } as const;

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
