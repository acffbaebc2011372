// The objects of a workload as an API server serves them: with the fields that real ones have and the controller does not
// read. A pod of one container, an init container and a sidecar is some 6.5 kB, two thirds of it managedFields, volumes and status.

import type { NamespaceFact, NodeFact, PodFact } from "../../src/model/facts.ts";
import { isApiObject, type WorldObject } from "../../src/model/object.ts";
import type { ApiObject } from "../../test/support/fake-api-server.ts";

const created = "2026-11-02T08:14:07Z";

/** Where objects of the kind are listed. */
export function collectionOf(object: WorldObject): string {
  if (!isApiObject(object)) return `/api/v1/${object.kind.toLowerCase()}s`;
  const { apiVersion, kind } = object;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const lower = kind.toLowerCase();
  return `${root}/${lower.endsWith("y") ? `${lower.slice(0, -1)}ies` : `${lower}s`}`;
}

export function apiObjectOf(object: WorldObject): ApiObject {
  if (isApiObject(object)) {
    const { apiVersion, kind, namespace, name, annotations, spec } = object;
    const labels = "labels" in object ? Object.fromEntries(object.labels) : {};
    const place = namespace === null ? {} : { namespace };
    const metadata = { ...metadataOf(name, labels), ...place, annotations: Object.fromEntries(annotations) };
    return { apiVersion, kind, metadata, spec };
  }
  switch (object.kind) {
    case "Pod":
      return podOf(object);
    case "Namespace":
      return namespaceOf(object);
    case "Node":
      return nodeOf(object);
    case "HostName":
      throw new Error(`no API server has ${object.name}`);
  }
}

/** The pod as after a probe of its kubelet's: another time in its status, nothing that concerns a policy. */
export function withoutEffect(pod: ApiObject, round: number): ApiObject {
  const status = pod["status"] as Readonly<Record<string, unknown>>;
  const probed = new Date(Date.parse(created) + round * 1000).toISOString();
  return { ...pod, status: { ...status, conditions: conditionsAt(probed) } };
}

function metadataOf(name: string, labels: Readonly<Record<string, string>>) {
  return {
    ...{ name, uid: uidOf(name), generation: 1, creationTimestamp: created, labels },
    managedFields: [managed("kubectl-client-side-apply", Object.keys(labels), "")],
  };
}

/** As a UUID, from a text. */
function uidOf(text: string): string {
  const hex = Buffer.from(text.padEnd(16, "-")).toString("hex").slice(-32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

function namespaceOf({ name, labels }: NamespaceFact): ApiObject {
  const own = { ...Object.fromEntries(labels), "kubernetes.io/metadata.name": name };
  return {
    ...{ apiVersion: "v1", kind: "Namespace", metadata: metadataOf(name, own) },
    ...{ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } },
  };
}

function nodeOf({ name, labels, ips }: NodeFact): ApiObject {
  const addresses = ips.map((address) => ({ type: "InternalIP", address }));
  const number = Number(/\d+$/.exec(name)?.[0] ?? 0);
  const podCIDR = `10.${128 + (number >> 8)}.${number & 255}.0/24`;
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: metadataOf(name, Object.fromEntries(labels)) },
    spec: { podCIDR, podCIDRs: [podCIDR], providerID: `metal://${name}` },
    status: {
      addresses: [...addresses, { type: "Hostname", address: name }],
      allocatable: { cpu: "31850m", memory: "128345Mi", pods: "250" },
      capacity: { cpu: "32", memory: "131072Mi", pods: "250" },
      conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
        ...{ type, status: type === "Ready" ? "True" : "False", reason: `Kubelet${type}` },
        ...{ lastHeartbeatTime: created, lastTransitionTime: created, message: `kubelet reports ${type}` },
      })),
      images: Array.from({ length: 50 }, (_, i) => ({
        names: [`registry.example.org/team-${i % 9}/service-${i}@sha256:${digestOf(i)}`],
        sizeBytes: 41_000_000 + i,
      })),
      nodeInfo: { architecture: "amd64", kubeletVersion: "v1.34.1", osImage: "Debian GNU/Linux 13" },
    },
  };
}

