// A recorded connection as one question to a world. Invariant: the answer is that of `explain`; what the world does not have, or cannot
// be asked about, has a reason instead.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { Answer } from "../explain/answer.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { explain } from "../explain/explain.ts";
import { podKey } from "../model/facts.ts";
import { familyOf } from "../model/ip.ts";
import type { SeenEnd } from "../observe/decode/event.ts";
import type { Flow } from "../observe/record/record.ts";

export interface NotJudged {
  readonly why: string;
}

/** `when`: the age of the world in reasons, where there are several: `before`. */
export function answerTo(flow: Flow, world: AskedWorld, when = ""): Answer | NotJudged {
  const { protocol, port } = flow;
  if (typeof protocol === "number") return { why: `protocol ${protocol} of IP cannot be asked about` };
  if (port === 0) return { why: "port 0 cannot be asked about" };
  try {
    const [from, to] = [endIn(world, flow.from, when), endIn(world, flow.to, when)];
    return explain(world, { from, to, protocol, port }, { isDetailed: false });
  } catch (error) {
    if (error instanceof NoSuchEnd) return { why: error.message };
    throw error;
  }
}

/** As it is asked for. A pod is known by its name and may have another address of the family meanwhile. */
function endIn({ facts }: AskedWorld, { ip, pod }: SeenEnd, when: string): string {
  if (pod === null) return ip;
  const key = podKey(pod.namespace, pod.name);
  const then = when === "" ? "" : ` ${when}`;
  const fact = facts.pods.get(key);
  if (fact === undefined) throw new NoSuchEnd(`pod ${key} is not there${then}`);
  const address = fact.ips.includes(ip) ? ip : fact.ips.find((one) => familyOf(one) === familyOf(ip));
  if (address === undefined) throw new NoSuchEnd(`pod ${key} has no ${familyOf(ip)} address${then}`);
  return `${key}@${address}`;
}
