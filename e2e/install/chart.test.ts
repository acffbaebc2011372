// The chart and the kustomizations say the same: what each makes is brought before a real API server, strictly and without a
// warning, and every object is equal with the server's defaults filled in, but for the labels by which Helm knows its own. And
// the chart alone: it has no definition of a kind, its schema refuses what cannot work, its notes say what is missing.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { backendNamed, backendOptions } from "../../src/backends.ts";
import { run } from "../../tools/sandbox/program.ts";
import { type Built, built, manifests, objectsOf } from "../../test/kube/built.ts";
import { installCrds } from "../../test/kube/crds.ts";
import { patience } from "../../test/support/patience.ts";
import { commandsOf, runBlock } from "./documented.ts";
import { describeWithHelm, helm } from "./helm.ts";

const chart = join(manifests, "chart");
const release = ["northgate", chart, "--namespace", "northgate-system"] as const;
const remotes = "ssl:192.0.2.1:6641,ssl:192.0.2.2:6641,ssl:192.0.2.3:6641";
const central = [
  "--set=mode=central",
  `--set=nb.remotes=${remotes.replaceAll(",", "\\,")}`,
  "--set=nb.tlsSecret=northgate-nb",
];
const netfilter = "--set=mode=netfilter";
const nftables = "--set=netfilter.tool=nftables";
const calico = "--set=policyModel=calico";
const token = "--set=metrics.auth=token";

