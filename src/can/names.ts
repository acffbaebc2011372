// The ends of groups by their names: workloads with how many of their pods, workloads that stand for pods, and networks.

import { textOfWorkload } from "../analysis/end-query.ts";
import { PodGroups } from "../analysis/pod-groups.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import type { Workload } from "../model/workload.ts";
import { workloadKey } from "../model/workload.ts";
import type { End } from "../policy/evaluate.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { AddressTitle, NamedAddresses } from "./address-titles.ts";
import { AddressTitles, titleOf } from "./address-titles.ts";
import type { Members, WorkloadPart } from "./report.ts";

/** Ends of one family or of both. */
export interface Named {
  readonly pods: readonly PodKey[];
  /** Those that stand for pods. */
  readonly workloads: readonly Workload[];
  readonly addresses: readonly Cidr[];
  /** One of each family. */
  readonly titles: readonly AddressTitle[];
}

export class Names {
  readonly #workloads: PodGroups;
  readonly #titles: AddressTitles;
  readonly #ofTemplates: ReadonlyMap<PodFact, Workload>;
  /** By list of pods, because groups repeat them. */
  readonly #parts = new Map<readonly PodKey[], readonly WorkloadPart[]>();
  readonly #lists = new Map<string, readonly PodKey[]>();

  /** `named`: networks by the words of the question. */
  constructor({ facts, workloads }: AskedWorld, named: Partial<Record<Role, NamedAddresses>> = {}) {
    this.#ofTemplates = new Map(workloads.map((one) => [one.template, one]));
    this.#workloads = new PodGroups(facts.pods);
    this.#titles = new AddressTitles(facts.nodes, named);
  }

  of(family: FamilyCrossings, role: Role, classes: readonly EndClass[]): Named {
    const pods = classes.flatMap((one) => one.pods).sort((a, b) => a.rank - b.rank);
    const keys = [...new Set(pods.map(({ key }) => key))];
    const workloads = new Set(classes.flatMap((one) => one.workloads.map(({ workload }) => workload.new)));
    const pieces = [...new Set(classes.flatMap((one) => one.pieces))];
    return {
      ...{
        pods: this.#interned(keys),
        workloads: sorted([...workloads]),
        addresses: family.networksOf(pieces),
      },
      titles: this.#titles.of(family, role, pieces),
    };
  }

  members({ pods, workloads: absent, addresses, titles }: Named): Members {
    const workloads = [...this.#partsOf(pods), ...absent.map(partOf)];
    return { pods: pods.length, workloads, addresses, addressesTitle: titleOf(titles) };
  }

  /** As explain takes it. */
  endText({ ip, pod }: End): string {
    if (pod === null) return ip;
    const workload = this.#ofTemplates.get(pod);
    return workload === undefined ? `${podKey(pod.namespace, pod.name)}@${ip}` : textOfWorkload(workload);
  }

  /** Equal lists are one. */
  #interned(keys: readonly PodKey[]): readonly PodKey[] {
    const text = keys.join(" ");
    const known = this.#lists.get(text) ?? keys;
    this.#lists.set(text, known);
    return known;
  }

  #partsOf(pods: readonly PodKey[]): readonly WorkloadPart[] {
    const known = this.#parts.get(pods);
    if (known !== undefined) return known;
    const groups = [...Map.groupBy(pods, (key) => this.#workloads.of(key))];
    const parts = groups
      .map(([group, keys]): WorkloadPart => {
        const all = this.#workloads.sizeOf(group);
        return { ...group, pods: keys.length, of: all, ...(keys.length === all ? {} : { names: keys }) };
      })
      .sort((a, b) => (a.title < b.title ? -1 : 1));
    this.#parts.set(pods, parts);
    return parts;
  }
}

/** Equal for ends that are alike in both families. */
export function textOfNamed({ pods, workloads, addresses }: Named): string {
  return JSON.stringify([pods.join(" "), workloads.map(workloadKey), addresses.length > 0]);
}

/** The same pods and workloads, in another family. */
export function namedTogether(a: Named, b: Named): Named {
  return {
    ...{ pods: a.pods, workloads: a.workloads },
    addresses: [...a.addresses, ...b.addresses],
    titles: [...a.titles, ...b.titles],
  };
}

function sorted(workloads: readonly Workload[]): readonly Workload[] {
  return workloads.toSorted((a, b) => (workloadKey(a) < workloadKey(b) ? -1 : 1));
}

/** None of its pods is there. */
function partOf({ namespace, kind, name }: Workload): WorkloadPart {
  return { title: `${namespace}/${name}`, namespace, kind, name, pods: 0, of: 0 };
}
