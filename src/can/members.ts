// Groups with the names of their ends: workloads with how many of their pods, and networks. What is alike in both families is one
// group.

import { PodGroups } from "../analysis/pod-groups.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import type { PodKey } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { familyNames } from "../model/ip.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import { trafficsOf } from "../verdicts/traffic-words.ts";
import type { RawGroup } from "./groups.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import { AddressTitles, isEvery } from "./address-titles.ts";
import type { CanGroup, Members, WorkloadPart } from "./report.ts";

/** Ends of a group, of one family or of both. */
interface Named {
  readonly pods: readonly PodKey[];
  readonly addresses: readonly Cidr[];
  /** One of each family. */
  readonly titles: readonly string[];
}

interface Joined {
  readonly raw: RawGroup;
  readonly families: readonly IpFamily[];
  readonly from: Named;
  readonly to: Named;
}

const verdicts = ["allow", "unknown", "deny"] as const;

export class GroupsShown {
  readonly #workloads: PodGroups;
  readonly #titles: AddressTitles;
  /** By list of pods, because groups repeat them. */
  readonly #parts = new Map<readonly PodKey[], readonly WorkloadPart[]>();
  readonly #lists = new Map<string, readonly PodKey[]>();

  constructor({ facts }: AskedWorld) {
    this.#workloads = new PodGroups(facts.pods);
    this.#titles = new AddressTitles(facts.nodes);
  }

  shown(groups: readonly RawGroup[]): readonly CanGroup[] {
    const joined = new Map<string, Joined>();
    for (const raw of groups) {
      const [from, to] = [this.#named(raw.family, "from", raw.from), this.#named(raw.family, "to", raw.to)];
      const one = { raw, families: [raw.family.family], from: without(from, to), to: without(to, from) };
      const key = this.#textOf(one);
      const known = joined.get(key);
      joined.set(key, known === undefined ? one : together(known, one));
    }
    const shown = [...joined.values()].map((one) => this.#group(one));
    return shown.sort(
      (a, b) => verdicts.indexOf(a.verdict) - verdicts.indexOf(b.verdict) || sizeOf(b) - sizeOf(a),
    );
  }

  #group({ raw, families, from, to }: Joined): CanGroup {
    const { decided, family, traffic, example } = raw;
    const { verdict, egress, ingress, why } = decided;
    return {
      verdict,
      families: families.map((one) => familyNames[one]),
      ...{ from: this.#members(from), to: this.#members(to) },
      traffic: trafficsOf(family.intervalsOf(traffic), families),
      ...{ egress, ingress, why, example: exampleOf(example) },
    };
  }

  #named(family: FamilyCrossings, role: Role, classes: readonly EndClass[]): Named {
    const pods = classes.flatMap((one) => one.pods).sort((a, b) => a.rank - b.rank);
    const keys = [...new Set(pods.map(({ key }) => key))];
    const pieces = classes.flatMap((one) => one.pieces);
    const title = this.#titles.of(family, role, pieces);
    return {
      ...{ pods: this.#interned(keys), addresses: family.networksOf(pieces) },
      titles: title === "" ? [] : [title],
    };
  }

  /** Equal lists are one. */
  #interned(keys: readonly PodKey[]): readonly PodKey[] {
    const text = keys.join(" ");
    const known = this.#lists.get(text) ?? keys;
    this.#lists.set(text, known);
    return known;
  }

  #textOf({ raw: { decided, family, traffic }, from, to }: Joined): string {
    const ends = [from, to].map(({ pods, addresses }) => [pods.join(" "), addresses.length > 0]);
    return JSON.stringify([decided.text, family.intervalsOf(traffic), ends]);
  }

  #members({ pods, addresses, titles }: Named): Members {
    const workloads = this.#partsOf(pods);
    return { pods: pods.length, workloads, addresses, addressesTitle: titleOf(titles) };
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

/** Of both families. */
function titleOf(titles: readonly string[]): string {
  return titles.length === 2 && titles.every(isEvery) ? "every address that no pod has" : titles.join("; ");
}

function together(one: Joined, { families, from, to }: Joined): Joined {
  const join = (a: Named, b: Named): Named => ({
    pods: a.pods,
    addresses: [...a.addresses, ...b.addresses],
    titles: [...a.titles, ...b.titles],
  });
  return {
    raw: one.raw,
    families: [...one.families, ...families],
    from: join(one.from, from),
    to: join(one.to, to),
  };
}

/** A pod that is the only end on the other side is never meant on this one. */
function without(named: Named, other: Named): Named {
  const [only] = other.pods;
  if (only === undefined || other.pods.length + other.addresses.length !== 1 || !named.pods.includes(only))
    return named;
  return { ...named, pods: named.pods.filter((key) => key !== only) };
}

function sizeOf({ from, to }: CanGroup): number {
  return from.pods + to.pods;
}

function exampleOf({ from, to, protocol, port }: Connection): CanGroup["example"] {
  const isPorted = protocol === "tcp" || protocol === "udp" || protocol === "sctp";
  return { from: endText(from), to: endText(to), protocol: String(protocol), port: isPorted ? port : null };
}

function endText({ ip, pod }: End): string {
  return pod === null ? ip : `${podKey(pod.namespace, pod.name)}@${ip}`;
}
