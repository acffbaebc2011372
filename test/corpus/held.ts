// What the JSON of can, matrix and explain says of each connection, held against the judge's verdict. Faults are in words; none: the
// command is exact.

import { podGroupOf } from "../../src/analysis/pod-groups.ts";
import type { AskedEnd, CanReport } from "../../src/can/report.ts";
import type { Answer } from "../../src/explain/answer.ts";
import type { Reach } from "../../src/crossings/reach.ts";
import { reaches } from "../../src/crossings/reach.ts";
import { otherNamespaces, outsidePlace } from "../../src/matrix/matrix.ts";
import type { Cell, MatrixReport } from "../../src/matrix/report.ts";
import { podKey } from "../../src/model/facts.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import { groupsIn, isTraffic } from "../support/can.ts";
import type { JudgedQuestion, Judgement } from "./judge.ts";

/** Each connection that is asked about is in one group, with the judge's verdict; no other is in any. */
export function faultsOfCan(report: CanReport, judgements: readonly Judgement[]): readonly string[] {
  const groupsOf = groupsIn(report);
  const { from, to, question } = report;
  return judgements.flatMap(({ connection, verdict }) => {
    const held = groupsOf(connection).map((group) => group.verdict);
    const isAsked =
      isMeant(from, connection.from, held) &&
      isMeant(to, connection.to, held) &&
      carries(question, connection);
    const wanted = isAsked ? [verdict] : [];
    return held.join() === wanted.join()
      ? []
      : [`${textOf(connection)}: [${wanted.join()}], groups: [${held.join()}]`];
  });
}

/** `held`: of a network, by which the groups themselves say what is meant. */
function isMeant(asked: AskedEnd | null, { ip, pod }: End, held: readonly unknown[]): boolean {
  if (asked === null) return true;
  if (asked.kind === "network") return held.length > 0;
  if (asked.workload !== undefined) {
    const { kind, namespace, name } = asked.workload;
    return pod?.isTemplate === true && pod.namespace === namespace && pod.name === `${kind}:${name}`;
  }
  if (asked.kind !== "pod") return asked.ips.includes(ip);
  return pod !== null && asked.pod === podKey(pod.namespace, pod.name);
}

function carries(
  { protocol, port }: MatrixReport["question"] | CanReport["question"],
  connection: Connection,
): boolean {
  return (
    (protocol ?? connection.protocol) === connection.protocol && (port ?? connection.port) === connection.port
  );
}

/** Each cell says of each part of the traffic what follows from the verdicts of all connections between its places. */
export function faultsOfMatrix(report: MatrixReport, judgements: readonly Judgement[]): readonly string[] {
  const cells = new Map(report.cells.map((cell) => [keyOf([cell.from, cell.to]), cell]));
  const asked = judgements.filter(({ connection }) => carries(report.question, connection));
  const byCell = Map.groupBy(asked, ({ connection: { from, to } }) =>
    keyOf([from, to].map((end) => placeOf(end, report.question.namespace))),
  );
  const missing = [...cells.keys()].filter((key) => !byCell.has(key)).map((key) => `no connection of ${key}`);
  const wrong = [...byCell].flatMap(([key, all]) => {
    const parts = Map.groupBy(all, ({ connection }) => carriedText(connection)).values();
    return [...parts].flatMap((some) => faultsOfCell(key, cells.get(key), some));
  });
  return [...missing, ...wrong];
}

function faultsOfCell(key: string, cell: Cell | undefined, some: readonly Judgement[]): readonly string[] {
  const [first] = some;
  if (first === undefined) return [];
  const wanted = reachOf(new Set(some.map(({ verdict }) => verdict)));
  const held = reaches.filter((reach) =>
    cell?.traffic[reach]?.some((one) => isTraffic(one, first.connection)),
  );
  return held.join() === wanted
    ? []
    : [`${key} ${carriedText(first.connection)}: ${wanted}, cell: [${held.join()}]`];
}

function reachOf(verdicts: ReadonlySet<Judgement["verdict"]>): Reach {
  if (verdicts.has("allow") && verdicts.has("deny")) return "some";
  if (verdicts.has("unknown")) return "unknown";
  return verdicts.has("allow") ? "all" : "none";
}

function keyOf(places: readonly string[]): string {
  return places.join(" → ");
}

function placeOf({ pod }: End, namespace: string | null): string {
  if (pod === null) return outsidePlace;
  if (namespace === null) return pod.namespace;
  return pod.namespace === namespace ? podGroupOf(pod).title : otherNamespaces;
}

export function faultsOfExplain(
  answers: readonly (Pick<Answer, "verdict"> | { readonly error: string })[],
  judged: readonly JudgedQuestion[],
): readonly string[] {
  return judged.flatMap(({ question, verdict }, at) => {
    const answer = answers[at] ?? { error: "no answer" };
    const said = "error" in answer ? answer.error : answer.verdict;
    return said === verdict ? [] : [`${JSON.stringify(question)}: ${verdict}, explain: ${said}`];
  });
}

function endText({ ip, pod }: End): string {
  return pod === null ? ip : `${podKey(pod.namespace, pod.name)}@${ip}`;
}

function carriedText({ protocol, port, sourcePort, icmp }: Connection): string {
  return JSON.stringify({ protocol, port, sourcePort, icmp });
}

function textOf(connection: Connection): string {
  return `${endText(connection.from)} → ${endText(connection.to)} ${carriedText(connection)}`;
}
