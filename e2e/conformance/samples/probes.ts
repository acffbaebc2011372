// The connections that a suite has tried, from the audit log of the API server: each is an exec of agnhost in a pod. Of those that the
// policies deny at all times of the try, whether samples have reported a dropped connection. Services are named by their address: the log has
// their creation too, and its answer their address.

import { AuditLog, eventsIn } from "../../audit-log.ts";
import type { PodFact } from "../../../src/model/facts.ts";
import { podKey } from "../../../src/model/facts.ts";
import type { IpAddress } from "../../../src/model/ip.ts";
import { parseIp } from "../../../src/model/ip.ts";
import type { SeenEvent } from "../../../src/observe/decode/event.ts";
import { judge } from "../../../src/policy/evaluate.ts";
import type { TimedChange } from "./history.ts";
import type { Window } from "./judged.ts";
import { usualWindow } from "./judged.ts";
import type { Hearing, State } from "./states.ts";
import { tellStates } from "./states.ts";

/** A Service, as far as the suites have them: ports are those of its pods. */
export interface ProbedService {
  readonly namespace: string;
  readonly ips: readonly IpAddress[];
  readonly selector: Readonly<Record<string, string>>;
}

export interface Probe {
  /** Milliseconds since 1970. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly namespace: string;
  readonly pod: string;
  readonly ip: IpAddress;
  readonly port: number;
  readonly protocol: (typeof protocols)[number];
}

const protocols = ["tcp", "udp", "sctp"] as const;

export interface Probed {
  readonly probes: readonly Probe[];
  readonly services: readonly ProbedService[];
}

/** The parts of an audit event that are looked at. */
interface AuditEvent {
  readonly requestURI: string;
  readonly stage: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly objectRef?: { readonly namespace?: string; readonly name?: string };
  readonly responseObject?: {
    readonly spec?: { readonly clusterIPs?: readonly string[]; readonly selector?: Record<string, string> };
  };
}

/** Of the API server, for a log in the folder. */
export function auditFlags(dir: string): readonly string[] {
  return new AuditLog(dir).flags({
    omitStages: ["RequestReceived", "ResponseStarted"],
    rules: [
      { level: "Metadata", resources: [{ group: "", resources: ["pods/exec"] }] },
      { level: "RequestResponse", verbs: ["create"], resources: [{ group: "", resources: ["services"] }] },
    ],
  });
}

/** What the log in the folder has. */
export function probedIn(dir: string): Probed {
  return probedBy(new AuditLog<AuditEvent>(dir).events());
}

export function readProbed(text: string): Probed {
  return probedBy(eventsIn(text) as readonly AuditEvent[]);
}

function probedBy(events: readonly AuditEvent[]): Probed {
  return { probes: events.flatMap(probeIn), services: events.flatMap(serviceIn) };
}

/** `/agnhost connect 10.0.0.1:80 --timeout=1s --protocol=tcp` */
function probeIn(event: AuditEvent): readonly Probe[] {
  const command = new URL(event.requestURI, "http://server").searchParams.getAll("command");
  if (command[0] !== "/agnhost" || command[1] !== "connect") return [];
  const target = command.slice(2).find((word) => !word.startsWith("-")) ?? "";
  const [, v6, v4, port = ""] = /^(?:\[([0-9a-f:]+)\]|([0-9.]+)):(\d+)$/.exec(target) ?? [];
  const ip = parseIp(v6 ?? v4 ?? "");
  const protocol = protocols.find((one) => command.includes(`--protocol=${one}`));
  const { namespace, name } = event.objectRef ?? {};
  if (ip === null || protocol === undefined || namespace === undefined || name === undefined)
    throw new Error(`a try that is not understood: ${command.join(" ")}`);
  const times = {
    beganMs: Date.parse(event.requestReceivedTimestamp),
    endedMs: Date.parse(event.stageTimestamp),
  };
  return [{ ...times, namespace, pod: name, ip, port: Number(port), protocol }];
}

function serviceIn({ objectRef, responseObject }: AuditEvent): readonly ProbedService[] {
  const { clusterIPs = [], selector } = responseObject?.spec ?? {};
  const ips = clusterIPs.flatMap((text) => parseIp(text) ?? []);
  if (objectRef?.namespace === undefined || selector === undefined || ips.length === 0) return [];
  return [{ namespace: objectRef.namespace, ips, selector }];
}

export interface SeenProbes {
  readonly probes: number;
  /** At all times of their window. */
  readonly denied: number;
  readonly seen: number;
  /** Those that no sample has reported, one sentence each. */
  readonly unseen: readonly string[];
}

class Try implements Hearing {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly probe: Probe;
  readonly #services: readonly ProbedService[];
  readonly #verdicts = new Set<"allow" | "deny">();
  /** Of the pods that it may come to. */
  readonly #ips = new Set<IpAddress>();

