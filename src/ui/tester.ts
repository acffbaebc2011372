// The tester's answer: `explain` of one connection, with its words. A domain name that leads to several addresses is answered by the
// verdict for each: the reader asks about one of them.

import { NoSuchEnd, parseEnd } from "../analysis/end-query.ts";
import type { Ref } from "../analysis/ref.ts";
import type { Answer, Side } from "../explain/answer.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { explain } from "../explain/explain.ts";
import type { Question } from "../explain/question.ts";
import { readQuestions } from "../explain/questions.ts";
import { remarkOf } from "../explain/remarks.ts";
import { sentenceOf } from "../explain/sentence.ts";
import type { IpAddress } from "../model/ip.ts";
import type { Direction } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import type { Query } from "./query.ts";
import { textOf } from "./query.ts";
import type { AddressesShown, ExplainShown, ExplainWords } from "./shown.ts";
import type { ShownWorld } from "./world.ts";

/** A name may have hundreds. */
const mostAddresses = 20;

/** As `explain -o json` of one connection, with the answer as a sentence. */
export function explained({ asked }: ShownWorld, query: Query): ExplainShown {
  const port = textOf(query, "port");
  const entry = {
    ...{ from: textOf(query, "from"), to: textOf(query, "to"), protocol: textOf(query, "protocol") },
    ...(port === "" ? {} : { port: /^\d{1,5}$/.test(port) ? Number(port) : port }),
  };
  const [question = { error: "the request asks nothing" }] = readQuestions([entry]) ?? [];
  if ("error" in question) return { error: question.error.replace(/^\[0\]\.?/, "").trim() };
  try {
    const addresses = addressesOf(asked, question);
    if (addresses.length > 1) return ofAddresses(asked, question, addresses);
    const answered = explain(asked, question, { isDetailed: true });
    return { ...answered, ...wordsOf(answered, asked) };
  } catch (error) {
    if (error instanceof NoSuchEnd) return { error: error.message };
    throw error;
  }
}

/** Of the name that the connection goes to; none: it goes to no name, or nothing is recorded of it. */
function addressesOf({ facts }: AskedWorld, { to }: Question): readonly IpAddress[] {
  const end = parseEnd(to);
  if (end.kind !== "hostName") return [];
  return [...facts.hostNames].find(({ name }) => name === end.name)?.ips ?? [];
}

/** Those of a family that the source has. Throws NoSuchEnd. */
function ofAddresses(asked: AskedWorld, question: Question, addresses: readonly IpAddress[]): AddressesShown {
  // What is wrong with the source is wrong with every one.
  asked.endNamed(question.from);
  const shown = addresses.slice(0, mostAddresses).flatMap((to) => {
    try {
      return [{ to, verdict: explain(asked, { ...question, to }, { isDetailed: false }).verdict }];
    } catch (error) {
      if (error instanceof NoSuchEnd) return [];
      throw error;
    }
  });
  return { name: question.to, total: addresses.length, addresses: shown };
}

function wordsOf(answered: Answer, asked: AskedWorld): ExplainWords {
  const sides = { egress: answered.egress, ingress: answered.ingress };
  const remarks = (direction: Direction): readonly string[] => {
    const side = sides[direction];
    return side?.lost?.map((lost) => remarkOf(lost, side)) ?? [];
  };
  const named = Object.values(sides).flatMap((side) => (side === null ? [] : policiesIn(side)));
  const once = new Map(named.map((policy) => [policyKey(policy), policy]));
  return {
    sentence: sentenceOf(answered),
    remarks: { egress: remarks("egress"), ingress: remarks("ingress") },
    ranks: [...once.values()].map((policy) => ({ policy, rank: asked.rankOf(policy) })),
  };
}

function policiesIn({ policy, policies = [], steps, tied = [], lost = [], near = [] }: Side): readonly Ref[] {
  const own = policy === undefined ? [] : [policy];
  return [...own, ...policies, ...[...steps, ...tied, ...lost, ...near].map((step) => step.policy)];
}
