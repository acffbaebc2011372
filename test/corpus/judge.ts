// What the judge says of every connection of a cluster: every pair of pods, nodes and addresses at borders of networks, on every
// border of ports.

import { addressesOfNode } from "../../src/model/facts.ts";
import type { Question } from "../../src/explain/question.ts";
import { workloadKey } from "../../src/model/workload.ts";
import type { Service } from "../../src/model/service.ts";
import { readService } from "../../src/model/service.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { ClassVerdict } from "../../src/verdicts/walk.ts";
import type { LoadedWorld } from "../../src/worlds/world.ts";
import type { Asked } from "../plan/sample.ts";
import { endOf, familyIn, isIn, pairsOf, trafficOf, verdictOf } from "../plan/sample.ts";
import { unnamedPort } from "../support/can.ts";
import { ip } from "../support/facts.ts";

export interface Judgement {
  readonly connection: Connection;
  /** `unknown`: the order of policies leaves it open. */
  readonly verdict: ClassVerdict;
}

export function planWorldOf({ judged, workloads }: LoadedWorld): PlanWorld {
  return { facts: judged.facts, policies: judged.policies(), workloads };
}

/** Of all pairs of ends, but for what leads to a Service: policies see the pod behind it. A workload is a template without an address. */
export function judgementsOf(loaded: LoadedWorld): readonly Judgement[] {
  const world = planWorldOf(loaded);
  const one = { old: world, new: world };
  const services = loaded.others.map(readService);
  const traffic = trafficOf(one);
  return pairsOf(one).flatMap((pair) => {
    const [from, to] = pair.map((asked) =>
      "workload" in asked ? templateOf(loaded, asked) : endOf(world, asked),
    );
    if (from === null || to === null || from === undefined || to === undefined) return [];
    return traffic
      .filter((each) => isIn(familyIn(pair), each))
      .map((each) => ({ connection: { from, to, ...each } satisfies Connection, each }))
      .filter(({ connection }) => !isOfService(connection, services, world))
      .map(({ connection, each }) => ({ connection, verdict: verdictOf(one, "new", pair, each) }));
  });
}

/** null: it is not in the family of a workload's answer. */
function templateOf({ workloads }: LoadedWorld, { workload, family }: AskedWorkload): End | null {
  const found = workloads.find((each) => workloadKey(each) === workload);
  return found === undefined || family === "v6" ? null : { ip: unplaced, pod: found.template };
}

export interface JudgedQuestion {
  readonly question: Question;
  readonly verdict: ClassVerdict;
}

/** Of every pair of pods, and of workloads that stand for pods. */
export function questionsOf(loaded: LoadedWorld): readonly JudgedQuestion[] {
  const world = planWorldOf(loaded);
  const one = { old: world, new: world };
  const traffic = trafficOf(one);
  return pairsOf(one).flatMap((pair) => {
    const [from, to] = pair.map((end) => textOf(loaded, end));
    if (from === null || to === null || from === undefined || to === undefined) return [];
    return traffic.flatMap(({ protocol, port, ...rest }): readonly JudgedQuestion[] => {
      const isEcho =
        rest.icmp === undefined || (rest.icmp.type === echoes[familyIn(pair)] && rest.icmp.code === 0);
      if (!(isAskedProtocol(protocol) && isEcho && (rest.sourcePort ?? unnamedPort) === unnamedPort))
        return [];
      const question = { from, to, protocol, port: protocol === "icmp" ? null : port };
      return [{ question, verdict: verdictOf(one, "new", pair, { protocol, port, ...rest }) }];
    });
  });
}

type AskedWorkload = Extract<Asked, { readonly workload: unknown }>;

const unplaced = ip("0.0.0.0");

const echoes = { v4: 8, v6: 128 };

/** sctp is asked as udp is. */
function isAskedProtocol(protocol: Connection["protocol"]): protocol is "tcp" | "udp" | "icmp" {
  return protocol === "tcp" || protocol === "udp" || protocol === "icmp";
}

/** As a user asks; null: it is no pod and no workload, or not in the family of a workload's answer. */
function textOf({ judged, workloads }: LoadedWorld, asked: Asked): string | null {
  if ("ip" in asked) return null;
  if ("workload" in asked) {
    const workload = workloads.find((each) => workloadKey(each) === asked.workload);
    if (workload === undefined || asked.family === "v6") return null;
    return `${workload.namespace}/${workload.kind.toLowerCase()}/${workload.name}`;
  }
  return `${asked.key}@${endOf({ facts: judged.facts, policies: [] }, asked).ip}`;
}

function isOfService({ to, protocol, port }: Connection, services: readonly Service[], world: PlanWorld) {
  if (to.pod !== null) return false;
  const isNode = [...world.facts.nodes].some((node) => addressesOfNode(node).includes(to.ip));
  return services.some(
    ({ ips, ports }) =>
      ips.includes(to.ip) ||
      (isNode && ports.some((one) => one.protocol === protocol && one.nodePort === port)),
  );
}
