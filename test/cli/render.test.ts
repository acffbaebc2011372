// `northgate render` as a user runs it: formats, exit codes, and every kind of broken input with the rest still rendered.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse as parseYaml } from "yaml";
import type { Report } from "../../src/lint/finding.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { northgate, northgateFed } from "../support/program.ts";

const sample = "examples/cluster-control";

describe("of ClusterNetworkPolicies", () => {
  const folders = ["multi-tenant/cluster", "cluster-network-policy/policies"];
  const { code, stdout, stderr } = northgate(
    "render",
    ...folders.flatMap((folder) => ["-f", `examples/${folder}`]),
    ...["-o", "json"],
  );

  test("has both tiers in their places, under names of their own", () => {
    expect([stderr, code]).toEqual(["", 0]);
    const { ACL: acls, Port_Group: groups } = JSON.parse(stdout) as Tables;
    const owners = groups.map(({ external_ids: ids }) => ids["k8s.ovn.org/owner-type"]);
    expect(owners).toEqual(new Array(3).fill("ClusterNetworkPolicy"));
    expect(acls.map(({ tier, priority, name, action }) => [tier, priority, name, action]).sort()).toEqual(
      [
        [1, 19791, "CNP:dns:Egress:0", "allow-related"],
        [1, 19791, "CNP:dns:Egress:0", "allow-related"],
        [1, 19592, "CNP:blue-tenant:Ingress:0", "pass"],
        [1, 19591, "CNP:blue-tenant:Ingress:1", "drop"],
        [3, 32443, "CNP:web-only:Ingress:0", "allow-related"],
        [3, 32443, "CNP:web-only:Ingress:0", "allow-related"],
        [3, 32442, "CNP:web-only:Ingress:1", "drop"],
      ].sort(),
    );
  });
});

describe("of Antrea's policies", () => {
  const folders = ["multi-tenant/cluster", "antrea/policies"];
  const render = (...more: readonly string[]) =>
    northgate("render", ...folders.flatMap((one) => ["-f", `examples/${one}`]), ...more, "-o", "json");

  test("has rows in tier 1, a share for each tenant, and none of what is read from other groups", () => {
    const { code, stdout, stderr } = render();
    expect([stderr, code]).toEqual(["", 0]);
    const { ACL: acls } = JSON.parse(stdout) as Tables;
    const rows = acls.map(({ tier, name, action, severity }) =>
      [tier, name, action, severity ?? null].join(" "),
    );
    const tenant = "1 ACNP:tenants:Ingress:0 allow-related ";
    expect(rows.sort()).toEqual(
      [
        ...[tenant, tenant, tenant, tenant],
        ...["1 ACNP:tenants:Ingress:1 pass ", "1 ACNP:tenants:Ingress:2:tenants drop info"],
        ...["1 ANNP:blue:web:Egress:0 drop ", "1 ANNP:blue:web:Ingress:0 reject "],
        // A node reaches its own pods before all of them.
        ...["ovn-worker", "ovn-worker2"].map((name) => `1 NODE:${name}:Ingress:0 allow-related `),
      ].sort(),
    );
  });

  test("gives logged verdicts the severity that it is told, with their labels, and changes nothing else", () => {
    const acls = (...more: readonly string[]) => (JSON.parse(render(...more).stdout) as Tables).ACL;
    const [usual, told] = [acls(), acls("--antrea-log-severity=alert")];
    const logged = told.filter(({ log }) => log);
    expect(logged.map((acl) => [acl.name, acl.severity, acl.external_ids["log-label"]])).toEqual([
      ["ACNP:tenants:Ingress:2:tenants", "alert", "tenants"],
    ]);
    expect(told).toEqual(usual.map((acl) => (acl.log ? { ...acl, severity: "alert" } : acl)));
    const wrong = render("--antrea-log-severity=loud");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"loud" is not alert, warning')]);
  });

  test("renders what can be said of a policy, names the part that cannot, and ends with 1", () => {
    const folder = mkdtempSync(join(tmpdir(), "northgate-render-"));
    const manifest = (group: string): string =>
      "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: p}\nspec:\n" +
      "  priority: 1\n  appliedTo: [{podSelector: {}}]\n  ingress: [{action: Drop}]\n" +
      `  egress: [{action: Drop, to: [${group}]}]\n`;
    writeFileSync(join(folder, "p.yaml"), manifest('{fqdn: "*.example.com"}'));
    const partly = northgate("render", "-f", folder, "-o", "json");
    expect(partly.code).toBe(1);
    expect(partly.stderr).toMatch(
      /p\.yaml:8: error: ClusterNetworkPolicy p: spec\.egress\[0\]\.to\[0\]\.fqdn: domain names are not resolved here/,
    );
    writeFileSync(join(folder, "p.yaml"), manifest("{group: later}"));
    const waiting = northgate("render", "-f", folder, "-o", "json");
    expect(waiting.code).toBe(0);
    expect(waiting.stderr).toMatch(/p\.yaml:8: warning: .*there is no ClusterGroup later/);
    rmSync(folder, { recursive: true });
  });
});

