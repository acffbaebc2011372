// Recorded connections, each asked in two worlds: which verdicts change. Invariant: a verdict is the judge's (policy/evaluate.ts), or
// unknown where a caveat says why; what a world does not have is not judged.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { Answer, AnsweredVerdict } from "../explain/answer.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { explain } from "../explain/explain.ts";
import type { Question } from "../explain/question.ts";
import { podKey } from "../model/facts.ts";
import { familyOf } from "../model/ip.ts";
import type { SeenEnd } from "../observe/decode/event.ts";
import type { Flow, FlowRecord } from "../observe/record/record.ts";
import type { Age, Both } from "../verdicts/worlds.ts";
import { both } from "../verdicts/worlds.ts";
import type { Counted, FlowChange, FlowsReport, UnjudgedFlow } from "./report.ts";

export function flowsReport(record: FlowRecord, worlds: Both<AskedWorld>): FlowsReport {
  const { since, until, notes, missed, connections } = record;
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
    ...{ since, until, notes, missed },
    ...{ recorded: counted(connections), changed: counted(changes) },
    ...{ unknown: counted(unknown), otherwise: counted(otherwise) },
    changes: changes.sort((a, b) => weightOf(a) - weightOf(b) || b.connections - a.connections),
    unjudged: unjudged.sort((a, b) => b.connections - a.connections),
  };
}

function counted(flows: readonly Flow[]): Counted {
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

interface NotJudged {
  readonly why: string;
}

function answersTo(flow: Flow, worlds: Both<AskedWorld>): Both<Answer> | NotJudged {
  const { protocol, port } = flow;
  if (typeof protocol === "number") return { why: `protocol ${protocol} of IP cannot be asked about` };
  if (port === 0) return { why: "port 0 cannot be asked about" };
  const answer = (age: Age): Answer => {
    const [from, to] = [endIn(worlds[age], flow.from, age), endIn(worlds[age], flow.to, age)];
    const question: Question = { from, to, protocol, port };
    return explain(worlds[age], question, { isDetailed: false });
  };
  try {
    return both(answer);
  } catch (error) {
    if (error instanceof NoSuchEnd) return { why: error.message };
    throw error;
  }
}

const ages: Readonly<Record<Age, string>> = { old: "before", new: "after" };

/** As it is asked for. A pod is known by its name and may have another address of the family meanwhile. */
function endIn({ facts }: AskedWorld, { ip, pod }: SeenEnd, age: Age): string {
  if (pod === null) return ip;
  const key = podKey(pod.namespace, pod.name);
  const fact = facts.pods.get(key);
  if (fact === undefined) throw new NoSuchEnd(`pod ${key} is not there ${ages[age]}`);
  const address = fact.ips.includes(ip) ? ip : fact.ips.find((one) => familyOf(one) === familyOf(ip));
  if (address === undefined) throw new NoSuchEnd(`pod ${key} has no ${familyOf(ip)} address ${ages[age]}`);
  return `${key}@${address}`;
}
