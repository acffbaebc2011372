// How a set of ends is shown: by whole namespaces and by labels, so that people read "all 1,000 pods of 10 namespaces",
// "kube-system k8s-app=kube-dns" or "everything outside shop" and not a list of names. A title means exactly its ends, but for
// lists that are cut and counted. Titles hold users' text as it is; the code that prints them makes it harmless.

import { numberText } from "../../lib/counted.ts";
import { excerptOf, listed } from "../../lib/text/few.ts";
import type { Ref } from "../../analysis/ref.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import type { Cidr, IpAddress } from "../../model/ip.ts";
import { AddressWords } from "../address-words.ts";
import { namespacesText, shown } from "./few-ends.ts";
import type { Part } from "./pod-parts.ts";
import { PodParts } from "./pod-parts.ts";
import { WorkloadWords } from "./workload-words.ts";

/** All of the pods, those of the workloads, and all addresses in the networks that are no pod's. */
export interface Ends {
  readonly title: string;
  readonly pods: readonly PodKey[];
  /** Whose pods are not there yet. */
  readonly workloads: readonly Ref[];
  readonly addresses: readonly Cidr[];
}

export class Titles {
  readonly parts: PodParts;
  readonly #addresses: AddressWords;
  readonly #workloads: WorkloadWords;

  /** `pods` and `workloads`: all that are ends; `nodes`: names by address. */
  constructor(
    pods: ReadonlyMap<PodKey, PodFact>,
    workloads: readonly Ref[],
    nodes: ReadonlyMap<IpAddress, string>,
  ) {
    this.parts = new PodParts(pods);
    this.#workloads = new WorkloadWords(workloads);
    this.#addresses = new AddressWords(nodes);
  }

  /** `other`: the only end on the other side, which is no end on this one. */
  of({ pods, workloads, addresses }: Omit<Ends, "title">, other: PodKey | null = null): string {
    const gaps = this.#addresses.gapsOf(addresses);
    const isOfAddressesAlone = pods.length + workloads.length === 0;
    const whole =
      isOfAddressesAlone || gaps === null ? null : this.#everything({ pods, workloads }, gaps, other);
    if (whole !== null) return whole;
    const parts = [this.#ofPods(pods, other), this.#workloads.of(workloads), this.#addresses.of(addresses)];
    return parts.filter((part) => part !== null).join(" and ");
  }

  /** Every address, with pods and workloads: by those that are left out; null: these take more words than the others. */
  #everything(
    { pods, workloads }: Pick<Ends, "pods" | "workloads">,
    gaps: readonly string[],
    other: PodKey | null,
  ): string | null {
    const left = this.parts.left(pods, other);
    const lacking = this.#workloads.left(workloads);
    const but = gaps.length === 0 ? "" : ` but ${listed(gaps)}`;
    if (left.length + lacking.length === 0) return `everything${but}`;
    const most = Math.min(shown, this.parts.of(pods, other).length + this.#workloads.homesOf(workloads));
    const homes = this.#outside(left, lacking);
    if (homes !== null) return homes.length > most ? null : `everything outside ${listed(homes)}${but}`;
    if (left.length > most || lacking.length > 0) return null;
    return `everything but ${listed([...left.map((part) => this.#ofPart(part)), ...gaps])}`;
  }

  /** Namespaces of which all pods and workloads are left out; null: of some a part is. */
  #outside(left: readonly Part[], lacking: ReturnType<WorkloadWords["left"]>): readonly string[] | null {
    const [ofPods, ofWorkloads] = [left, lacking].map((list) => list.map(({ namespace }) => namespace));
    const isWhole =
      left.every(
        ({ namespace, how }) =>
          how === "whole" &&
          (!this.#workloads.isHome(namespace) || ofWorkloads?.includes(namespace) === true),
      ) &&
      lacking.every(
        (one) =>
          one.isWhole && (!this.parts.isHome(one.namespace) || ofPods?.includes(one.namespace) === true),
      );
    return isWhole ? [...new Set([...(ofPods ?? []), ...(ofWorkloads ?? [])])] : null;
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

function allPods(count: number): string {
  if (count === 1) return "the only pod";
  return count === 2 ? "both pods" : `all ${numberText(count)} pods`;
}
