// What pods lose with an edit: they reached DNS and reach none any more, the same of the API server, and their nodes' probes no
// longer arrive. The places are those of lint. Asked of the engine, kind of ends by kind of ends. Where a verdict is open, nothing
// is said to be lost.

import type { Destination, Needs } from "../../analysis/needs.ts";
import { apiServers, atPorts, dnsServers, podsIn, probePorts, sourcesOf } from "../../analysis/needs.ts";
import type { FactStore } from "../../model/fact-store.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import { familyOf } from "../../model/ip.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Comparison } from "../../verdicts/comparison.ts";
import type { Kind, Role } from "../../verdicts/ends/kinds.ts";
import type { Effect } from "../report.ts";
import type { Age } from "../../verdicts/worlds.ts";

export interface Loss {
  readonly code: Effect["code"];
  readonly pods: ReadonlySet<PodKey>;
  /** The side of the pods in the connections that they lose. */
  readonly role: Role;
  /** Of the other side: pods and addresses of which a class has at least one. */
  readonly far: readonly End[];
  readonly protocol: Destination["protocol"];
  /** null: each pod has its own. */
  readonly ports: readonly number[] | null;
}

export function lossesOf(
  comparisons: readonly Comparison[],
  needs: Needs,
  facts: FactStore,
): readonly Loss[] {
  const asking = new Asking(comparisons);
  const pods = podsIn(facts);
  const outward = (code: Loss["code"], servers: readonly Destination[]): readonly Loss[] => {
    const [first] = servers;
    if (first === undefined) return [];
    const losing = pods.filter((pod) => asking.losesAll(pod, servers));
    const { protocol } = first;
    const ports = [...new Set(servers.map(({ port }) => port))];
    const far = servers.map(({ end }) => end);
    return losing.length === 0 ? [] : [{ code, pods: keysOf(losing), role: "from", far, protocol, ports }];
  };
  return [
    ...outward("DNS", dnsServers(needs, facts, "udp")),
    ...outward("DNS", dnsServers(needs, facts, "tcp")),
    ...outward("APIServer", apiServers(needs, facts)),
    ...probes(asking, pods, facts),
  ];
}

function probes(asking: Asking, pods: readonly PodFact[], facts: FactStore): readonly Loss[] {
  const sources = new Map(Array.from(facts.nodes, (node) => [node.name, sourcesOf(node)]));
  const losing = pods.filter((pod) =>
    (sources.get(pod.node ?? "") ?? []).some((from) =>
      atPorts(pod, "tcp", probePorts(pod)).some((to) => asking.loses(from, to)),
    ),
  );
  if (losing.length === 0) return [];
  const far = [...new Set(losing.map(({ node }) => node ?? ""))].flatMap((name) => sources.get(name) ?? []);
  return [{ code: "Probes", pods: keysOf(losing), role: "to", far, protocol: "tcp", ports: null }];
}

function keysOf(pods: readonly PodFact[]): ReadonlySet<PodKey> {
  return new Set(pods.map(({ namespace, name }) => podKey(namespace, name)));
}

/** Verdicts on single connections in both worlds, once for each pair of kinds. */
class Asking {
  readonly #comparisons: readonly Comparison[];
  readonly #kinds = new Map<Comparison, Readonly<Record<Role, ReadonlyMap<PodKey, Kind>>>>();
  readonly #known = new Map<Kind, Map<Kind, Map<string, string>>>();

  constructor(comparisons: readonly Comparison[]) {
    this.#comparisons = comparisons;
    for (const comparison of comparisons) {
      const byPod = (role: Role) =>
        new Map(comparison.kinds[role].flatMap((kind) => kind.pods.map(({ key }) => [key, kind] as const)));
      this.#kinds.set(comparison, { from: byPod("from"), to: byPod("to") });
    }
  }

  /** It reached one of them, and reaches none. */
  losesAll(pod: PodFact, servers: readonly Destination[]): boolean {
    const others = servers.filter(({ end }) => end.pod !== pod);
    const asked = others.flatMap((to) => {
      const ip = pod.ips.find((one) => familyOf(one) === familyOf(to.end.ip));
      return ip === undefined ? [] : [{ from: { ip, pod }, to }];
    });
    const known = asked.filter(({ from, to }) => this.#verdict("new", from, to) !== null);
    if (known.length < asked.length || known.length === 0) return false;
    return (
      known.every(({ from, to }) => this.#verdict("new", from, to) === "deny") &&
      known.some(({ from, to }) => this.#verdict("old", from, to) === "allow")
    );
  }

  loses(from: End, to: Destination): boolean {
    return this.#verdict("old", from, to) === "allow" && this.#verdict("new", from, to) === "deny";
  }

  /** null: they are no ends of both worlds. */
  #verdict(age: Age, from: End, { end, protocol, port }: Destination): string | null {
    const comparison = this.#comparisons.find(({ frame }) => frame.family === familyOf(from.ip));
    if (comparison === undefined || familyOf(from.ip) !== familyOf(end.ip)) return null;
    const [source, target] = [this.#kindOf(comparison, "from", from), this.#kindOf(comparison, "to", end)];
    if (source === null || target === null) return null;
    const pairs = this.#known.get(source) ?? new Map<Kind, Map<string, string>>();
    this.#known.set(source, pairs);
    const verdicts = pairs.get(target) ?? new Map<string, string>();
    pairs.set(target, verdicts);
    const key = `${age} ${protocol} ${port}`;
    const point = { axis: protocol, number: port, source: null };
    const verdict = verdicts.get(key) ?? comparison.verdictAt(age, source, target, point);
    verdicts.set(key, verdict);
    return verdict;
  }

  #kindOf(comparison: Comparison, role: Role, { ip, pod }: End): Kind | null {
    if (pod !== null) return this.#kinds.get(comparison)?.[role].get(podKey(pod.namespace, pod.name)) ?? null;
    const piece = comparison.frame.space.pieceOf(ip);
    return comparison.kinds[role].find(({ pieces }) => pieces.includes(piece)) ?? null;
  }
}
