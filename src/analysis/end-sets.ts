// What the words of a user for the ends of connections name: pods, workloads that stand for pods, and addresses, as one set. This is
// the home of ends for every command that takes them. Refuses, in one sentence with the nearest names, what is not there.

import type { PartOfNetwork } from "../model/cidr.ts";
import { aloneIn, contains } from "../model/cidr.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { PodFact } from "../model/facts.ts";
import { type PodIndex, podIndexOf } from "./pod-index.ts";
import { addressesOfNode, isOnPodNetwork, podKey } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { quote } from "../model/quote.ts";
import { podLabels } from "../model/selectable.ts";
import type { Selector } from "../model/selector.ts";
import { selects } from "../model/selector.ts";
import type { Service, ServicePort } from "../model/service.ts";
import type { Workload } from "../model/workload.ts";
import { podsByOwner, workloadKey } from "../model/workload.ts";
import type { KnownName } from "./end-names.ts";
import { nearestThree, suggestion } from "./end-names.ts";
import type { EndQuery } from "./end-query.ts";
import { NoSuchEnd, endText, parseEnd, wordOf } from "./end-query.ts";
import { internetIn } from "./internet.ts";
import { nearSelectors } from "./near-selectors.ts";

/** A pod, and those of its addresses that are meant. */
export interface EndPod {
  readonly pod: PodFact;
  readonly ips: readonly IpAddress[];
}

export interface EndSet {
  /** As it can be asked again, with its namespace. */
  readonly text: string;
  /** Scheduled, not completed and with an address; those on their node's network too. */
  readonly pods: readonly EndPod[];
  /** Those that stand for pods which are not there. */
  readonly workloads: readonly Workload[];
  /** Of these the addresses that no pod on the pod network has. */
  readonly networks: readonly PartOfNetwork[];
  /** null: no Service was asked for. */
  readonly service: AskedService | null;
  /** The networks are ends of their own, as addresses of a host name are. Absent: addresses of one end, as those of a node. */
  readonly areApart?: true;
}

/** The pods of the set are those behind the Service. */
export interface AskedService {
  readonly service: Service;
  /** Its ports that were asked for. */
  readonly ports: readonly ServicePort[];
}

export interface NamedWorld {
  readonly facts: Pick<FactStore, "pods" | "nodes" | "hostNames">;
  /** Those that stand for pods; none unless given. */
  readonly workloads?: readonly Workload[];
  /** Every workload that was read, those with pods too. */
  readonly makers?: readonly Workload[];
  readonly services?: readonly Service[];
}

type Of<K extends EndQuery["kind"]> = Extract<EndQuery, { kind: K }>;

/** The facts must not change while it is used. */
export class EndSets {
  readonly #facts: NamedWorld["facts"];
  readonly #workloads: readonly Workload[];
  readonly #makers: readonly Workload[];
  readonly #services: readonly Service[];
  /** By namespace: a workload owns pods of its own namespace. */
  readonly #owned = new Map<string, ReturnType<typeof podsByOwner>>();
  #index: PodIndex | null = null;

  constructor({ facts, workloads = [], makers = workloads, services = [] }: NamedWorld) {
    this.#facts = facts;
    this.#workloads = workloads;
    this.#makers = makers;
    this.#services = services;
  }

  /** Made when it is asked for: it looks at every pod. */
  get index(): PodIndex {
    return (this.#index ??= podIndexOf(this.#facts.pods));
  }

  /** `namespace`: of names that have none. Throws NoSuchEnd. */
  find(text: string, namespace: string | null = null): EndSet {
    const query = parseEnd(text, namespace);
    const found = this.#found(query);
    return { text: endText(query), pods: [], workloads: [], networks: [], service: null, ...found };
  }

  /** As `find`, of the pod of that name alone. */
  pod(query: Of<"pod">): EndPod {
    const { namespace, name, ip } = query;
    const key = podKey(namespace, name);
    const pod = this.#facts.pods.get(key);
    if (pod === undefined) throw this.#nobody("pod", key, { namespace, name, sort: "pod" });
    if (pod.completed)
      throw new NoSuchEnd(`pod ${quote(key)} has completed: its address may be another pod's`);
    if (!isReached(pod)) throw new NoSuchEnd(`pod ${quote(key)} has no address yet`);
    if (ip === null) return { pod, ips: pod.ips };
    if (pod.ips.includes(ip)) return { pod, ips: [ip] };
    throw new NoSuchEnd(`pod ${quote(key)} has no address ${ip}; it has ${pod.ips.join(", ")}`);
  }

  #found(query: EndQuery): Partial<EndSet> {
    switch (query.kind) {
      case "internet":
        return { networks: internetIn(this.#facts) };
      case "address":
      case "network":
        return this.#within(query.kind === "address" ? aloneIn(query.ip) : query.cidr);
      case "node":
        return this.#node(query.name);
      case "hostName":
        return this.#hostName(query.name);
      case "pod":
        return { pods: [this.pod(query)] };
      case "pods":
        return this.#pods(query);
      case "workload":
        return this.#workload(query);
      case "service":
        return this.#service(query);
    }
  }

  #within(cidr: PartOfNetwork["cidr"]): Partial<EndSet> {
    const pods = [...this.#facts.pods.values()].filter(isOnPodNetwork).flatMap((pod) => {
      const ips = pod.ips.filter((ip) => contains(cidr, ip));
      return ips.length === 0 ? [] : [{ pod, ips }];
    });
    return { pods, networks: [{ cidr, except: [] }] };
  }

