// A response → the addresses that it gives for the name that it was asked for: those of the type that was asked, of the name itself or of
// a name to which its aliases lead within this response. No other record is taken.

import type { AliasRecord, DnsResponse } from "./dns/response.ts";
import type { LearnedAddress, LearnedAnswer } from "../answer-sink.ts";

export type Answered = Pick<LearnedAnswer, "name" | "family" | "addresses" | "outcome"> & {
  /** As of Question. */
  readonly alias: string | null;
};

/** Why nothing is learned. Each is a label value of a metric. */
export type Unlearned = "other question" | "truncated" | "other rcode";

const rcodes = { noError: 0, serverFailure: 2, noSuchName: 3 };

export function answered({ rcode, isTruncated, question, answers }: DnsResponse): Answered | Unlearned {
  if (question === null) return "other question";
  // The client asks again over TCP.
  if (isTruncated) return "truncated";
  const { name, type } = question;
  const family = type === "A" ? "v4" : "v6";
  const none = { name, family, addresses: [], alias: null } as const;
  switch (rcode) {
    case rcodes.noError: {
      const addresses = addressesOf(name, type, answers);
      const outcome = addresses.length > 0 ? "answered" : "no-data";
      return { name, family, addresses, alias: aliasOf(name, answers), outcome };
    }
    case rcodes.noSuchName:
      return { ...none, outcome: "no-such-name" };
    case rcodes.serverFailure:
      return { ...none, outcome: "failed" };
    default:
      return "other rcode";
  }
}

function addressesOf(
  name: string,
  type: "A" | "AAAA",
  answers: DnsResponse["answers"],
): readonly LearnedAddress[] {
  const ttls = ttlsOfChain(name, answers);
  return answers.flatMap((one) => {
    const ttl = one.type === type ? ttls.get(one.owner) : undefined;
    return one.type === "CNAME" || ttl === undefined ? [] : [{ ip: one.ip, ttl: Math.min(ttl, one.ttl) }];
  });
}

/** Of each name that the aliases lead to, how long they hold at least. Aliases may stand in any order and lead in a circle. */
function ttlsOfChain(name: string, answers: DnsResponse["answers"]): ReadonlyMap<string, number> {
  const aliases = Map.groupBy(answers.filter(isAlias), ({ owner }) => owner);
  const ttls = new Map([[name, Infinity]]);
  // What is added while it is walked through is walked through too.
  for (const [owner, ttl] of ttls)
    for (const alias of aliases.get(owner) ?? [])
      if (!ttls.has(alias.target)) ttls.set(alias.target, Math.min(ttl, alias.ttl));
  return ttls;
}

function aliasOf(name: string, answers: DnsResponse["answers"]): string | null {
  const [one, ...others] = answers.filter(({ owner }) => owner === name);
  return one?.type === "CNAME" && others.length === 0 ? one.target : null;
}

function isAlias(one: DnsResponse["answers"][number]): one is AliasRecord {
  return one.type === "CNAME";
}