describe("of NetworkPolicies", () => {
  const render = (...flags: readonly string[]) => {
    const folders = ["multi-tenant/cluster", "network-policy/policies"];
    return northgate(
      "render",
      ...folders.flatMap((one) => ["-f", `examples/${one}`]),
      "-o",
      "json",
      ...flags,
    );
  };

  test("has rows in tier 2 alone", () => {
    const { code, stdout, stderr } = render();
    expect([stderr, code]).toEqual(["", 0]);
    const { ACL: acls } = JSON.parse(stdout) as Tables;
    expect(new Set(acls.map(({ tier }) => tier))).toEqual(new Set([2]));
    expect(new Set(acls.map(({ priority, action }) => `${priority} ${action}`))).toContain("1000 drop");
  });

  test("follows no connections where the policy is annotated so, and only when it is told to", () => {
    const folder = mkdtempSync(join(tmpdir(), "northgate-render-"));
    const manifest =
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n" +
      'metadata: {name: dns, namespace: blue, annotations: {k8s.ovn.org/acl-stateless: "true"}}\n' +
      "spec: {podSelector: {}, ingress: [{}], egress: [{}]}\n";
    writeFileSync(join(folder, "dns.yaml"), manifest);
    const actions = (stdout: string): readonly string[] => {
      const { ACL: acls } = JSON.parse(stdout) as Tables;
      return acls.filter(({ name }) => name?.startsWith("NP:blue:dns:") === true).map(({ action }) => action);
    };
    const unasked = render("-f", folder);
    expect([unasked.code, actions(unasked.stdout)]).toEqual([0, ["allow-related", "allow-related"]]);
    expect(unasked.stderr).toMatch(
      /warning: .*acl-stateless"\]: honoured only with --stateless-network-policy=true/,
    );
    const asked = render("-f", folder, "--stateless-network-policy=true");
    expect([asked.code, asked.stderr, actions(asked.stdout)]).toEqual([
      ...[0, ""],
      ["allow-stateless", "allow-stateless"],
    ]);
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["among other kinds", []],
    ["among no kind of the name", ["--enable-antrea-policy=false"]],
  ])("reads none when it is told so, %s", (_, more) => {
    const { code, stdout, stderr } = render("--enable-network-policy=false", ...more);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^northgate: left alone: \d objects of kinds that Northgate does not read: \d NetworkPolicy.networking.k8s.io\n$/,
    );
    expect(JSON.parse(stdout)).toEqual({ ACL: [], Address_Set: [], Port_Group: [] });
  });
});

