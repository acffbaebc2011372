// A small cluster to ask about: two pods, one of them with both families, and what is no pod of the pod network. For tests of
// what explain says.

import { everyDialect } from "../../src/dialects.ts";
import type { Answer } from "../../src/explain/answer.ts";
import type { AskedOptions } from "../../src/explain/asked.ts";
import { AskedWorld } from "../../src/explain/asked.ts";
import type { Question } from "../../src/explain/question.ts";
import { explain } from "../../src/explain/explain.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import { parseCidr } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { namespace, node, pod } from "./facts.ts";
import type { Policy } from "../../src/policy/ir.ts";
import type { ReadRecord } from "../../src/unknowns/unknowns.ts";
import type { IrWorld } from "./ir.ts";
import { factsIn } from "./ir.ts";
import { namespacesWith } from "./policies.ts";

const worker = {
  ...node("n1", { role: "edge" }, ["172.18.0.2"], ["v4"]),
  podNetworks: [parseCidr("10.0.0.0/24")].filter((one) => one !== null),
};
const cluster: readonly WorldObject[] = [
  namespace("red", { tenant: "red" }),
  namespace("blue", { tenant: "blue" }),
  worker,
  pod("red", "web", {
    node: "n1",
    labels: { app: "web" },
    ips: ["10.0.0.1", "fd00::1"],
    ports: [{ name: "http", protocol: "tcp", port: 8080 }],
  }),
  pod("blue", "db-0", { node: "n1", labels: { app: "db" }, ips: ["10.0.0.2", "fd00::2"] }),
  pod("blue", "six", { node: "n1", labels: { app: "six" }, ips: ["fd00::6"] }),
  pod("blue", "agent", { node: "n1", hostNetwork: true, ips: ["172.18.0.2"] }),
  pod("blue", "done", { node: "n1", completed: true, ips: ["10.0.0.9"] }),
  pod("blue", "new", { node: null }),
];

export function worldOf(objects: readonly WorldObject[], options: Partial<AskedOptions> = {}): AskedWorld {
  const { dialects = everyDialect.dialects } = options;
  const all = [...cluster, ...objects];
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects: all, dialects, families: null, mode });
  return new AskedWorld(model, { dialects, placeOf: () => null, objects: all, ...options });
}

export const webToDb: Question = { from: "red/web", to: "blue/db-0", protocol: "tcp", port: 80 };

export function answered(objects: readonly WorldObject[], question: Partial<Question> = {}): Answer {
  return explain(worldOf(objects), { ...webToDb, ...question }, { isDetailed: true });
}

export const toDb = [namespacesWith({ tenant: "blue" })];
export const allow = { action: "Allow", to: toDb };
export const deny = { action: "Deny", to: toDb };
export const pass = { action: "Pass", to: toDb };

export type Lacking = Partial<AskedOptions> & { readonly records?: readonly ReadRecord[] };

/** A random world of the IR; `records`: of policies that are refused. */
export function askedIn(
  { world, pods }: IrWorld,
  policies: readonly Policy[],
  options: Lacking = {},
): AskedWorld {
  const facts = new FactStore();
  for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
  const { records = [], ...others } = options;
  const model = { facts, records: () => records, policies: () => policies };
  return new AskedWorld(model, { dialects: [], placeOf: () => null, ...others });
}
