// An answer as one sentence for people: may it connect, and which rule says so. Without a full stop inside names: users' text
// is as it is here, and made harmless where it is printed. Says nothing that the answer does not.

import type { Ref } from "../analysis/ref.ts";
import { refText, ruleText } from "../analysis/ref.ts";
import type { Direction } from "../policy/ir.ts";
import type { Answer, Side } from "./answer.ts";
import { endName } from "./many/end-name.ts";

const sideNames: Readonly<Record<Direction, string>> = {
  egress: "on its way out",
  ingress: "where it arrives",
};

/** `web/shop-0 may not open tcp 80 to db/pg-0: where it arrives, ingress[4] "default-deny" of AdminNetworkPolicy x denies it`. */
export function sentenceOf({ from, to, protocol, port, verdict, egress, ingress, caveats }: Answer): string {
  const what = port === null ? protocol : `${protocol} ${port}`;
  const ends = (modal: string) => `${endName(from)} ${modal} open ${what} to ${endName(to)}`;
  const asked = askedSides({ egress, ingress });
  switch (verdict) {
    case "deny": {
      const denying = asked.filter(({ side }) => side.verdict === "deny").map(sideText);
      // Each side may be open where one of them denies in any case.
      const why = denying.length > 0 ? denying : caveats.map(({ text }) => text);
      return `${ends("may not")}: ${why.join("; ")}`;
    }
    case "allow":
      return `${ends("may")}: ${asked.map(sideText).join("; ")}`;
    case "unknown":
      return `It is unknown whether ${ends("may")}: ${caveats.map(({ text }) => text).join("; ")}`;
  }
}

/** Which rule decides on each side; where the verdict is open, why it is. */
export function reasonsOf({ verdict, egress, ingress, caveats }: Reasoned): string {
  if (verdict === "unknown") return `unknown: ${caveats.map(({ text }) => text).join("; ")}`;
  return askedSides({ egress, ingress }).map(sideText).join("; ");
}

type Reasoned = Pick<Answer, "verdict" | "egress" | "ingress" | "caveats">;

interface AskedSide {
  readonly direction: Direction;
  readonly side: Side;
}

/** The source's first. */
function askedSides({ egress, ingress }: Pick<Answer, "egress" | "ingress">): readonly AskedSide[] {
  return [
    ...(egress === null ? [] : [{ direction: "egress", side: egress } as const]),
    ...(ingress === null ? [] : [{ direction: "ingress", side: ingress } as const]),
  ];
}

function sideText({ direction, side }: AskedSide): string {
  return `${sideNames[direction]}, ${reasonOf(side)}`;
}

function reasonOf({ verdict, by, policy, rule, policies = [] }: Side): string {
  const does = verdict === "allow" ? "allows" : "denies";
  switch (by) {
    case "rule":
      return rule === undefined || policy === undefined
        ? `a rule ${does} it`
        : `${ruleText(rule.direction, rule)} of ${refText(policy)} ${does} it`;
    case "isolation":
      return `${namesOf(policies)} isolates the pod, and no rule allows it`;
    case "default":
      return "no policy decides, so it is allowed";
    case "exempt":
      return "policies do not apply";
    case "tie":
      return verdict === "unknown"
        ? "policies of equal priority disagree"
        : `every order of the policies ${does} it`;
  }
}

function namesOf(policies: readonly Ref[]): string {
  const [first, ...others] = policies.map(refText);
  return others.length === 0 ? (first ?? "a policy") : `${first ?? ""}, with ${others.length} more,`;
}
