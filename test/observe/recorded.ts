// The traffic of the three-tier example through the dataplane, recorded by the reader of the node, and what `northgate recommend` makes of it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { policies, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import type { PodFact } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isPod } from "../../src/model/object.ts";
import type { Flow, FlowRecord } from "../../src/observe/record/record.ts";
import type { Sent } from "./stage.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const threeTiers = at("examples/clusters/01-three-tiers/cluster.yaml");

/** What no rule judges is not sampled: rules of the last tier allow all between pods. */
const open = {
  apiVersion: "policy.networking.k8s.io/v1alpha1",
  kind: "BaselineAdminNetworkPolicy",
  metadata: { name: "default" },
  spec: {
    subject: { namespaces: {} },
    ingress: [{ action: "Allow", from: [{ namespaces: {} }] }],
    egress: [{ action: "Allow", to: [{ namespaces: {} }] }],
  },
};

/** The example with that policy, in a file of the folder and as objects. */
export function openedIn(folder: string): {
  readonly path: string;
  readonly objects: readonly WorldObject[];
} {
  const path = join(folder, "open.yaml");
  writeFileSync(path, stringify(open));
  const { objects } = loadManifests([threeTiers, path], policies, references);
  return { path, objects };
}

/** The connections between pods that the example's record has, each opened as often as `count`. */
export function trafficOf(objects: readonly WorldObject[], count: number): readonly Sent[] {
  const pods = objects.filter(isPod);
  const podOf = ({ pod }: Flow["from"]): PodFact | undefined =>
    pods.find(({ namespace, name }) => namespace === pod?.namespace && name === pod.name);
  return readRecord(at("test/recommend/three-tiers.json")).connections.flatMap((flow) => {
    const [from, to] = [podOf(flow.from), podOf(flow.to)];
    const protocol = flow.protocol === "udp" ? "udp" : "tcp";
    if (from === undefined || to === undefined || flow.verdict !== "allow") return [];
    return [{ from, to, port: flow.port ?? 0, protocol, count }];
  });
}

export function readRecord(path: string): FlowRecord {
  return JSON.parse(readFileSync(path, "utf8")) as FlowRecord;
}

/** `from to protocol port` */
export function flowText({
  from,
  to,
  protocol,
  port,
}: Pick<Flow, "from" | "to" | "protocol" | "port">): string {
  return `${from.pod?.name ?? from.ip} ${to.pod?.name ?? to.ip} ${protocol} ${port ?? ""}`;
}

export function sentText({ from, to, protocol = "tcp", port }: Sent): string {
  return `${from.name} ${to.name} ${protocol} ${port}`;
}
