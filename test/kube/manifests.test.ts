// What `kubectl apply -k` and `delete -k` of the folders of manifests/ would bring and take: no definition of a kind but from
// manifests/crds, so that no policy goes with Northgate; pods that can write nothing and gain nothing; no right too many.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { alertRules, monitoredEndpoints, nodeReaderMonitor } from "../../scripts/support/monitoring.ts";
import { type Built, built, manifests } from "./built.ts";
import { describeWithControlPlane } from "./support.ts";

const folders = [
  ...["overlays/ovn-kubernetes", "overlays/central", "overlays/ovn-kubernetes-cleanup"],
  ...["overlays/netfilter", "overlays/netfilter-cleanup"],
] as const;

/** The one thing of the node that each container sees, besides its network; null: nothing. */
function nodeFileOf(folder: string): { readonly path: string; readonly mount: object } | null {
  if (folder === "overlays/central") return null;
  if (folder.startsWith("overlays/netfilter"))
    return {
      path: "/run/xtables.lock",
      mount: { name: "xtables-lock", mountPath: "/run/xtables.lock" },
    };
  return {
    path: "/var/run/openvswitch",
    mount: { name: "ovn", mountPath: "/var/run/openvswitch", readOnly: true },
  };
}

/** What a kustomization takes from files; whatever else it says brings no object along unseen. */
interface Kustomization {
  readonly resources?: readonly string[];
  readonly patches?: readonly { readonly path?: string }[];
}

test("every manifest is in the kustomization of its folder, and nothing is taken from elsewhere than manifests/", () => {
  const files = readdirSync(manifests, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".yaml") && !file.startsWith("chart/"),
  );
  const used = files
    .filter((file) => file.endsWith("kustomization.yaml"))
    .flatMap((file) => {
      const { resources = [], patches = [] } = parse(
        readFileSync(join(manifests, file), "utf8"),
      ) as Kustomization;
      const paths = [...resources, ...patches.flatMap(({ path = [] }) => path)];
      return paths.map((path) => relative(manifests, join(manifests, dirname(file), path)));
    });
  for (const path of used) expect([path, existsSync(join(manifests, path))]).toEqual([path, true]);
  expect(used.filter((path) => path.startsWith(".."))).toEqual([]);
  const manifest = (file: string) => !file.endsWith("kustomization.yaml");
  expect([...new Set(used.filter((path) => path.endsWith(".yaml")))].sort()).toEqual(
    files.filter(manifest).sort(),
  );
});

test("the readers of nodes are monitored by the job that the alerts ask for, with labels of their own", () => {
  const { metadata, spec } = nodeReaderMonitor;
  const away = alertRules.find(({ alert }) => alert === "NorthgateNodeReaderAway");
  const [, job = ""] = /job=~"([^"]+)"/.exec(away?.expr ?? "") ?? [];
  expect(`${metadata.namespace}/${metadata.name}`).toMatch(new RegExp(`^(${job})$`));
  const file = readFileSync(join(manifests, "components/observe-node/daemonset.yaml"), "utf8");
  const daemonSet = parse(file) as {
    readonly metadata: { readonly namespace: string };
    readonly spec: { readonly template: { readonly metadata: unknown; readonly spec: unknown } };
  };
  expect(daemonSet.metadata.namespace).toBe(metadata.namespace);
  expect(daemonSet.spec.template.metadata).toEqual({ labels: spec.selector.matchLabels });
  const [run] = monitoredEndpoints;
  expect(spec.podMetricsEndpoints).toEqual([{ ...run, honorLabels: true }]);
  expect(daemonSet.spec.template.spec).toMatchObject({
    containers: [{ ports: [{ name: run?.port }] }],
  });
});

