// Manifests in few words, as text: small worlds for the commands that read files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

/** An object of any kind; its namespace is in its metadata. */
export type Manifest = Readonly<Record<string, unknown>>;

export function namespaceOf(name: string, labels: Readonly<Record<string, string>> = {}): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** `ip`: null of a pod that has no address yet. */
export function podOf(
  namespace: string,
  name: string,
  ip: string | null,
  labels: Readonly<Record<string, string>> = { app: name },
): Manifest {
  const status = ip === null ? {} : { status: { podIPs: [{ ip }] } };
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace, name, labels } },
    ...{ spec: ip === null ? {} : { nodeName: "n" }, ...status },
  };
}

export function nodeOf(name: string): Manifest {
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name } },
    status: { addresses: [{ type: "InternalIP", address: "172.18.0.2" }] },
  };
}

/** A NetworkPolicy that isolates the ingress of the pods with these labels; `from`: who may come in all the same. */
export function isolating(
  namespace: string,
  name: string,
  matchLabels: Readonly<Record<string, string>> = {},
  from: readonly unknown[] = [],
): Manifest {
  const ingress = from.length === 0 ? {} : { ingress: [{ from }] };
  return {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { namespace, name } },
    spec: { podSelector: { matchLabels }, policyTypes: ["Ingress"], ...ingress },
  };
}

/** Writes the manifests as one file, each as JSON, which is YAML too. */
export function writeJson(file: string, manifests: readonly object[]): void {
  writeFileSync(file, manifests.map((one) => `---\n${JSON.stringify(one)}\n`).join(""));
}

/** Writes the manifests as one file in a folder of their own, and says which folder. */
export function written(parent: string, name: string, ...manifests: readonly Manifest[]): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "all.yaml"), manifests.map((one) => stringify(one)).join("---\n"));
  return folder;
}
