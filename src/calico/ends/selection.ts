// What selectors of one side of a rule, or of a policy, say together: of labels, of namespaces and of service accounts.

import { conjunctionOf, negationOf } from "../../model/selectors/folding.ts";
import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import { isDnsSubdomain } from "../../model/syntax.ts";
import { namespacesNamed, podsRunningAs } from "../../model/selectable.ts";
import type { Selector } from "../../model/selector.ts";
import { everything } from "../../model/selector.ts";
import type { PodGroup } from "../../policy/ir.ts";
import type { Reading } from "../reading.ts";
import { isLong } from "../selector/keys.ts";
import { podsOfAccounts } from "./accounts.ts";
import { intersection } from "./groups.ts";
import type { NamespaceSelector } from "./selectors.ts";
import { podsByLabels, namespacesBy, readNamespaceSelector, readSelector } from "./selectors.ts";

/** All of it holds. The keys of selectors are as users write them. */
export interface Selection {
  /** Of an endpoint's labels. */
  readonly labels: Selector;
  /** The one namespace that is meant; null: that, where none is selected, any endpoint is, in a namespace or in none. */
  readonly namespace: string | null;
  /** null: not given. */
  readonly namespaces: NamespaceSelector | null;
  /** null: not given. */
  readonly accounts: Accounts | null;
}

export interface Accounts {
  /** Empty: any. */
  readonly names: readonly string[];
  readonly selector: Selector;
}

/** The positive part of a side; "none": there is none; null: an error was reported. */
export function readSelection(side: Field, reading: Reading): Selection | "none" | null {
  const [selector, not] = [readSelector(side.at("selector")), readSelector(side.at("notSelector"))];
  const namespaces = readNamespaceSelector(side.at("namespaceSelector"));
  const accounts = readAccounts(side.at("serviceAccounts"), reading);
  if (selector === null || not === null || namespaces === null || accounts === null) return null;
  const given = [selector, namespaces, accounts, reading.namespace === null ? "none" : not];
  if (given.every((one) => one === "none")) return "none";
  return {
    labels: labelsOf(selector, not),
    namespace: namespaces === "none" ? reading.namespace : null,
    namespaces: namespaces === "none" ? null : namespaces,
    accounts: accounts === "none" ? null : accounts,
  };
}

function labelsOf(selector: Selector | "none", not: Selector | "none"): Selector {
  const wanted = selector === "none" ? everything : selector;
  return not === "none" ? wanted : conjunctionOf([wanted, negationOf(not)]);
}

/** "none": it is absent or empty, which Calico's code takes as absent; null: an error was reported. */
function readAccounts(field: Field, reading: Reading): Accounts | "none" | null {
  if (!field.present) return "none";
  if (!field.object()) return null;
  reading.closeUnknown(field, ["names", "selector"]);
  const list = field.at("names");
  const items = list.present ? list.list(0, Infinity) : [];
  const names = items && readAll(items, readAccountName);
  const selector = readSelector(field.at("selector"));
  if (names === null || selector === null) return null;
  if (names.length === 0 && selector === "none") return "none";
  return { names, selector: selector === "none" ? everything : selector };
}

function readAccountName(field: Field): string | null {
  const name = field.string();
  if (name === null || isDnsSubdomain(name)) return name;
  return field.error(`${field.quoted} is not a name of a service account`, "InvalidName");
}

/**
 * The pods of a selection; its networks are those of sets (sets.ts). `field` has the selector of labels; null: an error was
 * reported.
 */
export function podsOf(field: Field, selection: Selection, reading: Reading): readonly PodGroup[] | null {
  const { labels, namespace, namespaces, accounts } = selection;
  if (namespaces?.isGlobal === true) return [];
  const within = namespaces === null ? namespacesOf(namespace) : namespacesBy(namespaces.selector);
  const inNamespaces: readonly PodGroup[] = [{ kind: "pods", namespaces: within, pods: everything }];
  const running = accounts === null ? null : podsOfNames(accounts);
  const ofAccounts = accounts === null ? null : podsOfAccounts(accounts.selector, namespace, reading);
  const labelled = podsByLabels(field, labels, reading);
  return labelled && intersection(intersection(inNamespaces, intersection(running, ofAccounts)), labelled);
}

function namespacesOf(namespace: string | null): Selector {
  return namespace === null ? everything : namespacesNamed([namespace]);
}

/** Calico finds the names among labels of pods. */
function podsOfNames({ names }: Accounts): readonly PodGroup[] | null {
  if (names.length === 0) return null;
  const labels = names.filter((name) => !isLong(name));
  return [{ kind: "pods", namespaces: everything, pods: podsRunningAs(labels) }];
}