function podOf(pod: PodFact): ApiObject {
  const { namespace, name, labels, node, ips, ports } = pod;
  const owner = name.replace(/-[^-]*$/, "");
  const metadata = {
    ...metadataOf(name, Object.fromEntries(labels)),
    ...{ namespace, generateName: `${owner}-` },
    annotations: { "checksum/config": digestOf(name.length), "prometheus.io/scrape": "true" },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: uidOf(owner), controller: true },
    ],
    managedFields: [
      managed("kube-controller-manager", [...labels.keys()], ""),
      managed("kubelet", statusFields, "status"),
    ],
  };
  const declared = ports.map(({ name: port, protocol, port: containerPort }) => ({
    ...{ name: port, containerPort, protocol: protocol.toUpperCase() },
  }));
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata },
    spec: {
      ...{ nodeName: node, serviceAccountName: "default", schedulerName: "default-scheduler" },
      ...{ restartPolicy: "Always", dnsPolicy: "ClusterFirst", terminationGracePeriodSeconds: 30 },
      initContainers: [container("migrate", [])],
      containers: [container("app", declared), container("proxy", [])],
      volumes: [
        { name: "config", configMap: { name: `${owner}-config`, defaultMode: 420 } },
        { name: "kube-api-access", projected: { defaultMode: 420, sources: tokenSources } },
      ],
      tolerations: ["not-ready", "unreachable"].map((taint) => ({
        ...{ key: `node.kubernetes.io/${taint}`, operator: "Exists", effect: "NoExecute" },
        tolerationSeconds: 300,
      })),
    },
    status: {
      ...{ phase: "Running", qosClass: "Burstable", startTime: created },
      ...{ podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) },
      conditions: conditionsAt(created),
      initContainerStatuses: [containerStatus("migrate")],
      containerStatuses: [containerStatus("app"), containerStatus("proxy")],
    },
  };
}

const tokenSources = [
  { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
  { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
  { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
];
const statusFields = ["conditions", "containerStatuses", "hostIP", "phase", "podIP", "podIPs", "startTime"];

function container(name: string, ports: readonly object[]) {
  return {
    ...{ name, image: `registry.example.org/shop/${name}:2026.11.2`, imagePullPolicy: "IfNotPresent", ports },
    env: Array.from({ length: 3 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-of-setting-${i}` })),
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    volumeMounts: [
      { name: "config", mountPath: "/etc/app" },
      { name: "kube-api-access", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
    ],
    ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
  };
}

function containerStatus(name: string) {
  return {
    ...{ name, ready: true, started: true, restartCount: 0, lastState: {} },
    state: { running: { startedAt: created } },
    image: `registry.example.org/shop/${name}:2026.11.2`,
    imageID: `registry.example.org/shop/${name}@sha256:${digestOf(name.length)}`,
    containerID: `containerd://${digestOf(name.length + 1)}`,
  };
}

function conditionsAt(lastTransitionTime: string) {
  const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
  return types.map((type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime }));
}

function managed(manager: string, fields: readonly string[], subresource: string) {
  const owned = Object.fromEntries(
    fields.map((field) => [`f:${field}`, { ".": {}, [`k:{"type":"${field}"}`]: {} }]),
  );
  return {
    ...{ manager, operation: "Update", apiVersion: "v1", time: created, fieldsType: "FieldsV1" },
    fieldsV1: { "f:metadata": { "f:labels": owned }, "f:spec": { "f:containers": owned }, "f:status": owned },
    ...(subresource === "" ? {} : { subresource }),
  };
}

function digestOf(seed: number): string {
  return (seed + 16).toString(16).padStart(2, "0").repeat(32).slice(0, 64);
}
