// Selectors of service accounts → the pods that run as them. Their labels are in no pod's label identity: the accounts are asked
// for, and the pods selected by namespace and name. A pod whose account has no object has an account without labels.

import { negationOf } from "../../model/selectors/folding.ts";
import { noLabels } from "../../model/labels.ts";
import { namespacesNamed, nameKey, podsRunningAs } from "../../model/selectable.ts";
import type { Selector } from "../../model/selector.ts";
import { everything, mentions, requirements, selects } from "../../model/selector.ts";
import type { PodGroup } from "../../policy/ir.ts";
import { serviceAccountKind } from "../kinds.ts";
import type { Reading } from "../reading.ts";
import { isLong, nameLabel, serviceAccountLabels } from "../selector/keys.ts";

/** `namespace`: where the pods are; null: anywhere. null: every pod. */
export function podsOfAccounts(
  selector: Selector,
  namespace: string | null,
  reading: Reading,
): readonly PodGroup[] | null {
  if (selector.text === everything.text) return null;
  if (!selects(selector, noLabels)) return runningAs(selectedBy(selector, namespace, reading));
  return runningAsNoneOf(selectedBy(negationOf(selector), namespace, reading));
}

/** The names of accounts that are no labels of their pods; a pod whose account has no object is not looked at. */
export function unlabelledAccounts({ resolve }: Reading): readonly string[] {
  const accounts = resolve.labelled(serviceAccountKind, null, everything);
  return [...new Set(accounts.map(({ name }) => name).filter(isLong))].sort();
}

/** By namespace, the names of the accounts. */
type Accounts = ReadonlyMap<string, readonly string[]>;

function selectedBy(selector: Selector, namespace: string | null, { resolve }: Reading): Accounts {
  const isNamed = mentions(selector, nameLabel);
  const asked = resolve.labelled(serviceAccountKind, namespace, isNamed ? everything : selector);
  const objects = isNamed
    ? asked.filter((object) => selects(selector, serviceAccountLabels(object.name, object.labels)))
    : asked;
  const byNamespace = Map.groupBy(objects, (object) => object.namespace ?? "default");
  return new Map(Array.from(byNamespace, ([key, all]) => [key, all.map(({ name }) => name)]));
}

function runningAs(accounts: Accounts): readonly PodGroup[] {
  return Array.from(accounts, ([namespace, names]) => ({
    ...{ kind: "pods", namespaces: namespacesNamed([namespace]), pods: podsRunningAs(names) },
  }));
}

function runningAsNoneOf(accounts: Accounts): readonly PodGroup[] | null {
  if (accounts.size === 0) return null;
  const elsewhere = requirements([{ operator: "NotIn", key: nameKey, values: [...accounts.keys()] }]);
  return [
    ...runningAs(accounts).map((group): PodGroup => ({ ...group, pods: negationOf(group.pods) })),
    { kind: "pods", namespaces: elsewhere, pods: everything },
  ];
}