/** A Secret, as far as a test looks at it. */
interface Stored {
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Values, and the folder or the components over an overlay that mean the same. */
const twins = [
  { says: "a node each", values: [], overlay: "ovn-kubernetes", components: [] },
  {
    says: "a node each, metrics for others",
    values: [token],
    overlay: "ovn-kubernetes",
    components: ["metrics-token"],
  },
  {
    says: "a node each, with a reader",
    values: ["--set=observeNode.enabled=true"],
    overlay: "ovn-kubernetes",
    components: ["observe-node"],
  },
  {
    says: "a node each, with a reader, metrics for others",
    values: ["--set=observeNode.enabled=true", token],
    overlay: "ovn-kubernetes",
    components: ["observe-node", "metrics-token", "observe-node-metrics"],
  },
  {
    says: "a node each, cleaned up",
    values: ["--set=cleanup=true"],
    overlay: "ovn-kubernetes",
    components: ["cleanup"],
  },
  { says: "a packet filter each", values: [netfilter], overlay: "netfilter", components: [] },
  {
    says: "a packet filter each, NetworkPolicy followed, metrics for others",
    values: [netfilter, "--set=followNetworkPolicy=true", token],
    overlay: "netfilter",
    components: ["network-policy", "metrics-token"],
  },
  {
    says: "a packet filter each, cleaned up",
    values: [netfilter, "--set=cleanup=true"],
    overlay: "netfilter-cleanup",
    components: [],
  },
  {
    says: "a packet filter each, with nftables",
    values: [netfilter, nftables],
    overlay: "netfilter",
    components: ["nftables"],
  },
  { says: "central", values: central, overlay: "central", components: [] },
  {
    says: "central, cleaned up",
    values: [...central, "--set=cleanup=true"],
    overlay: "central",
    components: ["cleanup"],
  },
  {
    says: "central, NetworkPolicy followed",
    values: [...central, "--set=followNetworkPolicy=true"],
    overlay: "central",
    components: ["network-policy"],
  },
  {
    says: "central, Antrea's policies followed",
    values: [...central, "--set=followAntreaPolicy=true"],
    overlay: "central",
    components: ["antrea-policy"],
  },
  {
    says: "central, Calico's policies in force",
    values: [...central, calico, "--set=followNetworkPolicy=true"],
    overlay: "central",
    components: ["calico-policy", "network-policy"],
  },
  {
    says: "central, on the pods' network",
    values: [...central, token, "--set=hostNetwork=false"],
    overlay: "central",
    components: ["metrics-token", "pod-network"],
  },
  {
    says: "central, with names of domains",
    values: [...central, "--set=settings.names=poll"],
    overlay: "central",
    components: ["names"],
  },
  {
    says: "central, with names of domains from the DNS servers",
    values: [...central, token, "--set=hostNetwork=false", "--set=settings.names=dnstap"],
    overlay: "central",
    components: ["metrics-token", "pod-network", "names-dnstap"],
  },
] as const;

await describeWithHelm("the chart", (plane) => {
  const dir = mkdtempSync(join(tmpdir(), "ng-chart-"));
  cpSync(manifests, join(dir, "manifests"), { recursive: true });
  const template = async (...values: readonly string[]) =>
    (await run(helm, ["template", ...release, "--include-crds", ...values])).stdout;
  const kustomized = async (overlay: string, components: readonly string[]) => {
    const folder = mkdtempSync(join(dir, "twin-"));
    const file = {
      kind: "Kustomization",
      resources: [`../manifests/overlays/${overlay}`],
      components: components.map((name) => `../manifests/components/${name}`),
    };
    writeFileSync(join(folder, "kustomization.yaml"), JSON.stringify(file));
    return built(plane().assets.programs.kubectl, folder);
  };
  /** As the server would store them: refused when a field is unknown, or when it has a word of warning. */
  const stored = async (objects: readonly Built[]): Promise<readonly Built[]> => {
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    const strictly = ["--server-side", "--dry-run=server", "--validate=strict", "--warnings-as-errors"];
    const said = await plane().kubectl(["apply", ...strictly, "-o", "json", "-f", "-"], { input });
    return (JSON.parse(said) as { readonly items: readonly Built[] }).items;
  };

  /** The commands of a block of docs/install.md that begin with kubectl, before the first of helm. */
  const asDocumented = (block: string) => {
    const text = commandsOf("docs/install.md").get(block)?.split("helm ")[0] ?? "";
    const { programs } = plane().assets;
    const PATH = `${dirname(programs.kubectl)}:${process.env["PATH"] ?? ""}`;
    return runBlock(text, { cwd: ".", env: { PATH, HOME: dir, KUBECONFIG: plane().kubeconfig, TLS: dir } });
  };

  beforeAll(async () => {
    await asDocumented("node-helm");
  }, patience(60_000));
  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  test.each(twins)(
    "$says: the same objects as by kustomize, taken without a warning",
    async ({ values, overlay, components }) => {
      const ours = await kustomized(overlay, components);
      const byHelm = comparable(await stored(objectsOf(await template(...values))));
      const byKustomize = comparable(await stored(ours.filter(({ kind }) => kind !== "Namespace")));
      expect(Object.keys(byHelm)).toEqual(Object.keys(byKustomize));
      expect(byHelm).toEqual(byKustomize);
      expect(Object.keys(byHelm).length).toBeGreaterThanOrEqual(6);
      // The namespace, which Helm's user makes.
      await stored(ours.filter(({ kind }) => kind === "Namespace"));
    },
    patience(60_000),
  );

  test("on the pods' network the pod passes what the server calls restricted; on the host's it does not", async () => {
    for (const [components, passes] of [
      [["metrics-token", "pod-network"], true],
      [["metrics-token"], false],
    ] as const) {
      const all = await kustomized("central", components);
      const found = all.find(({ kind }) => kind === "Namespace");
      expect(found?.metadata.labels?.["pod-security.kubernetes.io/enforce"]).toBe(
        passes ? "restricted" : "privileged",
      );
      const name = passes ? "passes" : "does-not";
      await plane().kubectl(["create", "namespace", name]);
      await plane().kubectl(["label", "namespace", name, "pod-security.kubernetes.io/enforce=restricted"]);
      await plane().kubectl(["create", "serviceaccount", "northgate", "-n", name]);
      const spec = all.find(({ kind }) => kind === "Deployment")?.spec?.template?.spec;
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: name }, spec };
      const made = plane().kubectl(["create", "--dry-run=server", "-f", "-"], { input: JSON.stringify(pod) });
      if (passes) expect(await made).toContain("created");
      else await expect(made).rejects.toThrow("host namespaces (hostNetwork=true)");
    }
  });

  test("an instance that is not ready does not hold up the drain of its node", async () => {
    const says = "maxUnavailable: 1\n  unhealthyPodEvictionPolicy: AlwaysAllow";
    expect(await template(...central)).toContain(says);
  });

