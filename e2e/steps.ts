// A small world and the steps that may befall it, each independent of the others: the objects are a function of the set of
// steps taken, so that steps can be taken, and taken back, in every order.

import type { KubernetesObject } from "../test/kube/api.ts";
import { adminPolicy, baselinePolicy, namespace, node, pod } from "../test/kube/objects.ts";
import type { Harness } from "./harness.ts";

export const steps = [
  "edit one port",
  "move a priority",
  "reorder rules",
  "relabel a pod",
  "relabel a namespace",
  "change a pod's address",
  "delete a policy",
  "delete a pod",
  "delete a namespace",
  "let a pod complete",
] as const;
export type Step = (typeof steps)[number];
export type Taken = ReadonlySet<Step>;

const byTeam = (team: string) => ({ namespaces: { matchLabels: { team } } });
const byApp = (app: string) => ({
  pods: { namespaceSelector: {}, podSelector: { matchLabels: { app } } },
});

export function world(taken: Taken): readonly KubernetesObject[] {
  const or = <T>(step: Step, before: T, after: T): T => (taken.has(step) ? after : before);
  const unless = (step: Step, ...objects: readonly KubernetesObject[]) => (taken.has(step) ? [] : objects);
  const at = (name: string, labels: Readonly<Record<string, string>>, ...ips: readonly string[]) => ({
    node: "n1",
    labels,
    ips,
    ports: [{ name: "web", port: 8080 }],
    ...(name === "job" && taken.has("let a pod complete") ? { phase: "Succeeded" as const } : {}),
  });
  const rules = [
    {
      action: "Allow",
      from: [byApp("web"), byApp("db")],
      ports: [{ portNumber: { protocol: "TCP", port: or("edit one port", 80, 81) } }],
    },
    { action: "Deny", from: [byTeam("b")], ports: [{ namedPort: "web" }] },
    { action: "Pass", from: [byTeam("c")] },
  ];
  return [
    node("n1", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24", "fd00::/64"] }),
    namespace("a", { team: "a" }),
    namespace("b", { team: or("relabel a namespace", "b", "a") }),
    ...unless("delete a namespace", namespace("c", { team: "c" })),
    pod("a", "web", at("web", { app: or("relabel a pod", "web", "db") }, "10.0.0.1", "fd00::1")),
    pod("a", "job", at("job", { app: "web" }, "10.0.0.2", "fd00::2")),
    pod("b", "web", at("web", { app: "web" }, or("change a pod's address", "10.0.0.3", "10.0.0.33"))),
    ...unless("delete a pod", pod("b", "db", at("db", { app: "db" }, "10.0.0.4"))),
    ...unless("delete a namespace", pod("c", "web", at("web", { app: "web" }, "10.0.0.5", "fd00::5"))),
    adminPolicy("first", {
      priority: 5,
      subject: byTeam("a"),
      ingress: or("reorder rules", rules, rules.toReversed()),
      egress: [{ action: "Deny", to: [{ networks: ["192.0.2.0/24", "2001:db8::/32"] }] }],
    }),
    adminPolicy("second", {
      priority: or("move a priority", 10, 3),
      subject: { namespaces: {} },
      egress: [{ action: "Allow", to: [byApp("db"), { nodes: {} }] }],
    }),
    ...unless(
      "delete a policy",
      adminPolicy("third", { priority: 20, subject: byTeam("b"), ingress: rules }),
    ),
    baselinePolicy({ subject: { namespaces: {} }, ingress: [{ action: "Deny", from: [byTeam("b")] }] }),
  ];
}

const nameOf = ({ kind, metadata }: KubernetesObject) =>
  `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;

/** Brings the cluster from one set of steps to another: only what differs is written, dependents go first. */
export async function move(harness: Harness, from: Taken | null, to: Taken): Promise<void> {
  const before = new Map((from === null ? [] : world(from)).map((object) => [nameOf(object), object]));
  const after = new Map(world(to).map((object) => [nameOf(object), object]));
  const gone = [...before].filter(([name]) => !after.has(name)).map(([, object]) => object);
  const changed = [...after]
    .filter(([name, object]) => JSON.stringify(before.get(name)) !== JSON.stringify(object))
    .map(([, object]) => object);
  await harness.objects.remove(...gone.toReversed());
  await harness.objects.apply(...changed);
}
