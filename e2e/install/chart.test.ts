// The chart and the kustomizations say the same: what each makes is brought before a real API server, strictly and without a
// warning, and every object is equal with the server's defaults filled in, but for the labels by which Helm knows its own. And
// the chart alone: it has no definition of a kind, its schema refuses what cannot work, its notes say what is missing.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { run } from "../../src/sandbox/program.ts";
import { type Built, built, manifests, objectsOf } from "../../test/kube/built.ts";
import { installCrds } from "../../test/kube/crds.ts";
import { patience } from "../../test/support/patience.ts";
import { describeWithHelm, helm } from "./helm.ts";

const chart = join(manifests, "chart");
const release = ["northgate", chart, "--namespace", "northgate-system"] as const;
const remotes = "ssl:192.0.2.1:6641,ssl:192.0.2.2:6641,ssl:192.0.2.3:6641";
const central = [
  "--set=mode=central",
  `--set=nb.remotes=${remotes.replaceAll(",", "\\,")}`,
  "--set=nb.tlsSecret=northgate-nb",
];
const token = "--set=metrics.auth=token";

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
    says: "a node each, cleaned up",
    values: ["--set=cleanup=true"],
    overlay: "ovn-kubernetes",
    components: ["cleanup"],
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
    says: "central, on the pods' network",
    values: [...central, token, "--set=hostNetwork=false"],
    overlay: "central",
    components: ["metrics-token", "pod-network"],
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

  beforeAll(async () => {
    await plane().kubectl(["create", "namespace", "northgate-system"]);
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
    [["--set=settings.nb=tcp:127.0.0.1:6641"], "propertyName 'nb'"],
    [["--set=settings.allow-empty=true"], "propertyName 'allow-empty'"],
    [["--set=replica=3"], "'replica'"],
    [["--set=image.digest=latest"], "/image/digest"],
  ])("%j is refused: %s", async (values, where) => {
    await expect(template(...values)).rejects.toThrow(where);
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
