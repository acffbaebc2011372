// Recorded connections, each asked in two worlds: which verdicts change. Invariant: a verdict is the judge's (policy/evaluate.ts), or
// unknown where a caveat says why; what a world does not have is not judged.

import type { Answer, AnsweredVerdict } from "../explain/answer.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { Flow, FlowRecord } from "../observe/record/record.ts";
import type { Both } from "../verdicts/worlds.ts";
import { both } from "../verdicts/worlds.ts";
import type { NotJudged } from "./answers.ts";
import { answerTo } from "./answers.ts";
import type { Counted, FlowChange, FlowsReport, UnjudgedFlow } from "./report.ts";

export function flowsReport(record: FlowRecord, worlds: Both<AskedWorld>): FlowsReport {
  const { since, until, nodes, notes, missed, connections } = record;
  const changes: FlowChange[] = [];
  const unjudged: UnjudgedFlow[] = [];
  const unknown: Flow[] = [];
  const otherwise: Flow[] = [];
  for (const flow of connections) {
    const told = answersTo(flow, worlds);
    if ("why" in told) {
      unjudged.push({ ...flow, why: told.why });
      continue;
    }
    const verdicts = both((age) => told[age].verdict);
    if (isOtherwise(flow, verdicts.old)) otherwise.push(flow);
    if (verdicts.old !== verdicts.new) changes.push(changeOf(flow, told));
    else if (verdicts.old === "unknown") unknown.push(flow);
  }
  return {
    ...{ since, until, ...(nodes === undefined ? {} : { nodes }), notes, missed },
    ...{ recorded: countOf(connections), changed: countOf(changes) },
    ...{ unknown: countOf(unknown), otherwise: countOf(otherwise) },
    changes: changes.sort((a, b) => weightOf(a) - weightOf(b) || b.connections - a.connections),
    unjudged: unjudged.sort((a, b) => b.connections - a.connections),
  };
}

export function countOf(flows: readonly Flow[]): Counted {
  return { flows: flows.length, connections: flows.reduce((sum, { connections }) => sum + connections, 0) };
}

function isOtherwise({ verdict }: Flow, old: AnsweredVerdict): boolean {
  return verdict !== "unknown" && old !== "unknown" && verdict !== old;
}

const weights: Readonly<Record<AnsweredVerdict, number>> = { deny: 0, allow: 1, unknown: 2 };

function weightOf(change: FlowChange): number {
  return weights[change.new];
}

function changeOf(flow: Flow, told: Both<Answer>): FlowChange {
  const by = both((age) => ({ egress: told[age].egress, ingress: told[age].ingress }));
  const caveats = both((age) => told[age].caveats);
  return { ...flow, ...{ old: told.old.verdict, new: told.new.verdict, by, caveats } };
}

const when: Both<string> = { old: "before", new: "after" };

function answersTo(flow: Flow, worlds: Both<AskedWorld>): Both<Answer> | NotJudged {
  const told = both((age) => answerTo(flow, worlds[age], when[age]));
  if ("why" in told.old) return told.old;
  if ("why" in told.new) return told.new;
  return { old: told.old, new: told.new };
}
