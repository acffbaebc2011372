// `group` of a subject or peer → the members of the ClusterGroup or Group of that name, as it is now. A group that is not
// there has no members and may be added later: a warning. Children are one level deep. Whatever is wrong in a group's spec is
// an error of the policy that names it: the policy's previous version stays in force.

import type { ReferencedObject } from "../../model/object.ts";
import type { Field } from "../../model/reader.ts";
import { Problems, Field as Read, readAll } from "../../model/reader.ts";
import { isMulticast, readBlock } from "./blocks.ts";
import { readSelector } from "../../kubernetes/selector.ts";
import { clusterGroupKind, groupKind } from "../kinds.ts";
import type { Members } from "./members.ts";
import { noMembers, union } from "./members.ts";
import { Reading } from "../reading.ts";
import { nameAt, readPods, readServicePods } from "./selectors.ts";

/** A group says its members in one of these ways. */
const ways = [
  "selectors",
  "ipBlocks",
  "ipBlock",
  "serviceReference",
  "nodeSelector",
  "externalEntitySelector",
  "childGroups",
] as const;
type Way = (typeof ways)[number];

const selectors = ["podSelector", "namespaceSelector"];

export interface GroupMembers extends Members {
  /** Whether it may select pods of other namespaces than its own. */
  readonly reachesOut: boolean;
}

const nobody: GroupMembers = { ...noMembers, reachesOut: false };

export function readGroup(field: Field, reading: Reading): GroupMembers | null {
  const name = nameAt(field);
  return name === null ? null : readNamed(field, name, reading, null);
}

/** `parent`: the group that has this one as a child; null: a policy names it. */
function readNamed(field: Field, name: string, reading: Reading, parent: string | null): GroupMembers | null {
  const kind = reading.namespace === null ? clusterGroupKind : groupKind;
  const object = reading.resolve(kind, reading.namespace, name);
  const called = `${kind.kind} ${name}`;
  if (object === null) {
    field.warn(`there is no ${called}, so this selects nothing`, "MissingReference");
    return nobody;
  }
  const [problems, closed] = [new Problems(), new Problems()];
  const inner = new Reading(reading.namespace, reading.resolve, closed);
  const members = readSpec(new Read(problems, "spec", object.spec), inner, object, parent);
  for (const { severity, field: path, message, code } of problems.list()) {
    const told = `${called}: ${path}: ${message}`;
    if (severity === "error") field.error(told, code);
    else field.warn(told, code);
  }
  for (const { field: path, message, code } of closed.list())
    reading.close(field, `${called}: ${path}: ${message}`, code);
  return problems.failed ? null : members;
}

/** The findings of a policy that would name the group; the group itself is no other group's child. */
export function readGroupObject(object: ReferencedObject, reading: Reading, problems: Problems): void {
  readSpec(new Read(problems, "spec", object.spec), reading, object, null);
}

function readSpec(
  spec: Field,
  reading: Reading,
  { name }: ReferencedObject,
  parent: string | null,
): GroupMembers | null {
  if (!spec.object()) return null;
  const isOpen = reading.closeUnknown(spec, [...ways, ...selectors], "UnknownPeer");
  const way = chosenWay(spec);
  if (way === null) return null;
  if (way === "childGroups" && parent !== null) {
    reading.close(spec.at(way), `is a child of ${parent}, so that children of its own select nothing`);
    return nobody;
  }
  const members = way === "none" ? noWay(spec) : readWay(spec, way, reading, name);
  return members && isOpen ? { ...nobody, isOpen } : members;
}

function noWay(spec: Field): GroupMembers {
  spec.warn("has no members, so it selects nothing");
  return nobody;
}

/** A namespaceSelector beside an externalEntitySelector is a part of it. */
function chosenWay(spec: Field): Way | "none" | null {
  const isExternal = spec.has("externalEntitySelector") && !spec.has("podSelector");
  const found = ways.filter((way) =>
    way === "selectors" ? !isExternal && selectors.some((one) => spec.has(one)) : spec.has(way),
  );
  const [first = "none", ...more] = found;
  if (more.length === 0) return first;
  return spec.error(`must have only one of ${found.join(", ")}`);
}

function readWay(spec: Field, way: Way, reading: Reading, name: string): GroupMembers | null {
  const { namespace } = reading;
  switch (way) {
    case "selectors": {
      const pods = readPods(spec, namespace);
      return pods && { ...nobody, pods: [pods], reachesOut: spec.has("namespaceSelector") };
    }
    case "ipBlock":
      return readBlocks([spec.at(way)], spec.at(way), reading);
    case "ipBlocks": {
      const items = spec.at(way).list(0, Infinity);
      return items && readBlocks(items, spec.at(way), reading);
    }
    case "serviceReference":
      return readService(spec.at(way), reading);
    case "nodeSelector": {
      if (namespace !== null) return spec.at(way).error("only a ClusterGroup may have a nodeSelector");
      const nodes = readSelector(spec.at(way));
      return nodes && { ...nobody, nodes: [{ kind: "nodes", nodes }] };
    }
    case "externalEntitySelector":
      reading.close(spec.at(way), "external entities are not known here");
      return { ...nobody, isOpen: true };
    case "childGroups":
      return readChildren(spec.at(way), reading, name);
  }
}

function readBlocks(items: readonly Field[], field: Field, reading: Reading): GroupMembers | null {
  const blocks = readAll(items, (item) => readBlock(item, reading));
  if (blocks === null) return null;
  const networks = blocks.filter((block) => block !== "open");
  const some = networks.filter(isMulticast).length;
  if (some > 0 && some < networks.length)
    return field.error("must not have multicast networks beside others");
  return { ...nobody, networks, isOpen: networks.length < blocks.length };
}

function readService(field: Field, reading: Reading): GroupMembers | null {
  const members = readServicePods(field, reading.namespace, reading);
  const given = field.at("namespace");
  return members && { ...members, reachesOut: given.present && given.raw !== reading.namespace };
}

function readChildren(field: Field, reading: Reading, parent: string): GroupMembers | null {
  const items = field.list(0, Infinity);
  const children =
    items &&
    readAll(items, (item) => {
      const name = nameAt(item);
      if (name === parent) return item.error("a group must not be its own child");
      return name === null ? null : readNamed(item, name, reading, parent);
    });
  return children && { ...union(children), reachesOut: children.some(({ reachesOut }) => reachesOut) };
}