  #node(name: string): Partial<EndSet> {
    const node = [...this.#facts.nodes].find((one) => one.name === name);
    if (node === undefined) throw this.#nobody("node", name, { namespace: null, name, sort: "node" });
    const ips = addressesOfNode(node);
    if (ips.length === 0) throw new NoSuchEnd(`node ${quote(name)} has no address`);
    return { networks: ips.map((ip) => ({ cidr: aloneIn(ip), except: [] })) };
  }

  /** The addresses that were recorded, each a network of one, and the pods that have them. */
  #hostName(name: string): Partial<EndSet> {
    const fact = [...this.#facts.hostNames].find((one) => one.name === name);
    if (fact === undefined)
      throw new NoSuchEnd(
        `nothing is recorded of what DNS answers for ${quote(name)}: --names-file has none of it`,
      );
    if (fact.ips.length === 0) throw new NoSuchEnd(`DNS answered that ${quote(name)} has no address`);
    const found = fact.ips.map((ip) => this.#within(aloneIn(ip)));
    return {
      pods: found.flatMap(({ pods = [] }) => pods),
      networks: found.flatMap(({ networks = [] }) => networks),
      areApart: true,
    };
  }

  #pods(query: Of<"pods">): Partial<EndSet> {
    const { namespace, selector } = query;
    const found = this.#selected(selector, namespace);
    if (found.pods.length + found.workloads.length > 0) return found;
    const isIn = isOf(namespace);
    const isThere = [...this.#facts.pods.values(), ...this.#workloads].some(isIn);
    const who = namespace === null ? "" : ` of namespace ${quote(namespace)}`;
    throw new NoSuchEnd(
      isThere
        ? `${quote(endText(query))}: no running pod${who} is meant${this.#otherSelectors(query)}`
        : `there is no pod${who}${this.#otherHomes(query)}`,
    );
  }

  #workload(query: Of<"workload">): Partial<EndSet> {
    const { of, namespace, name } = query;
    const key = workloadKey({ ...of, namespace, name });
    const isIt = (one: Workload): boolean => workloadKey(one) === key;
    const own = this.#workloads.filter(isIt);
    if (own.length > 0) return { workloads: own };
    const owned = this.#ownedIn(namespace).get(key);
    // One that owns another which stands for pods.
    const below = this.#workloads.filter(
      ({ owner, namespace: home }) => owner !== null && workloadKey({ ...owner, namespace: home }) === key,
    );
    if (owned === undefined && below.length === 0) {
      if (this.#makers.some(isIt))
        throw new NoSuchEnd(`${of.kind} ${quote(`${namespace}/${name}`)} has no pods`);
      throw this.#nobody(of.kind, `${namespace}/${name}`, { namespace, name, sort: wordOf(of) });
    }
    const pods = (owned ?? []).filter(isReached).map((pod) => ({ pod, ips: pod.ips }));
    if (pods.length + below.length > 0) return { pods, workloads: below };
    throw new NoSuchEnd(`no pod of ${of.kind} ${quote(`${namespace}/${name}`)} has an address`);
  }