await describeWithControlPlane("manifests", (plane) => {
  const of = (folder: string) => built(plane().assets.programs.kubectl, join(manifests, folder));
  const podOf = (all: readonly Built[]) =>
    all.find(({ kind }) => kind === "Deployment" || kind === "DaemonSet")?.spec?.template?.spec ?? {};

  test("manifests/crds has the CRDs and nothing else", async () => {
    expect((await of("crds")).map(({ kind }) => kind)).toEqual(new Array(3).fill("CustomResourceDefinition"));
    const antrea = await of("crds/antrea");
    expect(antrea.map(({ kind }) => kind)).toEqual(new Array(5).fill("CustomResourceDefinition"));
    const calico = await of("crds/calico");
    expect(calico.map(({ kind }) => kind)).toEqual(new Array(8).fill("CustomResourceDefinition"));
  });

  describe.each(folders)("%s", (folder) => {
    let all: readonly Built[] = [];
    beforeAll(async () => {
      all = await of(folder);
    });

    test("no CRD is reached from it", () => {
      expect(all.map(({ kind }) => kind)).toContain("ServiceAccount");
      expect(all.filter(({ kind }) => kind === "CustomResourceDefinition")).toEqual([]);
    });

    test("the container can write nothing, gain nothing and call little; only its pod gets the account's token", () => {
      expect(all.find(({ kind }) => kind === "ServiceAccount")).toMatchObject({
        automountServiceAccountToken: false,
      });
      const pod = podOf(all);
      expect(pod).toMatchObject({ serviceAccountName: "northgate", automountServiceAccountToken: true });
      expect(pod).not.toHaveProperty("hostPID");
      expect(pod).not.toHaveProperty("hostIPC");
      const containers = [pod["initContainers"] ?? [], pod["containers"]].flat();
      expect(containers.length).toBe(folder.endsWith("cleanup") ? 2 : 1);
      for (const container of containers)
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            // What the tools of a packet filter need; nothing else needs any.
            capabilities: folder.startsWith("overlays/netfilter")
              ? { drop: ["ALL"], add: ["NET_ADMIN", "NET_RAW"] }
              : { drop: ["ALL"] },
          },
        });
      const node = nodeFileOf(folder);
      const user =
        node !== null
          ? { runAsNonRoot: false, runAsUser: 0, runAsGroup: 0 } // see daemonset.yaml
          : { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 };
      expect(pod["securityContext"]).toEqual({ ...user, seccompProfile: { type: "RuntimeDefault" } });
      // Of the node's files: the folder of the socket, where it cannot write, or the lock; and no other.
      expect(JSON.stringify(pod["volumes"]).match(/"hostPath":\{"path":"[^"]+"/g) ?? []).toEqual(
        node === null ? [] : [`"hostPath":{"path":"${node.path}"`],
      );
      for (const container of containers)
        expect(container).toMatchObject(node === null ? {} : { volumeMounts: [node.mount] });
    });
  });

  test.each(["overlays/ovn-kubernetes", "overlays/central", "overlays/netfilter"])(
    "%s: liveness asks for what neither the database nor the API server can fail, readiness for both",
    async (folder) => {
      // Which path means what: docs/operations.md, and e2e/install/install.test.ts on the running program.
      expect(podOf(await of(folder))).toMatchObject({
        containers: [
          {
            livenessProbe: { httpGet: { path: "/healthz" }, timeoutSeconds: 5, failureThreshold: 6 },
            readinessProbe: { httpGet: { path: "/readyz" } },
          },
        ],
      });
    },
  );

  test("the reader of a node has no right at the API server, no capability and two folders", async () => {
    const all = await of("components/observe-node");
    expect(all.map(({ kind }) => kind).sort()).toEqual(["DaemonSet", "ServiceAccount"]);
    const pod = podOf(all);
    expect(pod).toMatchObject({
      ...{ serviceAccountName: "northgate-observe-node", automountServiceAccountToken: false },
      securityContext: { runAsUser: 0, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          args: ["observe-node"],
          securityContext: {
            ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
            capabilities: { drop: ["ALL"] },
          },
          volumeMounts: [
            { name: "ovn", mountPath: "/var/run/openvswitch", readOnly: true },
            { name: "watch", mountPath: "/var/run/northgate" },
          ],
        },
      ],
    });
    expect(pod).not.toHaveProperty("hostPID");
    expect(JSON.stringify(pod["volumes"]).match(/"hostPath":\{"path":"[^"]+"/g)).toEqual([
      '"hostPath":{"path":"/var/run/openvswitch"',
    ]);
  });

  test("no right is for everything, and none reads or writes what is not ours", async () => {
    const roles = [
      ...(await of("base")),
      ...(await of("metrics-auth")),
      ...(await of("components/network-policy")),
      ...(await of("components/antrea-policy")),
      ...(await of("components/calico-policy")),
    ].filter(({ kind }) => kind.endsWith("Role"));
    const rights = roles.flatMap(({ kind, metadata, rules = [] }) =>
      rules.flatMap(({ verbs, ...of }) =>
        verbs.map((verb) => [`${kind} ${metadata.name}`, verb, of] as const),
      ),
    );
    expect(rights.length).toBeGreaterThan(8);
    for (const [, verb, of] of rights)
      expect(JSON.stringify([verb, of])).not.toMatch(/\*|secrets|configmaps|escalate|bind/);
    // Writing is for these alone; e2e/rights.test.ts holds each right against what is asked of an API server.
    const writing = rights.filter(([, verb]) => !["get", "list", "watch"].includes(verb));
    expect(
      writing.map(([role, verb, { resources }]) => `${role}: ${verb} ${(resources ?? []).join()}`).sort(),
    ).toEqual([
      "ClusterRole northgate-antrea-policy: create events",
      "ClusterRole northgate-antrea-policy: patch clustergroups/status,clusternetworkpolicies/status,groups/status,networkpolicies/status",
      "ClusterRole northgate-calico-policy: create events",
      "ClusterRole northgate-metrics-auth: create subjectaccessreviews",
      "ClusterRole northgate-metrics-auth: create tokenreviews",
      "ClusterRole northgate-network-policy: create events",
      "ClusterRole northgate: patch adminnetworkpolicies/status,baselineadminnetworkpolicies/status,clusternetworkpolicies/status",
      "Role northgate-events: create events",
    ]);
  });
});

test("the image has no shell: its last stage is an empty one, runs nothing and starts Node itself, as no root", () => {
  const stages = readFileSync(join(manifests, "../Dockerfile"), "utf8").split(/^FROM /m);
  const last = stages.at(-1) ?? "";
  // What is copied into it: test/image.
  expect(last).toMatch(/^scratch\n/);
  expect(last).not.toMatch(/^(RUN|SHELL|ADD) /m);
  expect(last).toMatch(/^USER 65532:65532$/m);
  expect(last).toMatch(/^ENTRYPOINT \["\/nodejs\/bin\/node", /m);
  expect(last).not.toMatch(/^(CMD|ENTRYPOINT) [^[]/m);
});
