// The objects of a run: the small world of e2e/steps.ts that edits move about, a policy that no edit concerns, one that counts
// its editions, and one that only some instances are given. Functions of what was edited, so that every path has an end.

import { adminPolicy, namespace, node, pod } from "../../test/kube/objects.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { portName } from "../../src/nbdb/rows/names.ts";
import { type Taken, world } from "../../e2e/steps.ts";

/** What was edited so far. */
export interface Edited {
  readonly taken: Taken;
  /** Of the policy that counts: it stands in a match as a port. */
  readonly edition: number;
}

/** Names of policies with a part of their own. */
export const names = { steady: "steady", counted: "counted", own: "of-one-instance" } as const;

/** A zone of its own beside the one in which all pods are. */
export const otherNode = node("n2", { ips: ["192.0.2.2"], podCidrs: ["10.0.2.0/24"] });

const firstPort = 20_000;
const byTeam = (team: string) => ({ namespaces: { matchLabels: { team } } });

/** `withOwn`: the policy that some instances do not have is among them. */
export function objectsOf({ taken, edition }: Edited, withOwn: boolean): readonly KubernetesObject[] {
  const port = { portNumber: { protocol: "TCP", port: firstPort + edition } };
  const calm = { subject: byTeam("steady") };
  return [
    ...world(taken),
    namespace("steady", { team: "steady" }),
    pod("steady", "one", { node: "n1", labels: { app: "one" }, ips: ["10.0.1.1", "fd00::101"] }),
    pod("steady", "two", { node: "n1", labels: { app: "two" }, ips: ["10.0.1.2", "fd00::102"] }),
    adminPolicy(names.steady, {
      ...calm,
      priority: 50,
      ingress: [{ action: "Deny", from: [byTeam("steady")] }],
      egress: [{ action: "Allow", to: [byTeam("steady"), { networks: ["198.51.100.0/24"] }] }],
    }),
    adminPolicy(names.counted, {
      ...calm,
      priority: 60,
      ingress: [{ action: "Allow", from: [byTeam("steady")], ports: [port] }],
    }),
    ...(withOwn
      ? [
          adminPolicy(names.own, {
            ...calm,
            priority: 70,
            ingress: [{ action: "Pass", from: [byTeam("steady")] }],
          }),
        ]
      : []),
  ];
}

/** The edition that an ACL's match tells of; null: it is another's. */
export function editionIn(match: string): number | null {
  const port = /tcp\.dst ?== ?(2\d{4})/.exec(match)?.[1];
  return port === undefined ? null : Number(port) - firstPort;
}

/** The ports that Northbound must have for every pod that the world ever has. */
export function portsOf(objects: readonly (WorldObject | KubernetesObject)[]): readonly string[] {
  return objects.flatMap((object) =>
    object.kind === "Pod" && "metadata" in object
      ? [portName(object.metadata.namespace ?? "", object.metadata.name)]
      : [],
  );
}