  #ownedIn(namespace: string): ReturnType<typeof podsByOwner> {
    const owned =
      this.#owned.get(namespace) ??
      podsByOwner(
        this.index.of(namespace),
        this.#makers.filter((one) => one.namespace === namespace),
      );
    this.#owned.set(namespace, owned);
    return owned;
  }

  #service(query: Of<"service">): Partial<EndSet> {
    const { namespace, name, port } = query;
    const title = quote(`${namespace}/${name}`);
    const service = this.#services.find((one) => one.namespace === namespace && one.name === name);
    if (service === undefined)
      throw this.#nobody("Service", `${namespace}/${name}`, { namespace, name, sort: "svc" });
    const ports =
      port === null
        ? service.ports
        : service.ports.filter((one) => String(one.port) === port || one.name === port);
    if (port !== null && ports.length === 0) {
      const has = service.ports.map(
        (one) => `${one.protocol} ${one.port}${one.name === "" ? "" : ` (${one.name})`}`,
      );
      throw new NoSuchEnd(`Service ${title} has no port ${quote(port)}; it has ${has.join(", ") || "none"}`);
    }
    if (service.selector === null)
      throw new NoSuchEnd(`Service ${title} has no selector: the pods behind it are not known`);
    const found = this.#selected(service.selector, namespace);
    if (found.pods.length + found.workloads.length === 0)
      throw new NoSuchEnd(`no pod behind Service ${title} is known`);
    return { ...found, service: { service, ports } };
  }

  /** `namespace` null: of any. */
  #selected(selector: Selector, namespace: string | null): Pick<EndSet, "pods" | "workloads"> {
    const isMeant = (pod: PodFact): boolean => selects(selector, podLabels(pod));
    const all = namespace === null ? [...this.#facts.pods.values()] : this.index.of(namespace);
    const isIn = isOf(namespace);
    return {
      pods: all.filter((pod) => isReached(pod) && isMeant(pod)).map((pod) => ({ pod, ips: pod.ips })),
      workloads: this.#workloads.filter(({ template }) => isIn(template) && isMeant(template)),
    };
  }

  /** Selectors near that select running pods of the namespace, and namespaces where the selector does. */
  #otherSelectors({ namespace, selector, ...query }: Of<"pods">): string {
    if (query.selectorText === null) return "";
    const pods = [
      ...[...this.#facts.pods.values()].filter(isReached),
      ...this.#workloads.map(({ template }) => template),
    ];
    const own = pods.filter((pod) => namespace === null || pod.namespace === namespace);
    const near = nearSelectors(
      selector,
      own.map(({ labels }) => labels),
    ).map((one) => ({
      text: endText({ ...query, namespace, selector: one.selector, selectorText: one.text }),
      far: one.far,
    }));
    const homes = new Set(pods.flatMap((pod) => (selects(selector, podLabels(pod)) ? [pod.namespace] : [])));
    const otherHomes = Array.from(homes, (home) => ({
      text: endText({ ...query, selector, namespace: home }),
      far: 3,
    }));
    return nearestThree([...near, ...otherHomes]);
  }

  /** The same ends of namespaces with names near. */
  #otherHomes(query: Of<"pods">): string {
    const homes = new Set(
      [...this.#facts.pods.values(), ...this.#workloads].map(({ namespace }) => namespace),
    );
    const known = Array.from(homes, (name): KnownName => {
      return { namespace: null, name, text: endText({ ...query, namespace: name }), sort: "namespace" };
    });
    return suggestion({ namespace: null, name: query.namespace ?? "", sort: "namespace" }, known);
  }

  #nobody(what: string, title: string, asked: Omit<KnownName, "text">): NoSuchEnd {
    return new NoSuchEnd(`there is no ${what} ${quote(title)}${suggestion(asked, this.#names())}`);
  }

  *#names(): Generator<KnownName> {
    for (const { namespace, name } of this.#facts.pods.values())
      yield { namespace, name, text: podKey(namespace, name), sort: "pod" };
    for (const { kind, group, namespace, name } of this.#makers) {
      const sort = wordOf({ group, kind });
      yield { namespace, name, text: `${namespace}/${sort}/${name}`, sort };
    }
    for (const { namespace, name } of this.#services)
      yield { namespace, name, text: `${namespace}/svc/${name}`, sort: "svc" };
    for (const { name } of this.#facts.nodes)
      yield { namespace: null, name, text: `node/${name}`, sort: "node" };
  }
}

function isOf(namespace: string | null) {
  return (one: { readonly namespace: string }): boolean => namespace === null || one.namespace === namespace;
}

function isReached({ node, completed, ips }: PodFact): boolean {
  return node !== null && !completed && ips.length > 0;
}