  constructor(probe: Probe, services: readonly ProbedService[], { beforeMs, afterMs }: Window) {
    this.probe = probe;
    this.fromMs = probe.beganMs - beforeMs;
    this.untilMs = probe.endedMs + afterMs;
    this.#services = services;
  }

  hear(state: State): void {
    const { facts, policies } = state;
    const { namespace, pod, ip, port, protocol } = this.probe;
    const source = facts.pods.get(podKey(namespace, pod)) ?? null;
    const isV6 = ip.includes(":");
    const own = source?.ips.find((one) => one.includes(":") === isV6);
    if (own === undefined) return;
    for (const to of this.#destinations(ip, [...facts.pods.values()])) {
      if (to === own) continue; // Policies are not about a pod and itself.
      const ends = { from: { ip: own, pod: source }, to: { ip: to, pod: state.podAt(to) } };
      this.#ips.add(to);
      this.#verdicts.add(judge({ ...ends, protocol, port }, facts, policies).verdict);
    }
  }

  get isDenied(): boolean {
    return this.#verdicts.has("deny") && this.#verdicts.size === 1;
  }

  isSeenIn(events: readonly SeenEvent[]): boolean {
    const { beganMs, endedMs, namespace, pod, port, protocol } = this.probe;
    return events.some(({ time, from, to, ...event }) => {
      const atMs = Date.parse(time);
      // The time of a sample is a whole second.
      if (atMs < beganMs - 1_000 || atMs > endedMs + 1_000) return false;
      if (event.protocol !== protocol || event.port !== port || !this.#ips.has(to.ip)) return false;
      return from.pod?.namespace === namespace && from.pod.name === pod;
    });
  }

  #destinations(ip: IpAddress, pods: readonly PodFact[]): readonly IpAddress[] {
    const service = this.#services.find(({ ips }) => ips.includes(ip));
    if (service === undefined) return [ip];
    const isV6 = ip.includes(":");
    const { namespace, selector } = service;
    const isOf = (pod: PodFact) =>
      pod.namespace === namespace &&
      Object.entries(selector).every(([key, value]) => pod.labels.get(key) === value);
    return pods.filter(isOf).flatMap((pod) => pod.ips.filter((one) => one.includes(":") === isV6));
  }
}

/** `events`: those of dropped connections. `changes` are in the order of time. */
export function seenProbes(
  { probes, services }: Probed,
  events: readonly SeenEvent[],
  changes: readonly TimedChange[],
  window: Window = usualWindow,
): SeenProbes {
  const tries = probes.map((probe) => new Try(probe, services, window));
  tellStates(changes, tries);
  const denied = tries.filter(({ isDenied }) => isDenied);
  const unseen = denied.filter((one) => !one.isSeenIn(events));
  return {
    ...{ probes: probes.length, denied: denied.length, seen: denied.length - unseen.length },
    unseen: unseen.map(({ probe }) => textOf(probe)),
  };
}

function textOf({ beganMs, endedMs, namespace, pod, ip, protocol, port }: Probe): string {
  const time = `${new Date(beganMs).toISOString()} ${(endedMs - beganMs) / 1000} s`;
  return `${time} ${podKey(namespace, pod)} → ${ip} ${protocol} ${port}`;
}
