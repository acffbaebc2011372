// CoreDNS as kubeadm installs it, but for what asks servers outside of the cluster: a Deployment with the Service kube-dns.

import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { corednsImage } from "./images.ts";

/** Of the Service; kubelets give it to their pods. */
export const dnsAddress = "10.96.0.10";

const namespace = "kube-system";
const labels = { "k8s-app": "kube-dns" };
const rbac = "rbac.authorization.k8s.io";
const corefile = `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    cache 30
    reload
    loadbalance
}
`;

/** Applied when this resolves, and ready some time later. */
export async function installDns(plane: ControlPlane): Promise<void> {
  await plane.kubectl(["apply", "-f", "-"], {
    input: JSON.stringify({ apiVersion: "v1", kind: "List", items: [...rights, ...workload] }),
  });
}

const account = { kind: "ServiceAccount", name: "coredns", namespace };
const watches = (apiGroup: string, ...resources: readonly string[]) => ({
  ...{ apiGroups: [apiGroup], resources, verbs: ["list", "watch"] },
});
const rights = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "coredns", namespace } },
  {
    ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "system:coredns" } },
    rules: [
      watches("", "endpoints", "services", "pods", "namespaces"),
      watches("discovery.k8s.io", "endpointslices"),
    ],
  },
  {
    ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name: "system:coredns" } },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "system:coredns" },
    subjects: [account],
  },
];

const get = (path: string, port: number) => ({ httpGet: { path, port } });
const container = {
  ...{ name: "coredns", image: corednsImage, imagePullPolicy: "Never" },
  args: ["-conf", "/etc/coredns/Corefile"],
  ports: [
    { name: "dns", containerPort: 53, protocol: "UDP" },
    { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
    { name: "metrics", containerPort: 9153, protocol: "TCP" },
  ],
  resources: { limits: { memory: "170Mi" }, requests: { cpu: "100m", memory: "70Mi" } },
  livenessProbe: { ...get("/health", 8080), initialDelaySeconds: 60, timeoutSeconds: 5, failureThreshold: 5 },
  readinessProbe: { ...get("/ready", 8181), periodSeconds: 1 },
  securityContext: {
    ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] },
  },
  volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
};
const workload = [
  {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "coredns", namespace } },
    data: { Corefile: corefile },
  },
  {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "coredns", namespace, labels } },
    spec: {
      ...{ replicas: 1, selector: { matchLabels: labels } },
      template: {
        metadata: { labels },
        spec: {
          ...{ serviceAccountName: "coredns", dnsPolicy: "Default", containers: [container] },
          ...{ priorityClassName: "system-cluster-critical", terminationGracePeriodSeconds: 1 },
          volumes: [{ name: "config", configMap: { name: "coredns" } }],
        },
      },
    },
  },
  {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "kube-dns", namespace, labels } },
    spec: {
      ...{ selector: labels, clusterIP: dnsAddress },
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
        { name: "metrics", port: 9153, protocol: "TCP" },
      ],
    },
  },
];
