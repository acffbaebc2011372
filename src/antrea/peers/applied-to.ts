// `appliedTo` of a policy or of a rule → the pods that it is about. Entries add up. What is no pod on the pod network has
// nothing that rows could hang on: such an entry selects nothing and is an error.

import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import type { PodGroup } from "../../policy/ir.ts";
import { readGroup } from "./groups.ts";
import type { Reading } from "../reading.ts";
import { readNamespacedName, readPods, readServiceAccount } from "./selectors.ts";
import { readSelector } from "../../kubernetes/selector.ts";

const ways = ["group", "serviceAccount", "service", "nodeSelector", "externalEntitySelector"] as const;
type Way = (typeof ways)[number];

const selectors = ["podSelector", "namespaceSelector"];
/** Of a ClusterNetworkPolicy alone. */
const clusterWide = ["namespaceSelector", "serviceAccount", "service", "nodeSelector"];

export interface AppliedTo {
  readonly pods: readonly PodGroup[];
  /** The policy is about a Service of the nodes: its rules may name nothing but networks. */
  readonly isService: boolean;
  /** A policy of a namespace names a group with pods of others, and is not realized at all. */
  readonly reachesOut: boolean;
}

type Entry = Omit<AppliedTo, "isService">;

const nobody: Entry = { pods: [], reachesOut: false };

/** `inRule`: of a rule, not of the policy. */
export function readAppliedTo(field: Field, inRule: boolean, reading: Reading): AppliedTo | null {
  const items = field.list(1, Infinity);
  const entries = items && readAll(items, (item) => readEntry(item, inRule, reading));
  if (items === null || entries === null) return null;
  const services = items.filter((item) => item.has("service"));
  if (services.length > 0 && services.length < items.length)
    return field.error("an entry with service must not be beside other entries");
  return {
    pods: entries.flatMap(({ pods }) => pods),
    reachesOut: entries.some(({ reachesOut }) => reachesOut),
    isService: services.length > 0,
  };
}

function readEntry(field: Field, inRule: boolean, reading: Reading): Entry | null {
  if (!field.object()) return null;
  const isStrange = reading.closeUnknown(field, [...ways, ...selectors]);
  const wrong = reading.namespace === null ? undefined : clusterWide.find((one) => field.has(one));
  if (wrong !== undefined) return field.at(wrong).error("only a ClusterNetworkPolicy may have it");
  const entry = readKnown(field, inRule, reading);
  return entry !== null && isStrange ? nobody : entry;
}

function readKnown(field: Field, inRule: boolean, reading: Reading): Entry | null {
  const found = ways.filter((way) => field.has(way));
  const beside = selectors.filter((one) => field.has(one));
  const [way] = found;
  if (way === undefined) return readSelectors(field, beside.length === 0, reading);
  const isPair = way === "externalEntitySelector" && !beside.includes("podSelector");
  if (found.length > 1 || (beside.length > 0 && !isPair))
    return field.error(`must have only one of ${[...found, ...beside].join(", ")}`);
  return readWay(field.at(way), way, inRule, reading);
}

function readSelectors(field: Field, isEmpty: boolean, reading: Reading): Entry | null {
  if (isEmpty && (reading.namespace === null || field.names().length > 0)) {
    if (field.names().length === 0) reading.close(field, "an empty entry selects nothing");
    return nobody;
  }
  const pods = readPods(field, reading.namespace);
  return pods && { ...nobody, pods: [pods] };
}

function readWay(field: Field, way: Way, inRule: boolean, reading: Reading): Entry | null {
  switch (way) {
    case "group":
      return readMembers(field, reading);
    case "serviceAccount": {
      const pods = readServiceAccount(field);
      return pods && { ...nobody, pods: [pods] };
    }
    case "service":
      return readNamespacedName(field, null) && unsayable(field, "traffic to a node's port", reading);
    case "nodeSelector":
      if (inRule) return field.error("must be in the policy's appliedTo, not in a rule's");
      return readSelector(field) && unsayable(field, "a node's own traffic", reading);
    case "externalEntitySelector":
      return unsayable(field, "an external entity", reading);
  }
}

function unsayable(field: Field, what: string, reading: Reading): Entry {
  reading.close(field, `OVN has no rows for ${what}, so that this entry selects nothing`);
  return nobody;
}

/** Networks of a group have no meaning here, and nodes select nothing. */
function readMembers(field: Field, reading: Reading): Entry | null {
  const members = readGroup(field, reading);
  if (members === null) return null;
  if (members.nodes.length > 0) unsayable(field, "a node's own traffic", reading);
  return {
    pods: members.pods,
    reachesOut: reading.namespace !== null && members.reachesOut,
  };
}
