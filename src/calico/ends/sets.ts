// The networks of the NetworkSets and GlobalNetworkSets that a side of a rule selects. A NetworkSet answers selectors of
// namespaces as its namespace does; a GlobalNetworkSet has none. A Namespace that does not exist has its name alone.

import { aloneIn } from "../../model/cidr.ts";
import type { Cidr } from "../../model/ip.ts";
import { parseCidr, parseIp } from "../../model/ip.ts";
import { noLabels } from "../../model/labels.ts";
import type { ReferencedObject } from "../../model/object.ts";
import { Field, Problems, readAll } from "../../model/reader.ts";
import type { Selector } from "../../model/selector.ts";
import { everything, mentions, selects } from "../../model/selector.ts";
import type { ReferenceStatus } from "../../policy/contracts/dialect.ts";
import { globalNetworkSetKind, networkSetKind } from "../kinds.ts";
import type { Reading } from "../reading.ts";
import { nameLabel, namespaceLabels, networkSetLabels } from "../selector/keys.ts";
import { asksOnly } from "./selectors.ts";
import type { Selection } from "./selection.ts";

/** The label that what has a namespace has beside its own. */
const namespaceLabel = "projectcalico.org/namespace";
/** `field`: where a finding about a set is told. */
export function netsOfSets(field: Field, selection: Selection, reading: Reading): readonly Cidr[] {
  if (!includesSets(selection)) return [];
  const sets = [...namespacedSets(selection, reading), ...globalSets(selection, reading)];
  return [...new Set(sets.flatMap((set) => netsFor(field, set, reading)))];
}

/** A set runs as no service account: as Calico's code has it, it answers selectors of accounts as if it had no labels. */
function includesSets({ accounts }: Selection): boolean {
  return accounts === null || (accounts.names.length === 0 && selects(accounts.selector, noLabels));
}

function namespacedSets(selection: Selection, reading: Reading): readonly ReferencedObject[] {
  const { labels, namespace, namespaces } = selection;
  if (namespaces?.isGlobal === true) return [];
  const sets = selectedBy(labels, namespace, reading);
  if (namespaces === null || namespaces.selector.text === everything.text) return sets;
  const { selector } = namespaces;
  // By the name alone, nothing else of a Namespace matters.
  const isByName = asksOnly(selector, nameLabel);
  return sets.filter(({ namespace: home }) => {
    const name = home ?? "default";
    const fact = isByName ? null : reading.resolve.namespace(name);
    return selects(selector, namespaceLabels(name, fact?.labels ?? noLabels));
  });
}

function selectedBy(
  selector: Selector,
  namespace: string | null,
  { resolve }: Reading,
): readonly ReferencedObject[] {
  if (!mentions(selector, namespaceLabel)) return resolve.labelled(networkSetKind, namespace, selector);
  const sets = resolve.labelled(networkSetKind, namespace, everything);
  return sets.filter((set) => selects(selector, networkSetLabels(set.namespace, set.labels)));
}

function globalSets({ labels, namespace, namespaces }: Selection, { resolve }: Reading) {
  const isMeant = namespaces === null ? namespace === null : namespaces.holdsOutside;
  return isMeant ? resolve.labelled(globalNetworkSetKind, null, labels) : [];
}

function netsFor(field: Field, set: ReferencedObject, reading: Reading): readonly Cidr[] {
  const problems = new Problems();
  const nets = readNets(set, problems);
  if (nets !== null) return nets;
  const [first] = problems.list();
  reading.close(
    field,
    `${set.kind} ${set.name}: ${first?.field ?? ""}: ${first?.message ?? ""}`,
    "InvalidCIDR",
  );
  return [];
}

/** A bare address is a network of one; bits behind a prefix are fine. null: an error was reported. */
function readNets({ spec }: ReferencedObject, problems: Problems): readonly Cidr[] | null {
  const nets = new Field(problems, "spec", spec).at("nets");
  const items = nets.present ? nets.list(0, Infinity) : [];
  return items && readAll(items, readNet);
}

function readNet(field: Field): Cidr | null {
  const text = field.string();
  if (text === null) return null;
  const ip = parseIp(text);
  const cidr = ip === null ? parseCidr(text) : aloneIn(ip);
  return cidr ?? field.error(`${field.quoted} is not an address or a network`, "InvalidCIDR");
}

/** What is wrong with a set, whether a policy selects it or not. */
export const setStatus: ReferenceStatus = {
  type: null,
  judge: (set) => {
    const problems = new Problems();
    const isTrue = readNets(set, problems) !== null;
    const found = problems.list();
    const message = isTrue
      ? "Every network is understood"
      : found.map((one) => `${one.field}: ${one.message}`).join("; ");
    return { isTrue, reason: isTrue ? "Accepted" : "Invalid", message, problems: found };
  },
};
