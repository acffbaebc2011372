// `northgate explain --nb` and `get --nb` as users run them: on the rows that `northgate run` wrote into a real database, on a
// dump of it, and on rows that somebody changed behind its back. The database is only read.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { run } from "../../tools/sandbox/program.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { makeSwitch } from "../support/ports.ts";
import { northgate, startNorthgate } from "../support/program.ts";

jest.setTimeout(patience(60_000));

interface ListedPolicy {
  readonly policy: { readonly kind: string; readonly name: string };
  readonly state: string;
  readonly rows: { readonly acls: number };
}

interface Answered {
  readonly verdict: string;
  readonly rows?: {
    readonly verdict: string;
    readonly agrees: boolean;
    readonly differences: readonly string[];
    readonly egress: { readonly acls: readonly { readonly uuid: string | null; readonly id: string }[] };
  };
}

/** Each comes before those that stand, so that its places depend on the order in which they came. */
const clusterPolicy = (name: string, priority: number): string =>
  JSON.stringify({
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name },
    spec: {
      tier: "Admin",
      priority,
      subject: { namespaces: { matchLabels: { tenant: "restricted" } } },
      ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { tenant: "open" } } }] }],
    },
  });

await describeWithOvn("--nb", () => {
  let ovn: Ovn;
  let folder: string;

  const get = (...flags: readonly string[]) => northgate("get", "-f", folder, "-o", "json", ...flags);
  const listed = (remote: string) => JSON.parse(get("--nb", remote).stdout) as readonly ListedPolicy[];
  const connection = [
    ...["--from", "splunk/splunk-5f8c6d9f7b-7jx2p", "--to", "kube-system/coredns-76f75df574-5sn7h"],
    ...["--protocol", "udp", "--port", "5353"],
  ];
  const explain = (remote: string, ...flags: readonly string[]) =>
    northgate("explain", "-f", folder, "--nb", remote, ...connection, ...flags);
  const answered = (remote: string) => JSON.parse(explain(remote, "-o", "json").stdout) as Answered;
  /** Everything that the database holds, and who holds locks. */
  const everything = async () => {
    const client = join(dirname(ovn.install.programs["ovn-nbctl"]), "ovsdb-client");
    const env = { ...process.env, ...ovn.env };
    return (await run(client, ["-f", "json", "dump", ovn.nb, "OVN_Northbound"], { env })).stdout;
  };

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    folder = mkdtempSync(join(tmpdir(), "ng-nb-"));
    cpSync("examples/cluster-control", folder, { recursive: true });
    cpSync("examples/network-policy/policies", join(folder, "network-policies"), { recursive: true });
    await makeSwitch(ovn, podPorts(folder));
    const running = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=off"],
      "--enable-network-policy=true",
    ]);
    try {
      for (const [at, name] of ["last", "middle", "first"].entries()) {
        writeFileSync(join(folder, `${name}.yaml`), clusterPolicy(name, 900 - 100 * at));
        await eventually(async () => {
          const found = await ovn.nbctl(
            "--bare",
            "--columns=name",
            "find",
            "acl",
            `name="CNP:${name}:Ingress:0"`,
          );
          expect(found.trim()).toBe(`CNP:${name}:Ingress:0`);
        });
      }
    } finally {
      await running.end();
    }
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await ovn.stop();
  });

  describe("of the rows that run wrote", () => {
    test("says that every policy has its rows, and that the connection's verdict is theirs", async () => {
      const before = await everything();
      const policies = listed(ovn.nb);
      expect(policies.filter(({ state }) => state === "rows differ")).toEqual([]);
      expect(policies.filter(({ policy }) => policy.kind === "ClusterNetworkPolicy")).toHaveLength(3);
      expect(policies.find(({ policy }) => policy.name === "cluster-control")?.rows.acls).toBe(12);
      const { verdict, rows } = answered(ovn.nb);
      expect([verdict, rows?.verdict, rows?.agrees, rows?.differences]).toEqual(["deny", "deny", true, []]);
      expect(rows?.egress.acls.map(({ id }) => id)).toEqual([
        "default-network-controller:AdminNetworkPolicy:cluster-control:Egress:0:udp",
      ]);
      // It is only read, without a lock or a claim.
      expect(await everything()).toBe(before);
    });

    test("says the same of a dump, and in a table", async () => {
      const file = join(folder, "..", `${folder.split("/").at(-1) ?? ""}.dump`);
      writeFileSync(file, await everything());
      expect(listed(`file:${file}`)).toEqual(listed(ovn.nb));
      expect(answered(`file:${file}`)).toEqual(answered(ovn.nb));
      const { code, stdout } = explain(`file:${file}`);
      expect(code).toBe(0);
      expect(stdout).toContain("rows: denied, in agreement with the policies\n");
      expect(stdout).toMatch(
        /egress +tier 1 +26600 +allow-related +\S+:cluster-control:Egress:0:udp +◀ decides/,
      );
      rmSync(file);
    });
  });

  test("names a row that somebody changed, where it decides", async () => {
    const match = `match="inport == @a14645450421485494999 && udp.dst == 53"`;
    const [id = ""] = (
      await ovn.nbctl(
        ...["--bare", "--columns=_uuid", "find", "acl"],
        'external_ids:"k8s.ovn.org/id"="default-network-controller:AdminNetworkPolicy:cluster-control:Egress:0:udp"',
      )
    ).split("\n");
    const rightly = (await ovn.nbctl("--bare", "get", "acl", id, "match")).trim();
    await ovn.nbctl("set", "acl", id, match);
    const { rows } = answered(ovn.nb);
    expect(rows).toMatchObject({ verdict: "deny", agrees: false });
    expect(rows?.differences.join("\n")).toMatch(
      /ACL \S+:Egress:0:udp is altered: match is "inport == @\S+ && udp.dst == 53"/,
    );
    const states = new Map(listed(ovn.nb).map(({ policy, state }) => [policy.name, state]));
    expect([states.get("cluster-control"), states.get("default")]).toEqual(["rows differ", "in force"]);
    const { stdout, code } = explain(ovn.nb);
    expect([code, stdout.includes("rows: denied, not in agreement with the policies")]).toEqual([0, true]);
    await ovn.nbctl("set", "acl", id, `match=${rightly}`);
    expect(answered(ovn.nb).rows?.agrees).toBe(true);
  });

  test("that cannot be read leaves the policies' answer, and the exit code says so", () => {
    const { code, stdout, stderr } = explain("unix:/nowhere/nb.sock");
    expect([code, stdout.startsWith("DENY")]).toEqual([1, true]);
    expect(stderr).toContain("northgate: --nb unix:/nowhere/nb.sock: no Northbound database: ");
    const noFile = explain("file:/nowhere");
    expect([noFile.code, noFile.stderr]).toEqual([1, expect.stringContaining("no such file or directory")]);
    const broken = explain(`file:${join(folder, "first.yaml")}`);
    expect([broken.code, broken.stderr]).toEqual([
      1,
      expect.stringContaining("no table ACL, Port_Group, Address_Set"),
    ]);
    expect(explain("udp:1.2.3.4").code).toBe(2);
    expect(explain("file:").code).toBe(2);
  });
});

/** Of the pods that a CNI gives ports. */
function podPorts(folder: string): ReadonlySet<string> {
  const rendered = JSON.parse(northgate("render", "-f", folder, "-o", "json").stdout) as {
    readonly Port_Group: readonly { readonly ports: readonly string[] }[];
  };
  return new Set(rendered.Port_Group.flatMap(({ ports }) => ports));
}