test("with --anp-priorities all, an AdminNetworkPolicy of priority 100 stands behind those of 0 to 99", () => {
  const folder = mkdtempSync(join(tmpdir(), "northgate-render-"));
  const manifest = (name: string, priority: number): string =>
    `apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: ${name}}\nspec:\n` +
    `  priority: ${priority}\n  subject: {namespaces: {}}\n  egress: [{action: Deny, to: [{namespaces: {}}]}]\n`;
  const text = [manifest("low", 99), manifest("high", 100), manifest("highest", 1000)].join("---\n");
  writeFileSync(join(folder, "policies.yaml"), text);
  const rendered = (...flags: readonly string[]) => {
    const { code, stdout, stderr } = northgate("render", "-f", folder, "-o", "json", ...flags);
    const { ACL: acls } = JSON.parse(stdout) as Tables;
    return { code, stderr, acls: acls.map(({ name, tier, priority }) => ({ name, tier, priority })) };
  };
  const low = { name: "ANP:low:Egress:0", tier: 1, priority: 20_100 };
  const refusing = rendered();
  expect([refusing.code, refusing.acls]).toEqual([1, [low]]);
  expect(refusing.stderr).toContain("OVN has ACL priorities only for 0-99");
  const all = rendered("--anp-priorities", "all");
  expect([all.code, all.stderr]).toEqual([0, ""]);
  const inOrder = all.acls.toSorted((a, b) => b.priority - a.priority);
  expect(inOrder.map(({ name }) => name)).toEqual(
    ["low", "high", "highest"].map((name) => `ANP:${name}:Egress:0`),
  );
  expect(inOrder[0]).toEqual(low);
  expect(inOrder[1]?.priority).toBeLessThanOrEqual(20_000);
  rmSync(folder, { recursive: true });
});

