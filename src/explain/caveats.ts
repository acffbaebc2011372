// What a reader of a verdict must know beside it, in sentences. Refuses nothing; which caveats leave a verdict open is not
// decided here.

import type { NamedEnd } from "../analysis/ends.ts";
import { refText } from "../analysis/ref.ts";
import { contains } from "../model/cidr.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { ObjectKind } from "../model/object.ts";
import { kindText } from "../model/object.ts";
import { quote } from "../model/quote.ts";
import type { Tie } from "../policy/ties.ts";
import type { Caveat } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import type { Doubt } from "./doubts.ts";

const familyNames: Readonly<Record<IpFamily, string>> = { v4: "IPv4", v6: "IPv6" };

export function tieCaveat({ direction, tier, steps }: Tie, asked: AskedWorld): Caveat {
  const named = steps.map(
    ({ policy, rule }) =>
      `${refText(policy.ref)} ${direction}[${rule?.index ?? "-"}] ${rule === null ? "Deny" : asked.ruleRefOf(policy, direction, rule).word}`,
  );
  return {
    code: "Tie",
    text: `${named.join(" and ")} match, in the ${tier.name} tier with equal priority: which of them decides is open`,
  };
}

export function doubtCaveat({ code, policy }: Doubt): Caveat {
  const name = refText(policy.ref);
  const text =
    code === "NotRead"
      ? `${name} is refused, so nobody says what it would do to this connection`
      : `${name} has an egress rule of domain names, which are not resolved here: it could match this address`;
  return { code, text };
}

/** Whether there are policies of the kind is not known: the verdict is that of those that are. */
function unreadCaveat(kind: ObjectKind): Caveat {
  return {
    code: "KindNotListed",
    text: `${kindText(kind)} objects could not be listed: if there are any, they may decide otherwise`,
  };
}

/** Of the ends, whatever the policies say. */
export function endCaveats(asked: AskedWorld, from: NamedEnd, to: NamedEnd): readonly Caveat[] {
  const { facts, families } = asked;
  const caveats = asked.unreadPolicies.map(unreadCaveat);
  for (const { kind, pod, ip, node } of [from, to]) {
    if (kind === "host" && pod !== null)
      caveats.push({
        code: "HostNetwork",
        text: `pod ${quote(`${pod.namespace}/${pod.name}`)} is on the network of node ${node ?? "?"}: policies know it as that node's address only`,
      });
    const unseen =
      kind === "address" &&
      [...facts.nodes].find(({ podNetworks = [] }) => podNetworks.some((one) => contains(one, ip)));
    if (unseen)
      caveats.push({
        code: "UnseenPod",
        text: `${ip} lies in the pod network of node ${unseen.name} and is no known pod's: a pod there would be judged by its labels`,
      });
  }
  const family = familyOf(to.ip);
  if (families !== null && !families.includes(family))
    caveats.push({
      code: "Family",
      text: `${familyNames[family]} is not among the families that are served: no rows are written for it, this is what the policies say`,
    });
  return caveats;
}
