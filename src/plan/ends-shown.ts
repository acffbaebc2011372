// How a set of ends is shown: by whole namespaces and by labels, so that people read "all 1,000 pods of 10 namespaces",
// "kube-system k8s-app=kube-dns" or "everything outside shop" and not a list of names. A title means exactly its ends, but for
// lists that are cut and counted. Titles hold users' text as it is; the code that prints them makes it harmless.

import { excerptOf, listed } from "../lib/text/few.ts";
import type { Ref } from "../analysis/ref.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { workloadText } from "../model/workload.ts";
import { AddressWords } from "./address-words.ts";
import type { Part } from "./pod-parts.ts";
import { PodParts } from "./pod-parts.ts";

/** All of the pods, those of the workloads, and all addresses in the networks that are no pod's. */
export interface Ends {
  readonly title: string;
  readonly pods: readonly PodKey[];
  /** Whose pods are not there yet. */
  readonly workloads: readonly Ref[];
  readonly addresses: readonly Cidr[];
}

const shown = 3;

export class Titles {
  readonly parts: PodParts;
  readonly #addresses: AddressWords;

  /** `pods`: all that are ends; `nodes`: names by address. */
  constructor(pods: ReadonlyMap<PodKey, PodFact>, nodes: ReadonlyMap<IpAddress, string>) {
    this.parts = new PodParts(pods);
    this.#addresses = new AddressWords(nodes);
  }

  /** `other`: the only end on the other side, which is no end on this one. */
  of({ pods, workloads, addresses }: Omit<Ends, "title">, other: PodKey | null = null): string {
    const gaps = this.#addresses.gapsOf(addresses);
    const whole = pods.length > 0 && gaps !== null ? this.#everything(pods, gaps, other) : null;
    const own = ofWorkloads(workloads);
    const parts =
      whole === null ? [this.#ofPods(pods, other), own, this.#addresses.of(addresses)] : [whole, own];
    return parts.filter((part) => part !== null).join(" and ");
  }

  /** Every address, and pods: by the pods that are left out; null: these take more words than the others. */
  #everything(pods: readonly PodKey[], gaps: readonly string[], other: PodKey | null): string | null {
    const left = this.parts.left(pods, other);
    if (left.length > Math.min(shown, this.parts.of(pods, other).length)) return null;
    const but = gaps.length === 0 ? "" : ` but ${listed(gaps)}`;
    if (left.length === 0) return `everything${but}`;
    if (left.every(({ how }) => how === "whole"))
      return `everything outside ${listed(left.map(({ namespace }) => namespace))}${but}`;
    return `everything but ${listed([...left.map((part) => this.#ofPart(part)), ...gaps])}`;
  }

  #ofPods(pods: readonly PodKey[], other: PodKey | null): string | null {
    if (pods.length === 0) return null;
    const parts = this.parts.of(pods, other);
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) return this.#ofPart(first);
    if (this.parts.isAll(pods, other)) return allPods(pods.length);
    const groups = [...Map.groupBy(parts, alikeText).values()];
    if (groups.length <= shown) return listed(groups.map((group) => this.#ofGroup(group)));
    const left = this.#butFew(pods, other);
    if (left !== null || pods.length <= shown) return left ?? listed(pods);
    const homes = parts.map(({ namespace }) => namespace);
    return `${numberText(pods.length)} pods of ${namespacesText(homes)}, ${String(pods[0])} among them`;
  }

  /** Parts of several namespaces that are described alike, or one part. */
  #ofGroup(group: readonly Part[]): string {
    const [first] = group;
    if (first === undefined) return "";
    if (group.length === 1) return this.#ofPart(first);
    const all = allPods(group.reduce((sum, { pods }) => sum + pods.length, 0));
    const homes = namespacesText(group.map(({ namespace }) => namespace));
    if (first.how === "whole") return `${all} of ${homes}`;
    return first.how === "label"
      ? `${all} ${first.text} of ${homes}`
      : `all pods of ${homes} but ${first.text}`;
  }

  #butFew(pods: readonly PodKey[], other: PodKey | null): string | null {
    if (2 * pods.length < this.parts.total) return null;
    const left = this.parts.left(pods, other);
    if (left.length > shown) return null;
    const texts = left.map((part) =>
      part.how === "whole" ? `those of ${part.namespace}` : this.#ofPart(part),
    );
    return `${allPods(this.parts.total)} but ${listed(texts)}`;
  }

  #ofPart({ namespace, how, text, pods }: Part): string {
    switch (how) {
      case "whole": {
        const label = this.parts.tellingOf(pods);
        if (label !== null) return `${namespace} ${label}`;
        return pods.length === 1 ? String(pods[0]) : `${allPods(pods.length)} of ${namespace}`;
      }
      case "label":
        return `${namespace} ${text}`;
      case "but":
        return `all pods of ${namespace} but ${text}`;
      case "pods":
        return excerptOf(pods.length, pods.slice(0, shown));
    }
  }
}

/** Equal for parts that one text describes; a list of pods is like no other. */
function alikeText({ namespace, how, text }: Part): string {
  return how === "pods" ? `pods ${namespace}` : `${how} ${text}`;
}

function ofWorkloads(workloads: readonly Ref[]): string | null {
  if (workloads.length === 0) return null;
  const names = workloads.map((one) => workloadText({ ...one, namespace: one.namespace ?? "" }));
  return excerptOf(names.length, names.slice(0, shown));
}

/** "a, b and c"; of more than three: "10 namespaces". */
export function namespacesText(names: readonly string[]): string {
  return names.length <= shown ? listed([...names].sort()) : `${numberText(names.length)} namespaces`;
}

function allPods(count: number): string {
  if (count === 1) return "the only pod";
  return count === 2 ? "both pods" : `all ${numberText(count)} pods`;
}

/** With commas between thousands. */
export function numberText(count: number): string {
  return count.toLocaleString("en-US");
}
