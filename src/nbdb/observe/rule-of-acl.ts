// The rule that an ACL is of, by its external_ids: of every kind of policy that has rows, Northgate's or OVN-Kubernetes' in the same
// form. An ACL of another program is called by its own name.

import { actionWord } from "../../analysis/ref.ts";
import { everyDialect } from "../../dialects.ts";
import type { ObjectName } from "../../model/object.ts";
import { objectKey, splitKey } from "../../model/object.ts";
import type { ObservedRule } from "../../observe/rule.ts";
import { actionOf, indexIn } from "../actual/existing-places.ts";
import { isolatedBy } from "../rows/isolation.ts";
import type { ExternalIds } from "../rows/names.ts";
import { keys } from "../rows/names.ts";
import { ownerOf, rowOwners } from "../rows/owners.ts";
import { policyOfUnit } from "../rows/unit.ts";

export interface NamedAcl {
  readonly external_ids: ExternalIds;
  readonly action: string;
  readonly direction: string;
  /** ACL.name. */
  readonly name: string | null;
}

const owners = rowOwners(everyDialect.owners);

export function ruleOfAcl(acl: NamedAcl, uuid: string): ObservedRule {
  const action = actionOf(acl.action);
  const owner = ownerOfAcl(acl.external_ids) ?? { policy: foreign(acl, uuid), rule: null };
  const { group, kind, namespace, name } = owner.policy;
  const word = actionWord(objectKey(owner.policy, namespace, name), action, { kinds: everyDialect.policies });
  return {
    policy: { group, kind, namespace, name },
    direction: acl.direction === "to-lport" ? "ingress" : "egress",
    rule: owner.rule,
    ...{ action, word },
  };
}

function foreign({ name, external_ids }: NamedAcl, uuid: string): ObjectName {
  return { group: "", kind: "ACL", namespace: null, name: name ?? external_ids.get(keys.id) ?? uuid };
}

function ownerOfAcl(
  ids: ExternalIds,
): { readonly policy: ObjectName; readonly rule: ObservedRule["rule"] } | null {
  const unit = ownerOf(ids, owners);
  if (unit === null) return null;
  const policy = policyOfUnit(unit);
  if (policy !== null) return { policy: splitKey(policy), rule: indexIn(ids) };
  const namespace = isolatedBy(unit);
  return namespace === null ? null : { policy: { ...isolating, namespace, name: "" }, rule: "isolation" };
}

/** The kind whose policies isolate the pods of a namespace together. */
const isolating = isolatingKind();

function isolatingKind(): Pick<ObjectName, "group" | "kind"> {
  const { group, kind } = everyDialect.policies.find(({ rowForm }) => rowForm?.sets === "networkPolicy") ?? {
    ...{ group: "", kind: "Namespace" },
  };
  return { group, kind };
}