  test("a namespace that was made for Helm can be the one of kustomize, on the pods' network too", async () => {
    await asDocumented("central-helm");
    for (const components of [[], ["metrics-token", "pod-network"]]) {
      const made = (await kustomized("central", components)).filter(({ kind }) => kind === "Namespace");
      const args = ["apply", "--server-side", "--dry-run=server", "-f", "-"];
      const said = await plane().kubectl(args, { input: JSON.stringify(made[0]) });
      expect(said).toContain("namespace/northgate-system serverside-applied");
    }
  });

  test("one Secret is what the pods serve with and what the monitors trust, and the page makes it", async () => {
    for (const name of ["tls.key", "tls.crt", "ca.crt"]) writeFileSync(join(dir, name), name);
    await asDocumented("metrics-secret");
    const secrets = await plane().kubectl(["get", "secrets", "-n", "northgate-system", "-o", "json"]);
    const [secret, ...others] = (JSON.parse(secrets) as { readonly items: readonly Stored[] }).items;
    expect(others).toEqual([]);
    const { name } = secret?.metadata ?? {};
    expect(Object.keys(secret?.data ?? {}).sort()).toEqual(["ca.crt", "tls.crt", "tls.key"]);
    expect(parse(readFileSync(join(chart, "values.yaml"), "utf8"))).toMatchObject({
      metrics: { tlsSecret: name },
    });
    for (const component of ["metrics-token", "observe-node-metrics"])
      expect(readFileSync(join(manifests, `components/${component}/pod.yaml`), "utf8")).toContain(
        `secretName: ${name ?? ""},`,
      );
    const monitors = [
      "podmonitor.yaml",
      "observe-node/podmonitor.yaml",
      "service-monitor/servicemonitor.yaml",
    ];
    for (const file of monitors) {
      const text = readFileSync(join(manifests, "monitoring", file), "utf8");
      expect(text).toContain(
        `ca:\n          secret:\n            name: ${name ?? ""}\n            key: ca.crt\n`,
      );
    }
  });

  test("no value brings a definition of a kind", async () => {
    for (const { values } of twins)
      expect(await template(...values)).not.toContain("CustomResourceDefinition");
    expect((await run(helm, ["show", "crds", chart])).stdout.trim()).toBe("");
  });