describe("of the documentation's sample", () => {
  const { code, stdout, stderr } = northgate("render", "-f", sample, "-o", "json");
  const tables = JSON.parse(stdout) as Tables;

  test("ends with 0 and says nothing on standard error", () => {
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  test("has exactly the tables and columns that are promised", () => {
    expect(Object.keys(tables)).toEqual(["Port_Group", "Address_Set", "ACL"]);
    for (const row of tables.Port_Group) {
      expect(Object.keys(row).sort()).toEqual(["acls", "external_ids", "name", "ports"]);
    }
    for (const row of tables.Address_Set) {
      expect(Object.keys(row).sort()).toEqual(["addresses", "external_ids", "name"]);
    }
    const columns = [
      "action",
      "direction",
      "external_ids",
      "label",
      "log",
      "match",
      "meter",
      "name",
      "options",
    ];
    for (const row of tables.ACL) {
      expect(Object.keys(row).sort()).toEqual([...columns, "priority", "severity", "tier"]);
    }
  });

  test("sorts sets, names references and prints null for what is unset", () => {
    for (const { ports, acls } of tables.Port_Group) {
      expect(ports).toEqual([...ports].sort());
      expect(acls).toEqual([...acls].sort());
      expect(acls[0]).toMatch(/^default-network-controller:/);
      expect(ports[0]).toMatch(/^[a-z0-9-]+_/);
    }
    for (const { addresses } of tables.Address_Set) expect(addresses).toEqual([...addresses].sort());
    expect(tables.ACL.map((acl) => acl.severity)).toEqual(tables.ACL.map(() => null));
  });

  test("is the same as YAML", () => {
    const yaml = northgate("render", "-f", sample, "-o", "yaml");
    expect(parseYaml(yaml.stdout)).toEqual(tables);
    // Rows of one list of addresses say it each.
    expect(yaml.stdout).not.toMatch(/[&*]a\d/);
  });

  test("is the same from files given one by one, in any order", () => {
    const files = ["policies/default-baseline", "cluster/pods", "policies/cluster-control", "cluster/nodes"];
    const paths = [...files, "cluster/namespaces"].flatMap((file) => ["-f", join(sample, `${file}.yaml`)]);
    expect(JSON.parse(northgate("render", ...paths, "-o", "json").stdout)).toEqual(tables);
  });

  test("as a table has a line for every row", () => {
    const { stdout: table } = northgate("render", "-f", sample);
    for (const acl of tables.ACL) expect(table).toContain(acl.match);
    for (const set of tables.Address_Set) expect(table).toContain(set.name);
  });

  test("takes one node's ports with --zone, and every family with --ip-families", () => {
    const zoned = northgate(
      "render",
      "-f",
      sample,
      "--zone",
      "ovn-worker",
      "-o",
      "json",
      "--ip-families",
      "ipv4,ipv6",
    );
    const { Port_Group, Address_Set, ACL } = JSON.parse(zoned.stdout) as Tables;
    expect(Port_Group[0]?.ports).toHaveLength(2);
    expect(Address_Set).toHaveLength(tables.Address_Set.length * 2);
    expect(ACL[0]?.match).toContain(" || ip6.");
  });
});

test("address sets are a selector's when asked for, and of no kind of policy", () => {
  const rendered = (...flags: readonly string[]) =>
    JSON.parse(northgate("render", "-f", sample, "-o", "json", ...flags).stdout) as Tables;
  const [unasked, documented, shared] = [
    rendered(),
    rendered("--address-sets", "rule"),
    rendered("--address-sets", "shared"),
  ];
  expect(documented).toEqual(unasked);
  expect(new Set(shared.Address_Set.map((set) => set.external_ids["k8s.ovn.org/owner-type"]))).toEqual(
    new Set(["NorthgateSelector"]),
  );
  const known = new Set(shared.Address_Set.map(({ name }) => `$${name}`));
  expect([unasked.Address_Set.length, known.size]).toEqual([13, 9]);
  for (const { match } of shared.ACL)
    for (const [name] of match.matchAll(/\$\w+/g)) expect(known).toContain(name);
  const others = ({ Port_Group, ACL }: Tables) => [Port_Group, ACL.map((row) => ({ ...row, match: "" }))];
  expect(others(shared)).toEqual(others(unasked));
});

test("named ports are in sets of their own when asked for", () => {
  const listed = JSON.parse(northgate("render", "-f", sample, "-o", "json").stdout) as Tables;
  const asked = northgate("render", "-f", sample, "--named-ports", "sets", "-o", "json");
  const tables = JSON.parse(asked.stdout) as Tables;
  expect(listed.Address_Set.some(({ external_ids }) => "port-number" in external_ids)).toBe(false);
  const [set, ...others] = tables.Address_Set.filter(({ external_ids }) => "port-number" in external_ids);
  expect(others).toEqual([]);
  expect(set?.external_ids["k8s.ovn.org/id"]).toBe(
    "default-network-controller:AdminNetworkPolicy:cluster-control:Ingress:1:tcp-namedPort:8080:v4",
  );
  expect(set).toMatchObject({ name: "a2997823809436702247", addresses: ["10.244.1.4", "10.244.2.8"] });
  const changed = tables.ACL.filter(({ match }, at) => match !== listed.ACL[at]?.match);
  expect(changed.map(({ match }) => match)).toEqual([
    "outport == @a14645450421485494999 && ((ip4.src == $a6786643370959569281)) && tcp && " +
      "((ip4.dst == $a2997823809436702247 && tcp.dst == 8080))",
  ]);
});

describe("of broken input", () => {
  const { code, stdout, stderr } = northgate("render", "-f", "examples/broken", "-o", "json");
  const tables = JSON.parse(stdout) as Tables;
  const lines = stderr.trimEnd().split("\n");

  test("ends with 1", () => {
    expect(code).toBe(1);
  });

  test.each([
    ["half-written.yaml", "is not YAML past its cut"],
    ["not-yaml.yaml", "is not YAML at all"],
    ["alias-bomb.yaml", "has too many aliases"],
    ["wrong-kinds.yaml", "kinds nobody reads"],
    ["too-many-rules.yaml", "101 rules"],
    ["two-subjects.yaml", "two subjects"],
    ["quotes.yaml", "quotes and && in names, labels and addresses"],
    ["many-mistakes.yaml", "fields"],
    ["twice.yaml", "one object twice"],
  ])("says file, line and what is wrong: %s (%s)", (file) => {
    const told = lines.filter((line) => line.startsWith(`examples/broken/${file}:`));
    expect(told).not.toEqual([]);
    for (const line of told) expect(line).toMatch(/^[\w/.-]+:\d+(:\d+)?: (error|warning): .+/);
  });

  test("prints no stack trace and no control character", () => {
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stderr).not.toContain("node:internal");
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });

  test("lets no such text into any match, and renders the rest", () => {
    const grammar = /^[\w @$.=&|(){},:<>/-]*$/;
    for (const acl of tables.ACL) {
      expect(acl.match).toMatch(grammar);
      expect(acl.match).not.toContain('"');
    }
    expect(tables.Port_Group.map((row) => row.external_ids["k8s.ovn.org/name"])).toEqual([
      "good",
      "newer-api",
    ]);
    expect(JSON.stringify(tables)).not.toContain('||\\"');
  });
});

describe("usage", () => {
  test.each([
    [["render"], "--filename"],
    [["render", "-f", sample, "-o", "xml"], "xml"],
    [["render", "-f", sample, "--ip-families", "ipv5"], "ipv5"],
    [["render", "-f", sample, "--zone", ""], "--zone"],
    [["render", "-f", sample, "--named-ports", "set"], "--named-ports"],
    [["render", "-f", sample, "--anp-priorities", "every"], "--anp-priorities"],
    [["render", "-f", sample, "--address-sets", "selector"], "--address-sets"],
    [["nonsense"], "nonsense"],
    [["render", "-f", sample, "--no-such-flag"], "--no-such-flag"],
  ])("%j ends with 2 and names what is wrong", (args, named) => {
    const { code, stderr, stdout } = northgate(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(named);
    expect(stdout).toBe("");
  });

  test("--help teaches and ends with 0", () => {
    const { code, stdout } = northgate("render", "--help");
    expect(code).toBe(0);
    expect(stdout).toContain("Exit codes");
    expect(northgate("--help").stdout).toContain("render");
    expect(northgate("--version").stdout).toMatch(/^\d+\.\d+\.\d+ \(commit \S+, Node [\d.]+\)\n$/);
  });
});

describe("of a dump of a cluster on standard input", () => {
  const files = ["cluster/namespaces", "cluster/nodes", "cluster/pods", "policies/cluster-control"];
  const texts = files.map((file) => readFileSync(join(sample, `${file}.yaml`), "utf8"));
  const other = (apiVersion: string, kind: string) =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`;
  const others = [
    other("apps/v1", "Deployment"),
    other("v1", "ConfigMap"),
    other("networking.k8s.io/v1", "Ingress"),
    other("apps/v1", "Deployment"),
  ];
  const rows = northgate(
    "render",
    ...files.flatMap((file) => ["-f", join(sample, `${file}.yaml`)]),
    "-ojson",
  );

  test("has the rows of the files, and one note about everything else", () => {
    const read = northgateFed([...texts, ...others].join("---\n"), "render", "-f", "-", "-o", "json");
    expect(read).toEqual({
      ...{ code: 0, stdout: rows.stdout },
      stderr:
        "northgate: left alone: 4 objects of kinds that Northgate does not read: " +
        "2 Deployment.apps, 1 ConfigMap, 1 Ingress.networking.k8s.io\n",
    });
    expect(rows.stdout).toContain("cluster-control");
  });

  test("may stand beside files, and a finding in it has its line", () => {
    const [namespaces = "", ...rest] = files;
    const wrong = `${texts[0] ?? ""}---\n${other("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolcy")}`;
    const paths = rest.flatMap((file) => ["-f", join(sample, `${file}.yaml`)]);
    const { code, stdout, stderr } = northgateFed(wrong, "render", ...paths, "-f", "-", "-o", "json");
    expect([code, stdout, namespaces]).toEqual([1, rows.stdout, "cluster/namespaces"]);
    expect(stderr).toMatch(
      /^\(standard input\):\d+: error: kind: AdminNetworkPolcy .* did you mean AdminNetworkPolicy\?\n$/,
    );
  });

  const all = texts.join("---\n");
  test.each([
    ["lint", ["-o", "sarif"], 1, '"uri": "(standard%20input)"'],
    ["migrate", [], 0, "kind: ClusterNetworkPolicy"],
    ["plan", ["--against", `dir:${sample}`], 2, "BaselineAdminNetworkPolicy default"],
  ])("is read by %s too", (command, flags, exitCode, told) => {
    const { code, stdout, stderr } = northgateFed(all, command, "-f", "-", ...flags);
    expect([code, stdout, stderr]).toEqual([exitCode, expect.stringContaining(told), expect.any(String)]);
  });
});

describe("small things", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-render-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test("a path that is not there is named, the rest is rendered, and the exit code is 1", () => {
    const { code, stdout, stderr } = northgate(
      "render",
      "-f",
      join(folder, "none"),
      "-f",
      sample,
      "-o",
      "json",
    );
    expect(code).toBe(1);
    expect(stderr).toContain("no such file or directory");
    expect((JSON.parse(stdout) as Tables).Port_Group).toHaveLength(2);
  });

  test("nothing at all is three empty tables", () => {
    const { code, stdout } = northgate("render", "-f", folder, "-o", "json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ Port_Group: [], Address_Set: [], ACL: [] });
  });

  test("a pod without its namespace is told of", () => {
    const path = join(folder, "pod.json");
    writeFileSync(
      path,
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "lost" } }),
    );
    const { code, stderr } = northgate("render", "-f", path, "-o", "json");
    expect(code).toBe(0);
    expect(stderr).toContain("Namespace lost is not among the manifests");
  });
});

describe("tiers and groups that no policy names", () => {
  const apiVersion = "crd.antrea.io/v1beta1";
  const of = (kind: string, name: string, spec: object, namespace?: string) => ({
    ...{ apiVersion, kind, spec },
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  });
  const both = { podSelector: {}, ipBlocks: [{ cidr: "10.0.0.0/8" }] };
  const items = [
    of("Tier", "beyond", { priority: 251 }),
    of("Tier", "text", { priority: "7" }),
    of("Tier", "none", {}),
    of("Tier", "taken", { priority: 50 }),
    of("ClusterGroup", "cluster", both),
    of("Group", "own", both, "shop"),
    of("Tier", "good", { priority: 51 }),
    of("ClusterGroup", "good", { podSelector: {} }),
  ];
  const wanted = [
    "error: Tier beyond: spec.priority: must be an integer from 0 to 250, not 251",
    'error: Tier text: spec.priority: must be an integer from 0 to 250, not "7"',
    "error: Tier none: spec.priority: this field is required",
    "error: Tier taken: spec.priority: 50 is the priority of the tier emergency",
    "error: ClusterGroup cluster: spec: must have only one of selectors, ipBlocks",
    "error: Group shop/own: spec: must have only one of selectors, ipBlocks",
  ];

  test.each(["render", "lint"])("are errors of %s where they are malformed", (command) => {
    const { code, stdout, stderr } = northgateFed(
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
      ...[command, "-f", "-", "-o", "json"],
    );
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => line.slice(line.indexOf("error: ")))).toEqual(wanted);
    expect(code).toBe(1);
    const { findings = [] } = JSON.parse(stdout) as Partial<Report>;
    const found = findings.map(({ id, severity, policy: { kind, name } }) =>
      [id, severity, kind, name].join(" "),
    );
    const names = [
      "Tier beyond",
      "Tier text",
      "Tier none",
      "Tier taken",
      "ClusterGroup cluster",
      "Group own",
    ];
    expect(found).toEqual(command === "lint" ? names.map((name) => `NG000 error ${name}`) : []);
  });
});
