// The kinds of objects that a source reads, each with its parser: Pods, Namespaces, Nodes, the installed dialects'
// policies and the objects that those may refer to. Any other kind is left alone, unless its name or its group says that
// it may be one of these misspelled: an unread policy protects nothing.

import { invariant } from "../../lib/invariant.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { NodeAddresses } from "../../model/facts.ts";
import type { GroupKind, GroupVersion, KindText, ObjectKind, WorldObject } from "../../model/object.ts";
import { apiVersionOf, factKinds, kindText, servedKinds } from "../../model/object.ts";
import { quote } from "../../model/quote.ts";
import { isApiVersion, isKindName } from "../../model/syntax.ts";
import { parseNamespace } from "./namespace.ts";
import { parseNode } from "./node.ts";
import type { Parsed } from "./object.ts";
import { parsePolicyObject, parseReferencedObject } from "./object.ts";
import { parsePod, parseWholePod } from "./pod.ts";

export interface ReadableKind extends ObjectKind {
  /** Set for kinds whose problems a dialect finds later. */
  readonly policy: boolean;
  /** Set for kinds whose status is kept as it is seen, because a part of it may be written. */
  readonly hasStatus: boolean;
  /** Set for kinds that are not read: their parser refuses every object, and says why. */
  readonly isUnread?: true;
  /** Set for those of them whose objects are left alone. */
  readonly isLeftAlone?: true;
  /** `as`: where it was read; the kind's own group and version unless given. */
  parse(value: unknown, as?: GroupVersion): Parsed<WorldObject>;
}

function coreKinds({ wholePods = false, nodeAddresses }: Reading): readonly ReadableKind[] {
  return [
    { ...factKinds.Namespace, policy: false, hasStatus: false, parse: parseNamespace },
    { ...factKinds.Node, policy: false, hasStatus: false, parse: (value) => parseNode(value, nodeAddresses) },
    { ...factKinds.Pod, policy: false, hasStatus: false, parse: wholePods ? parseWholePod : parsePod },
  ];
}

/** How objects are read, and what is read beyond that which the controller needs. */
export interface Reading {
  /** Whether pods mount a service account's token, and what has made them; false unless given. */
  readonly wholePods?: boolean;
  /** `status` unless given. */
  readonly nodeAddresses?: NodeAddresses;
  /** The labels of policies, which mean nothing to them; false unless given. */
  readonly labels?: boolean;
  /** Kinds of policy that are not read as the program is set, each with what is reported of its objects; none unless given. */
  readonly unread?: readonly UnreadKind[];
}

/** A kind that is not read, and the reason: one sentence without a full stop; null: its objects are left alone. */
export interface UnreadKind {
  readonly kind: ObjectKind;
  readonly message: string | null;
}

/** Every kind once, though several dialects may refer to it. */
export function readableKinds(
  policies: readonly ObjectKind[],
  references: readonly ObjectKind[] = [],
  reading: Reading = {},
): readonly ReadableKind[] {
  const core = coreKinds(reading);
  const kinds = new Map<KindText, ReadableKind>();
  const add = (kind: ReadableKind): void => {
    const known = kinds.get(kindText(kind));
    invariant(
      known === undefined ||
        (!known.policy && !kind.policy && known.version === kind.version && !core.includes(known)),
      `${kindText(kind)} is read twice`,
    );
    if (known === undefined) kinds.set(kindText(kind), kind);
  };
  for (const kind of core) add(kind);
  for (const kind of policies) {
    const one = plain(kind);
    const { besides = [] } = kind;
    const parse = reading.labels === true ? parseReferencedObject : parsePolicyObject;
    add({ ...one, besides, policy: true, hasStatus: true, parse: (value, as) => parse(value, one, as) });
  }
  for (const kind of references) {
    const one = plain(kind);
    const parse = (value: unknown, as?: GroupVersion) => parseReferencedObject(value, one, as);
    add({ ...one, policy: false, hasStatus: true, parse });
  }
  for (const { kind, message } of reading.unread ?? []) add(refusing(plain(kind), message));
  return [...kinds.values()];
}

function refusing(kind: ObjectKind, message: string | null): ReadableKind {
  if (message === null) {
    const parse = () => ({ object: null, problems: [] });
    return { ...kind, policy: false, hasStatus: false, isUnread: true, isLeftAlone: true, parse };
  }
  const problem = { code: "Unsupported", severity: "error", field: "", message } as const;
  const parse = () => ({ object: null, problems: [problem] });
  return { ...kind, policy: false, hasStatus: false, isUnread: true, parse };
}

/** Where an object has a mistake, and the sentence about it. */
interface Misnamed {
  readonly field: "kind" | "apiVersion";
  readonly message: string;
}

function isUnread({ isUnread: is }: ReadableKind): boolean {
  return is === true;
}

/** Whether the group of the first has the other kind too, which is read for nothing. */
function isBeside(one: ReadableKind, { group, kind }: GroupKind): boolean {
  return one.besides?.includes(kind) === true && servedKinds(one).some((served) => served.group === group);
}

/**
 * Of a kind and version that are not read: the mistake that its writer may have made, with nothing of theirs that a
 * terminal could obey. null: it is another kind, which is left alone. In a group of policies every kind is suspect; in
 * the core group only what is one letter off.
 */
export function misnamed(
  { group, kind }: GroupKind,
  apiVersion: string,
  known: readonly ReadableKind[],
): Misnamed | null {
  const [unread, kinds] = [known.filter(isUnread), known.filter((one) => !isUnread(one))];
  if (unread.some((one) => isBeside(one, { group, kind }))) return null;
  const named = kinds.filter((one) => one.kind === kind);
  if (named.length > 0) {
    const served = named.flatMap(servedKinds);
    const inGroup = served.filter((one) => one.group === group);
    const expected = (inGroup.length > 0 ? inGroup : served).map(apiVersionOf).join(" or ");
    return {
      field: "apiVersion",
      message: `${kind} is read from ${expected}, not from ${quote(apiVersion)}`,
    };
  }
  if (!isKindName(kind)) return { field: "kind", message: `${quote(kind)} is not the name of a kind` };
  if (!isApiVersion(apiVersion))
    return { field: "apiVersion", message: `${quote(apiVersion)} is not a version of an API` };
  const siblings = kinds.filter((one) => servedKinds(one).some((served) => served.group === group));
  if (siblings.some((one) => isBeside(one, { group, kind }))) return null;
  const names = siblings.map((one) => one.kind);
  const meant = nearest(kind, names, group === "" ? 1 : undefined);
  if (siblings.length === 0 || (group === "" && meant === null)) return null;
  const hint = meant === null ? `of its group it reads ${names.join(", ")}` : `did you mean ${meant}?`;
  return { field: "kind", message: `${kind} (${apiVersion}) is not one that Northgate reads; ${hint}` };
}

function plain(one: ObjectKind): ObjectKind {
  const { group, version, kind, resource, namespaced, servedAs, askedIn, holds } = one;
  return {
    ...{ group, version, kind, resource, namespaced },
    ...(servedAs === undefined ? {} : { servedAs }),
    ...(askedIn === undefined ? {} : { askedIn }),
    ...(holds === undefined ? {} : { holds }),
  };
}
