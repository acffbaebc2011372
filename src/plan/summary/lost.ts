// What pods lose with an edit: they reached DNS and reach none any more, the same of the API server, and their nodes' probes no
// longer arrive. The places are those of lint. Asked of the engine, kind of ends by kind of ends. A workload loses what its pods lose
// wherever they are. Where a verdict is open, nothing is said to be lost.

import type { Destination, Needs } from "../../analysis/needs.ts";
import {
  apiServers,
  atPorts,
  dnsPorts,
  dnsServers,
  podsIn,
  probePorts,
  sourcesOf,
} from "../../analysis/needs.ts";
import { refOfWorkload, refText } from "../../analysis/ref.ts";
import type { FactStore } from "../../model/fact-store.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import { anyNode } from "../../model/workload.ts";
import { familyOf } from "../../model/ip.ts";
import type { Comparison } from "../../verdicts/comparison.ts";
import type { Role } from "../../verdicts/ends/kinds.ts";
import type { WorkloadEnd } from "../../verdicts/ends/templates.ts";
import { podFamiliesIn } from "../../verdicts/pod-families.ts";
import type { Effect } from "../report.ts";
import type { Client, Place, Server } from "./asking.ts";
import { Asking, isWorkload } from "./asking.ts";

export interface Loss {
  readonly code: Effect["code"];
  readonly pods: ReadonlySet<PodKey>;
  /** By the texts of their references. */
  readonly workloads: ReadonlySet<string>;
  /** The side of those that lose in the connections that they lose. */
  readonly role: Role;
  /** Of the other side: places of which a class has at least one. */
  readonly far: readonly Place[];
  readonly protocol: Destination["protocol"];
  /** null: each of those that lose has its own. */
  readonly ports: readonly number[] | null;
}

export function lossesOf(
  comparisons: readonly Comparison[],
  needs: Needs,
  facts: FactStore,
): readonly Loss[] {
  const asking = new Asking(comparisons, podFamiliesIn(facts));
  const clients = [...podsIn(facts), ...asking.workloads];
  const outward = (code: Loss["code"], servers: readonly Server[]): readonly Loss[] => {
    const [first] = servers;
    if (first === undefined) return [];
    const losing = clients.filter((client) => asking.losesAll(client, servers));
    const { protocol } = first;
    const ports = [...new Set(servers.map(({ port }) => port))];
    const far = servers.map(({ at }) => at);
    return losing.length === 0 ? [] : [{ code, ...namesOf(losing), role: "from", far, protocol, ports }];
  };
  const dns = (protocol: Destination["protocol"]): readonly Server[] => [
    ...dnsServers(needs, facts, protocol).map(serverOf),
    ...asking.workloads.flatMap((one) =>
      atAny(one, protocol, dnsPorts(needs, templateOf(one), protocol), facts),
    ),
  ];
  return [
    ...outward("DNS", dns("udp")),
    ...outward("DNS", dns("tcp")),
    ...outward("APIServer", apiServers(needs, facts).map(serverOf)),
    ...probes(asking, clients, facts),
  ];
}

function probes(asking: Asking, clients: readonly Client[], facts: FactStore): readonly Loss[] {
  const sources = new Map(Array.from(facts.nodes, (node) => [node.name, sourcesOf(node)]));
  const losing = clients.filter((client) => {
    const to = probedAt(client, facts);
    const losesOn = (node: string): boolean =>
      (sources.get(node) ?? []).some((from) => to.some((one) => asking.loses(from, one, node)));
    if (!isWorkload(client)) return losesOn(client.node ?? anyNode);
    // Its pods may run on any node.
    return sources.size > 0 && sources.keys().every(losesOn);
  });
  if (losing.length === 0) return [];
  const names = new Set(
    losing.flatMap((one) => (isWorkload(one) ? [...sources.keys()] : (one.node ?? anyNode))),
  );
  const far = [...names].flatMap((name) => sources.get(name) ?? []);
  return [{ code: "Probes", ...namesOf(losing), role: "to", far, protocol: "tcp", ports: null }];
}

function namesOf(clients: readonly Client[]): Pick<Loss, "pods" | "workloads"> {
  const pods = clients.flatMap((one) => (isWorkload(one) ? [] : [podKey(one.namespace, one.name)]));
  const made = clients.flatMap((one) => (isWorkload(one) ? [refText(refOfWorkload(one.workload.new))] : []));
  return { pods: new Set(pods), workloads: new Set(made) };
}

function probedAt(client: Client, facts: FactStore): readonly Server[] {
  if (!isWorkload(client)) return atPorts(client, "tcp", probePorts(client)).map(serverOf);
  return atAny(client, "tcp", probePorts(templateOf(client)), facts);
}

function serverOf({ end, protocol, port }: Destination): Server {
  return { at: end, family: familyOf(end.ip), protocol, port };
}

/** In each family that pods have. */
function atAny(
  at: WorkloadEnd,
  protocol: Destination["protocol"],
  ports: readonly number[],
  facts: FactStore,
): readonly Server[] {
  const families = [...podFamiliesIn(facts)];
  return families.flatMap((family) => ports.map((port) => ({ at, family, protocol, port })));
}

function templateOf({ workload }: WorkloadEnd): PodFact {
  return workload.new.template;
}
