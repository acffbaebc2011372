// Faults of policies, of what the database has of them, and of who may write it.

import { setTimeout as sleep } from "node:timers/promises";
import { prepare, Wire } from "../../bench/observer/wire.ts";
import { hashedName, keys } from "../../src/nbdb/rows/names.ts";
import { installCrds, removeCrds } from "../../test/kube/crds.ts";
import { adminPolicy, baselinePolicy } from "../../test/kube/objects.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { addPorts } from "../arena/arena.ts";
import { names, objectsOf, portsOf } from "../arena/world.ts";
import { again, type AlertFault } from "./kind.ts";
import type { AlertStage } from "./stage.ts";

export const steady = { namespaces: { matchLabels: { team: "steady" } } };
export const denied = (priority: number) => ({
  priority,
  subject: steady,
  ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { team: "nobody" } } }] }],
});

export function planeOf({ arena: { cluster } }: AlertStage): ControlPlane {
  if (cluster === null) throw new Error("no API server");
  return cluster.plane;
}

/** One transaction on the Northbound database, by nobody whom the program knows. */
export async function transact(
  { arena: { servers } }: AlertStage,
  ...operations: readonly unknown[]
): Promise<void> {
  const wire = await Wire.open(servers[0]?.remote ?? "");
  try {
    await wire.transact(prepare("transact", ["OVN_Northbound", ...operations]));
  } finally {
    wire.close();
  }
}

export async function apply(stage: AlertStage, ...objects: readonly KubernetesObject[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  await planeOf(stage).kubectl(["apply", "-f", "-"], { input });
}

export async function remove(stage: AlertStage, policy: string): Promise<void> {
  await planeOf(stage).kubectl(["delete", "adminnetworkpolicy", policy]);
}

async function rejected(stage: AlertStage) {
  await apply(stage, adminPolicy("rejected", denied(500)));
  return () => remove(stage, "rejected");
}

/** Somebody else has a Port_Group with the name that the policy's must have. */
async function refused(stage: AlertStage) {
  const name = hashedName(new Map([[keys.id, "default-network-controller:AdminNetworkPolicy:refused"]]));
  await transact(stage, { op: "insert", table: "Port_Group", row: { name } });
  await apply(stage, adminPolicy("refused", denied(40)));
  return async () => {
    const foreign = [
      ["name", "==", name],
      ["external_ids", "==", ["map", []]],
    ];
    await transact(stage, { op: "delete", table: "Port_Group", where: foreign });
  };
}

async function withoutSwitch(stage: AlertStage) {
  await transact(stage, { op: "delete", table: "Logical_Switch", where: [["name", "==", "sw"]] });
  const ports = portsOf(objectsOf({ taken: new Set(), edition: 0 }, true));
  return () => addPorts(stage.arena.servers[0]?.remote ?? "", ports);
}

async function withoutKind(stage: AlertStage) {
  const plane = planeOf(stage);
  await removeCrds(plane, ["baselineadminnetworkpolicies"]);
  return async () => {
    await installCrds(plane, ["baselineadminnetworkpolicies"]);
    const baseline = objectsOf({ taken: new Set(), edition: 0 }, false).filter(
      ({ kind }) => kind === baselinePolicy({}).kind,
    );
    await apply(stage, ...baseline);
  };
}

function overwritten(stage: AlertStage) {
  const where = [["external_ids", "includes", ["map", [[keys.name, names.counted]]]]];
  const stop = again(400, () => transact(stage, { op: "update", table: "ACL", where, row: { priority: 7 } }));
  return Promise.resolve(stop);
}

/** Another webhook is asked about conditions, and is away. */
async function unansweredWebhook(stage: AlertStage) {
  const name = "away.example.com";
  const rule = {
    apiGroups: ["policy.networking.k8s.io"],
    ...{ apiVersions: ["*"], operations: ["UPDATE"], resources: ["adminnetworkpolicies/status"] },
  };
  const webhook = {
    ...{ name, rules: [rule], clientConfig: { url: "https://127.0.0.1:1/" } },
    ...{ sideEffects: "None", admissionReviewVersions: ["v1"], failurePolicy: "Fail" },
  };
  const kind = "ValidatingWebhookConfiguration";
  const apiVersion = "admissionregistration.k8s.io/v1";
  const configuration = { apiVersion, kind, metadata: { name: "away" }, webhooks: [webhook] };
  const manifest = { input: JSON.stringify(configuration) };
  await planeOf(stage).kubectl(["apply", "-f", "-"], manifest);
  // The API server asks it a moment later.
  await sleep(2_000);
  // Each condition is tried again after pauses that grow: and together too, where the API server is at fault.
  const untold = Array.from({ length: 40 }, (_, at) => adminPolicy(`untold-${at}`, denied(50 + at)));
  await apply(stage, ...untold);
  return async () => {
    await planeOf(stage).kubectl(["delete", "-f", "-"], manifest);
    await planeOf(stage).kubectl([
      "delete",
      "adminnetworkpolicy",
      ...untold.map(({ metadata }) => metadata.name),
    ]);
  };
}

const on = { ground: "api", firesMs: 60_000, clearsMs: 60_000 } as const;

export const policyAlerts: readonly AlertFault[] = [
  {
    ...on,
    alert: "NorthgatePoliciesRejected",
    fault: "an AdminNetworkPolicy with priority 500 is applied",
    mended: "it is deleted",
    make: rejected,
  },
  {
    ...on,
    alert: "NorthgateRowsRefused",
    fault: "the database has another program's Port_Group with the name that a new policy's must have",
    mended: "that row is deleted",
    clearsMs: 120_000,
    make: refused,
  },
  {
    ...on,
    alert: "NorthgatePoliciesWithoutEffect",
    fault: "the logical switch is deleted, with its ports (`NoNetwork`)",
    mended: "they are there again",
    make: withoutSwitch,
  },
  {
    ...on,
    alert: "NorthgateMissingKind",
    fault: "the CRD of BaselineAdminNetworkPolicy is deleted",
    mended: "the CRD and the policy are applied again",
    make: withoutKind,
  },
  {
    ...on,
    alert: "NorthgateContested",
    fault: "another program sets the priority of a policy's ACLs, every 0.4 s",
    mended: "it ends",
    clearsMs: 120_000,
    make: overwritten,
  },
  {
    ...on,
    alert: "NorthgateDriftRepairs",
    fault: "another program sets the priority of a policy's ACLs, every 0.4 s",
    mended: "it ends",
    clearsMs: 120_000,
    make: overwritten,
  },
  {
    ...on,
    ground: "patient",
    alert: "NorthgateStatusNotWritten",
    fault: "a validating webhook for `status` does not answer, and 40 policies are applied",
    mended: "the webhook's configuration is deleted, and the policies are",
    firesMs: 600_000,
    clearsMs: 300_000,
    make: unansweredWebhook,
  },
];
