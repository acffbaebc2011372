// Which ACL of NB a logical flow of SB comes from: northd writes the beginning of the ACL's uuid beside the flow. At times the uuid
// is that of a row that is no longer there, and an ACL with the same text has taken its place: then the text finds it.

import type { ConnectionState } from "../../observe/rule.ts";

/** What a flow has of its ACL. */
export interface AclText {
  /** ACL.direction. */
  readonly direction: string;
  readonly tier: number;
  readonly priority: number;
  readonly match: string;
}

export interface LogicalFlow {
  readonly pipeline: string;
  readonly priority: number;
  readonly match: string;
  readonly external_ids: ReadonlyMap<string, string>;
}

/** What northd adds to an ACL's priority. */
const northdOffset = 1000;

/** northd puts the tier and the state of the connection before the ACL's own match. */
const flowMatch = /^(?:reg8\[30\.\.31\] == (\d) && )?(?:reg0\[(\d+)\] == 1 && )?\((.*)\)$/s;

/** The hints that ls_in_acl_hint leaves in reg0 (ovn-northd, `REGBIT_ACL_HINT_*`). */
const states: ReadonlyMap<string, ConnectionState> = new Map([
  ["7", "new"],
  ["8", "established"],
  ["9", "new"],
  ["10", "established"],
]);

/** Of the packets that the flow counts. */
export function stateOf({ match }: LogicalFlow): ConnectionState {
  return states.get(flowMatch.exec(match)?.[2] ?? "") ?? "any";
}

export class AclsOfFlows<A extends AclText> {
  readonly #byHint = new Map<string, A[]>();
  readonly #byText = new Map<string, A>();

  /** By uuid. */
  constructor(acls: Iterable<readonly [string, A]>) {
    for (const [uuid, acl] of acls) {
      const hint = uuid.slice(0, 8);
      const same = this.#byHint.get(hint);
      if (same === undefined) this.#byHint.set(hint, [acl]);
      else same.push(acl);
      this.#byText.set(textOfAcl(acl), acl);
    }
  }

  /** null: the flow is none of an ACL's. */
  of(flow: LogicalFlow): A | null {
    const hint = flow.external_ids.get("stage-hint");
    if (hint === undefined) return null;
    const hinted = this.#byHint.get(hint) ?? [];
    const [only] = hinted;
    if (hinted.length === 1 && only !== undefined) return only;
    const text = textOfFlow(flow);
    return hinted.find((acl) => textOfAcl(acl) === text) ?? this.#byText.get(text) ?? null;
  }
}

function textOfAcl({ direction, tier, priority, match }: AclText): string {
  return joined(direction === "to-lport" ? "egress" : "ingress", tier, priority + northdOffset, match);
}

function textOfFlow({ pipeline, priority, match }: LogicalFlow): string {
  const [, tier = "0", , own = ""] = flowMatch.exec(match) ?? [];
  return joined(pipeline, Number(tier), priority, own);
}

function joined(pipeline: string, tier: number, priority: number, match: string): string {
  return `${pipeline} ${tier} ${priority} ${match}`;
}