  test.each([
    [["--set=mode=central"], "/nb/remotes"],
    [["--set=mode=central", "--set=nb.remotes=ssl:192.0.2.1:6641"], "/nb/tlsSecret"],
    [["--set=mode=central", "--set=nb.remotes=http://192.0.2.1"], "/nb/remotes"],
    [["--set=mode=nodes"], "/mode"],
    [["--set=hostNetwork=false"], "/mode"],
    [[...central, "--set=hostNetwork=false"], "/metrics/auth"],
    [["--set=settings.nb=tcp:127.0.0.1:6641"], "'nb'"],
    [["--set=settings.allow-empty=true"], "'allow-empty'"],
    [["--set=settings.kubeconfig=/kubeconfig"], "'kubeconfig'"],
    [["--set=settings.log-lvl=debug"], "'log-lvl'"],
    [["--set=settings.named-ports=setz"], "/settings/named-ports"],
    [["--set=settings.wait-timeout=0"], "/settings/wait-timeout"],
    [["--set=settings.wait-timeout=30s"], "/settings/wait-timeout"],
    [["--set=settings.ui=0.0.0.0:65536"], "/settings/ui"],
    [["--set=settings.enable-admin-network-policy=no"], "/settings/enable-admin-network-policy"],
    [["--set=podDisruptionBudget.maxUnavailable=abc"], "/podDisruptionBudget/maxUnavailable"],
    [["--set=podDisruptionBudget.maxUnavailable=101%"], "/podDisruptionBudget/maxUnavailable"],
    [["--set=podLabels.app\\.kubernetes\\.io/name=other"], "/podLabels"],
    [["--set=metrics.port=0"], "/metrics/port"],
    [["--set=mode=central", "--set=nb.remotes=unix:/db.sock"], "unix:/db.sock: in mode central no folder"],
    [
      ["--set=nb.remotes=unix:/run/ovn/ovnnb_db.sock"],
      "unix:/run/ovn/ovnnb_db.sock: only nb.hostPath, /var/run/openvswitch, is mounted",
    ],
    [
      ["--set=nb.remotes=tcp:192.0.2.1:6641"],
      "tcp:192.0.2.1:6641: in mode node each pod writes the rows of its",
    ],
    [
      ["--set=nb.remotes=ssl:127.0.0.1:6641\\,ssl:ovn.example:6641", "--set=nb.tlsSecret=northgate-nb"],
      "ssl:ovn.example:6641: in mode node each pod",
    ],
    [[netfilter, "--set=nb.remotes=tcp:127.0.0.1:6641"], "nb.remotes: has no meaning in mode netfilter"],
    [[netfilter, "--set=nb.tlsSecret=northgate-nb"], "nb.tlsSecret: has no meaning in mode netfilter"],
    [[netfilter, "--set=runAsUser=65532"], "runAsUser: 65532: in mode netfilter the tools ask for root"],
    [
      [netfilter, nftables, "--set=settings.mark=0x3000000"],
      "settings.mark: has no meaning with netfilter.tool",
    ],
    [[netfilter, "--set=observeNode.enabled=true"], "observeNode.enabled: in mode netfilter no node has"],
    [
      ["--set=observeNode.enabled=true", "--set=nb.remotes=tcp:127.0.0.1:6641"],
      "observeNode.enabled: has no meaning with nb.remotes",
    ],
    [[netfilter, "--set=netfilter.tool=ipfw"], "/netfilter/tool"],
    [[netfilter, "--set=settings.ip-range=10.244.0.0"], "/settings/ip-range"],
    [[netfilter, "--set=settings.wait=commit"], "settings.wait: has no meaning in mode netfilter"],
    [
      [netfilter, "--set=settings.antrea-log-severity=info"],
      "settings.antrea-log-severity: has no meaning in mode",
    ],
    [[netfilter, "--set=hostNetwork=false"], "/mode"],
    [["--set=settings.backend=iptables"], "'backend'"],
    [["--set=policyModel=cilium"], "/policyModel"],
    [["--set=settings.policy-model=calico"], "'policy-model'"],
    [["--set=settings.calico-api=v3"], "settings.calico-api: has no meaning without policyModel: calico"],
    [
      ["--set=settings.calico-tier-zero=true"],
      "settings.calico-tier-zero: has no meaning without policyModel: calico",
    ],
    [[calico, "--set=followNetworkPolicy=true", netfilter], "policyModel: calico: has no meaning in mode"],
    [
      [calico, "--set=followNetworkPolicy=true", "--set=followAntreaPolicy=true"],
      "policyModel: calico: followAntreaPolicy has no place",
    ],
    [[calico, "--set=followNetworkPolicy=true", "--set=settings.calico-api=v4"], "/settings/calico-api"],
    [["--set=replica=3"], "'replica'"],
    [["--set=image.digest=latest"], "/image/digest"],
  ])("%j is refused: %s", async (values, where) => {
    await expect(template(...values)).rejects.toThrow(where);
  });

  test.each([
    { values: [] as readonly string[], mode: "node", own: "ovn" },
    { values: central, mode: "central", own: "ovn" },
    { values: [netfilter], mode: "netfilter", own: "iptables" },
  ])("mode $mode takes the settings of its own backend alone", async ({ values, mode, own }) => {
    const { options } = backendNamed(own);
    const optionsOf = (isTaken: boolean) =>
      Object.entries(backendOptions).filter(([flag]) => (options[flag] !== undefined) === isTaken);
    const set = ([flag, { argument, fallback }]: ReturnType<typeof optionsOf>[number]) =>
      `--set-string=settings.${flag}=${argument === "CIDRS" ? "10.244.0.0/16" : fallback}`;
    await template(...values, ...optionsOf(true).map(set));
    for (const option of optionsOf(false))
      await expect(template(...values, set(option))).rejects.toThrow(
        `settings.${option[0]}: has no meaning in mode ${mode}, which writes no`,
      );
  });

