import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { ApiError, type KubernetesObject } from "./api.ts";
import { collectionOf, create, pathOf, putStatus, remove } from "./bulk.ts";
import { type Case, everyNamespace } from "./case.ts";
import { clusterCases } from "./cluster-policy-cases.ts";
import { installCrds, plurals } from "./crds.ts";
import { adminPolicy, baselinePolicy, clusterPolicy } from "./objects.ts";
import { adminOnly, baselineOnly, shared } from "./policy-cases.ts";
import { describeWithControlPlane } from "./support.ts";
import { patience } from "../support/patience.ts";

const rule = { action: "Deny", from: [everyNamespace] };
const condition = {
  type: "Ready-In-Zone-a",
  status: "True",
  reason: "SetupSucceeded",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

await describeWithControlPlane("the CRDs", (plane) => {
  beforeAll(async () => {
    await installCrds(plane());
  }, patience(60_000));

  /** As the server would store it, or its refusal. */
  async function tried(object: KubernetesObject, validation = "Ignore"): Promise<KubernetesObject | string> {
    const path = `${collectionOf(object)}?dryRun=All&fieldValidation=${validation}`;
    try {
      return await plane().api.object("POST", path, { body: object });
    } catch (error) {
      if (error instanceof ApiError && [400, 422].includes(error.status)) return error.message;
      throw error;
    }
  }

  const admin = (spec: object) => adminPolicy("a", { priority: 10, subject: everyNamespace, ...spec });
  const baseline = (spec: object) => baselinePolicy({ subject: everyNamespace, ...spec });
  const cluster = (spec: object) =>
    clusterPolicy("a", { tier: "Admin", priority: 10, subject: everyNamespace, ...spec });
  const cases = [
    ...clusterCases.map((one) => ["cnp", one.says, one, cluster] as const),
    ...[...shared, ...adminOnly].map((one) => ["anp", one.says, one, admin] as const),
    ...[...shared, ...baselineOnly].map((one) => ["banp", one.says, one, baseline] as const),
  ];

  test.each(cases)("%s: %s", async (_kind, _says, { spec, refused }: Case, policy) => {
    const answer = await tried(policy(spec));
    if (refused === null) expect(answer).toMatchObject({ kind: policy({}).kind });
    else expect(answer).toEqual(expect.stringContaining(refused));
  });

  test("a baseline policy has one name", async () => {
    const answer = await tried(baselinePolicy({ subject: everyNamespace }, "other"));
    expect(answer).toContain(
      'Only one baseline admin network policy with metadata.name="default" can be created in the cluster',
    );
  });

  test("no spec", async () => {
    expect(await tried(adminPolicy("a", undefined))).toContain("spec: Required");
    expect(await tried(baselinePolicy(undefined))).toContain("spec: Required");
    expect(await tried(clusterPolicy("a", undefined))).toContain("spec: Required");
  });

  test("TCP is the protocol when none is given, an unknown one stays", async () => {
    const ports = [
      { portNumber: { port: 80 } },
      { portRange: { start: 1, end: 2 } },
      { portNumber: { port: 80, protocol: "QUIC" } },
    ];
    const filled = [
      { portNumber: { port: 80, protocol: "TCP" } },
      { portRange: { start: 1, end: 2, protocol: "TCP" } },
      { portNumber: { port: 80, protocol: "QUIC" } },
    ];
    const rules = {
      ingress: [{ ...rule, ports }],
      egress: [{ action: "Deny", to: [everyNamespace], ports }],
    };
    for (const policy of [admin(rules), baseline(rules)]) {
      const spec = { ingress: [{ ports: filled }], egress: [{ ports: filled }] };
      expect(await tried(policy)).toMatchObject({ spec });
    }
  });

  test("unknown fields are pruned, and a strict client is told", async () => {
    const spec = {
      subject: { namespaces: { namespaceSelector: {} } },
      ingress: [{ ...rule, priority: 3 }],
      x: 1,
    };
    expect(await tried(admin(spec))).toHaveProperty("spec", {
      priority: 10,
      subject: everyNamespace,
      ingress: [rule],
    });
    const strict = await tried(admin(spec), "Strict");
    expect(strict).toContain('unknown field "spec.x"');
    expect(strict).toContain('unknown field "spec.ingress[0].priority"');
    expect(strict).toContain('unknown field "spec.subject.namespaces.namespaceSelector"');
  });

  test.each(["cluster-control/policies", "multi-tenant/policies", "cluster-network-policy/policies"])(
    "takes examples/%s as they are",
    async (dir) => {
      const path = fileURLToPath(new URL(`../../examples/${dir}`, import.meta.url));
      const said = await plane().kubectl(["apply", "--dry-run=server", "--validate=strict", "-f", path]);
      expect(said).toMatch(/^(\S+ created \(server dry run\)\n)+$/);
    },
  );

  test("the largest policy the limits allow is within the cost of the rules", async () => {
    const networks = Array.from({ length: 25 }, (_, n) => `10.${n}.0.0/16`);
    const egress = Array.from({ length: 100 }, () => ({
      action: "Allow",
      to: Array.from({ length: 8 }, () => ({ networks })),
      ports: Array.from({ length: 100 }, (_, n) => ({ portNumber: { port: n + 1 } })),
    }));
    expect(await tried(admin({ egress }))).toHaveProperty("spec.egress.length", 100);
    const entries = Array.from({ length: 25 }, (_, n) => ({
      tcp: { destinationPort: { range: { start: n + 1, end: 65535 } } },
    }));
    const rules = Array.from({ length: 25 }, () => ({
      action: "Accept",
      to: Array.from({ length: 25 }, () => ({ networks })),
      protocols: entries,
    }));
    expect(await tried(cluster({ egress: rules }))).toHaveProperty("spec.egress.length", 25);
  });

  test("kubectl shows priority and age, under the short names", async () => {
    const { api, kubectl } = { api: plane().api, kubectl: plane().kubectl.bind(plane()) };
    const policies = [
      await create(api, admin({ priority: 34 })),
      await create(api, baseline({})),
      await create(api, cluster({ tier: "Baseline", priority: 7 })),
    ];
    const table = async (what: string) =>
      (await kubectl(["get", what]))
        .split("\n")
        .map((line) => line.split(/\s+/).filter((word) => word !== ""));
    const [heading, row] = await table("anp");
    expect(heading).toEqual(["NAME", "PRIORITY", "READY", "REASON", "AGE"]);
    expect(row).toEqual(["a", "34", expect.stringMatching(/^\d+s$/)]);
    expect((await table("banp"))[0]).toEqual(["NAME", "READY", "REASON", "AGE"]);
    const [columns, cells] = await table("cnp");
    expect(columns).toEqual(["NAME", "TIER", "PRIORITY", "READY", "REASON", "AGE"]);
    expect(cells).toEqual(["a", "Baseline", "7", expect.stringMatching(/^\d+s$/)]);
    expect(await kubectl(["explain", "cnp.spec.egress.protocols.tcp.destinationPort"])).toContain("range");
    expect(await kubectl(["explain", "anp.spec.egress.to.domainNames"])).toContain("*.example.com");
    for (const policy of policies) await remove(api, policy);
  });

  test("status has its own door, its conditions one of a type", async () => {
    const { api } = plane();
    const conditions = [condition];
    const stored = await api.object("POST", collectionOf(admin({})), {
      body: { ...admin({}), status: { conditions } },
    });
    expect(stored.status).toBeUndefined();
    const written = await putStatus(api, { ...stored, spec: { priority: 11 } }, { conditions });
    expect(written).toMatchObject({
      spec: { priority: 10 },
      status: { conditions },
      metadata: { generation: 1 },
    });
    await expect(putStatus(api, written, { conditions: [condition, condition] })).rejects.toThrow(
      "Duplicate value",
    );
    await expect(putStatus(api, written, {})).rejects.toThrow("conditions: Required");
    const bad = [
      { status: "Maybe" },
      { reason: "" },
      { reason: "two words" },
      { type: "-" },
      { message: "m".repeat(32769) },
      { observedGeneration: -1 },
      { lastTransitionTime: "yesterday" },
    ];
    for (const change of bad) {
      const path = `status.conditions[0].${Object.keys(change)[0] ?? ""}`;
      await expect(putStatus(api, written, { conditions: [{ ...condition, ...change }] })).rejects.toThrow(
        path,
      );
    }
    await remove(api, written);
  });

  test("each zone applies its own condition", async () => {
    const { api } = plane();
    const stored = await create(api, admin({}));
    const apply = (zone: string) => {
      const conditions = [{ ...condition, type: `Ready-In-Zone-${zone}` }];
      const { apiVersion, kind } = stored;
      const body = { apiVersion, kind, metadata: { name: "a" }, status: { conditions } };
      const path = `${pathOf(stored)}/status?fieldManager=${zone}`;
      return api.object("PATCH", path, { body, type: "application/apply-patch+yaml" });
    };
    await apply("a");
    const both = await apply("b");
    expect(both).toHaveProperty("status.conditions.length", 2);
    await remove(api, stored);
  });

  test("the documented removal leaves them, and the documented first step replaces none", async () => {
    const kubectl = (verb: string, folder: string, ...options: readonly string[]) =>
      plane().kubectl([verb, "--dry-run=server", ...options, "-k", `manifests/${folder}`]);
    expect(await kubectl("delete", "crds")).toContain("customresourcedefinition");
    for (const folder of ["base", "overlays/ovn-kubernetes", "overlays/central"])
      expect(await kubectl("delete", folder, "--ignore-not-found")).not.toContain("customresourcedefinition");
    await expect(kubectl("create", "crds")).rejects.toThrow("AlreadyExists");
  });

  test("the server finds nothing to say against the definitions", async () => {
    for (const plural of plurals) {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.policy.networking.k8s.io`;
      const { status } = await plane().api.object("GET", path);
      expect(status).toHaveProperty("conditions");
      const { conditions } = status as { conditions: readonly { type: string; status: string }[] };
      const states = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
      expect(states).toEqual({
        NamesAccepted: "True",
        Established: "True",
        KubernetesAPIApprovalPolicyConformant: "True",
      });
    }
  });
});