  test.each([
    ["unix:/var/run/openvswitch/other.sock", false],
    ["tcp:127.0.0.1:6641", false],
    ["tcp:[::1]:6641", false],
    ["tcp:$(NODE_IP):6641", true],
    ["tcp:[$(NODE_IP)]:6641", true],
  ])("mode node takes a database of the node itself: %s", async (own, named) => {
    const text = await template(`--set=nb.remotes=${own}`);
    expect(text).toContain(`- name: NORTHGATE_NB\n              value: "${own}"`);
    // The kubelet replaces $(NODE_IP) by what stands before it in the list.
    expect((text.split("NORTHGATE_NB")[0] ?? "").includes("- name: NODE_IP")).toBe(named);
  });

  test("every value that the schema lets a setting have becomes its text", async () => {
    const text = await template(
      ...["--set=settings.wait-timeout=45", "--set-string=podDisruptionBudget.maxUnavailable=50%"],
      ...["--set=settings.enable-admin-network-policy=false", "--set=settings.ui=127.0.0.1:8089"],
    );
    expect(text).toMatch(/name: NORTHGATE_WAIT_TIMEOUT\n +value: "45"/);
    expect(text).toMatch(/name: NORTHGATE_ENABLE_ADMIN_NETWORK_POLICY\n +value: "false"/);
    expect(text).toMatch(/name: NORTHGATE_UI\n +value: "127\.0\.0\.1:8089"/);
  });

  test.each([
    [[], "127.0.0.1:9500"],
    [[token], "[::]:9500"],
  ])("metrics are served at the port that is asked for: %j", async (values, address) => {
    const text = await template("--set=metrics.port=9500", ...values);
    expect(text).toContain(`{ name: NORTHGATE_METRICS_BIND_ADDRESS, value: "${address}" }`);
    expect(text).toContain("{ name: metrics, containerPort: 9500, protocol: TCP }");
    expect(text).not.toContain("9476");
  });

  test("in Calico's model it is always said who has the rows of NetworkPolicies", async () => {
    for (const follows of [true, false])
      expect(await template(calico, `--set=followNetworkPolicy=${follows}`)).toContain(
        `{ name: NORTHGATE_ENABLE_NETWORK_POLICY, value: "${follows}" }`,
      );
  });

  test("a setting is a variable by its flag's name, and log-format can be set", async () => {
    const text = await template("--set=settings.named-ports=sets", "--set=settings.log-format=text");
    expect(text).toMatch(/name: NORTHGATE_NAMED_PORTS\n +value: "sets"/);
    expect(text.match(/NORTHGATE_LOG_FORMAT\n +value: .*/g)).toEqual([
      'NORTHGATE_LOG_FORMAT\n              value: "text"',
    ]);
  });

  test(
    "its notes name the definitions that a cluster lacks, and no other",
    async () => {
      const notes = async () => {
        const dry = ["install", ...release, "--dry-run=server", `--kubeconfig=${plane().kubeconfig}`];
        return (await run(helm, dry)).stdout.split("NOTES:\n")[1] ?? "";
      };
      expect(await notes()).toContain(
        "does not serve: AdminNetworkPolicy, BaselineAdminNetworkPolicy, ClusterNetworkPolicy.",
      );
      await installCrds(plane(), ["adminnetworkpolicies", "baselineadminnetworkpolicies"]);
      expect(await notes()).toContain("does not serve: ClusterNetworkPolicy.");
      await installCrds(plane());
      expect(await notes()).not.toContain("does not serve");
    },
    patience(120_000),
  );

  test("one version everywhere", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    expect(parse(readFileSync(join(chart, "Chart.yaml"), "utf8"))).toMatchObject({
      version,
      appVersion: version,
    });
    for (const file of ["components/pod/pod.yaml", "components/cleanup/pod.yaml"])
      expect(readFileSync(join(manifests, file), "utf8")).toContain(`image: northgate:${version}\n`);
  });
});

/** By kind and name, without what only one of the two can have, and with no order where order has no meaning. */
function comparable(objects: readonly Built[]): Readonly<Record<string, unknown>> {
  const text = (object: Built): unknown =>
    JSON.parse(JSON.stringify(object), (key, value: unknown) => {
      if (["env", "volumes", "volumeMounts", "tolerations"].includes(key) && Array.isArray(value))
        return value.map((one) => JSON.stringify(one)).sort();
      return value;
    });
  const entries = objects.map((object) => {
    const { name, namespace } = object.metadata;
    return [
      `${object.kind}/${name}`,
      text({ ...object, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }),
    ] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
