// doctor on the Northbound database of an installation, a real server: nothing fails where nothing was planted, and each planted fault
// is found by the check that is about it, and by no other. The API server is a double.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { backendDefaults } from "../../src/backends.ts";
import { dialectDefaults } from "../../src/dialects.ts";
import { profileOf } from "../../src/nbdb/run/claimant.ts";
import { flagsText } from "../../src/nbdb/write/writer-profile.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";
import { patience } from "../support/patience.ts";
import { findingOf, Installation, inState } from "./installation.ts";

const ofDatabase = ["nb", "nb-zone", "nb-network", "writer", "other-rows", "ports", "chassis"];
const settings = { remotes: "unix:/nb", tls: null, zone: null, families: null };
const profile = profileOf({ ...settings, kindFlags: dialectDefaults, backendFlags: backendDefaults });

const podIn = (namespace: string, name: string, node = "n1") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name },
  spec: { nodeName: node, containers: [] },
  status: { phase: "Running", podIPs: [{ ip: "10.0.0.7" }] },
});
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: {}, status: {} };

await describeWithOvn("doctor and the Northbound database", () => {
  let ovn: Ovn;
  let cluster: Installation;
  let renewal: NodeJS.Timeout;
  let signs: number;

  const claim = async (...ids: readonly string[]) => {
    await ovn.nbctl("set", "NB_Global", ".", ...ids.map((id) => `external_ids:${id}`));
  };
  const renew = () => {
    void claim(`northgate-writer-sign="${++signs} -"`).catch(() => undefined);
  };
  const stopRenewing = () => {
    clearInterval(renewal);
  };

  beforeAll(async () => {
    ovn = await startOvn({ northd: false, tcpPort: 0 });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    signs = 0;
    cluster = new Installation();
    await cluster.start();
    cluster.objects.set("/api/v1/pods", [podIn("web", "a")]);
    cluster.objects.set("/api/v1/nodes", [node]);
    await clearRows(ovn);
    await makeSwitch(ovn, ["web_a"]);
    await ovn.nbctl("set", "NB_Global", ".", 'name=""', "external_ids={}", "nb_cfg=5", "hv_cfg=5");
    await claim(
      'northgate-writer="t worker pid 7"',
      'northgate-writer-sign="0 -"',
      'northgate-writer-zone="t central"',
      `northgate-writer-flags="t ${flagsText(profile)}"`,
    );
    renewal = setInterval(renew, 500);
  });
  afterEach(async () => {
    stopRenewing();
    await cluster.stop();
  });

  const examine = (flags: Readonly<Record<string, string>> = {}) => cluster.examine({ nb: ovn.nb, ...flags });

  test("nothing fails where nothing was planted", async () => {
    const findings = await examine();
    expect(findings.filter(({ state }) => state === "fail" || state === "unknown")).toEqual([]);
    expect(inState(findings, "ok").filter((check) => ofDatabase.includes(check))).toEqual(ofDatabase);
    expect(findingOf(findings, "writer").text).toBe("worker pid 7 writes, and renews its claim");
    expect(findingOf(findings, "ports").text).toBe(
      "1 pod on the pod network, each with a logical switch port",
    );
  });

  interface Planted {
    readonly fault: string;
    readonly plant: () => unknown;
    readonly flags?: () => Readonly<Record<string, string>>;
    readonly check: string;
    readonly text: RegExp;
    readonly remedy: RegExp;
  }

  const planted: readonly Planted[] = [
    {
      fault: "nobody listens",
      plant: () => undefined,
      flags: () => ({ nb: "unix:/nonexistent/nb.sock" }),
      ...{ check: "nb", text: /nonexistent.*(ENOENT|no such file)/i, remedy: /listens there/ },
    },
    {
      fault: "the database is of another zone",
      plant: () =>
        ovn.nbctl("set", "NB_Global", ".", "name=n2", 'external_ids:northgate-writer-zone="t node n1"'),
      flags: () => ({ zone: "n1", conditions: "false" }),
      ...{ check: "nb-zone", text: /of zone "n2", and --zone is "n1"/, remedy: /correct --zone or --nb/ },
    },
    {
      fault: "there is no Node of the zone",
      plant: () => {
        cluster.objects.set("/api/v1/pods", []);
        return ovn.nbctl("set", "NB_Global", ".", 'external_ids:northgate-writer-zone="t node n9"');
      },
      flags: () => ({ zone: "n9", conditions: "false" }),
      ...{ check: "zone", text: /--zone is "n9", and no Node has that name/, remedy: /name of a Node/ },
    },
    {
      fault: "there is no logical switch",
      plant: async () => {
        cluster.objects.set("/api/v1/pods", []);
        await ovn.nbctl("ls-del", "sw");
      },
      ...{ check: "nb-network", text: /has no logical switch/, remedy: /network plugin/ },
    },
    {
      fault: "nobody writes",
      plant: async () => {
        stopRenewing();
        await ovn.nbctl("clear", "NB_Global", ".", "external_ids");
      },
      ...{ check: "writer", text: /no instance writes/, remedy: /start northgate run/ },
    },
    {
      fault: "the writer does not renew its claim",
      plant: stopRenewing,
      ...{
        check: "writer",
        text: /worker pid 7 has the claim to write, and has not renewed it/,
        remedy: /lives/,
      },
    },
    {
      fault: "the writer does not see its source",
      plant: () => claim('northgate-writer-source="t out of contact"'),
      ...{ check: "writer", text: /worker pid 7 writes, and its source .* out of contact/, remedy: /readyz/ },
    },
    {
      fault: "the writer is of another zone",
      plant: () => claim('northgate-writer-zone="t node n3"'),
      ...{ check: "writer", text: /writes for --zone "n3".* all nodes/, remedy: /correct --zone/ },
    },
    {
      fault: "a pod has no port",
      plant: () => {
        cluster.objects.set("/api/v1/pods", [podIn("web", "a"), podIn("web", "b")]);
      },
      ...{
        check: "ports",
        text: /^1 of 2 pods have no logical switch port: web\/b$/,
        remedy: /no rule acts/,
      },
    },
    {
      fault: "an ACL exists twice",
      plant: async () => {
        const controller = "default-network-controller";
        const ids = [
          `owner-controller=${controller}`,
          "owner-type=AdminNetworkPolicy",
          "name=p",
          `id="${controller}:twin"`,
        ];
        const texts = ids.map((id) => `external_ids:k8s.ovn.org/${id}`);
        const acl = ["direction=to-lport", "priority=1000", 'match="ip4"', "action=drop", ...texts];
        const create = (id: string) => [`--id=@${id}`, "create", "ACL", ...acl];
        await ovn.nbctl(
          ...[...create("a"), "--", ...create("b"), "--"],
          ...["create", "Port_Group", "name=twins", "acls=@a,@b"],
        );
      },
      check: "other-rows",
      text: /1 ACL of policies that Northgate enforces exist more than once: default-network-controller/,
      remedy: /stop the other program/,
    },
    {
      fault: "a chassis does not follow",
      plant: () => ovn.nbctl("set", "NB_Global", ".", "nb_cfg=9"),
      ...{ check: "chassis", text: /followed up to 5 only, of 9/, remedy: /ovn-controller/ },
    },
  ];

  test.each(planted)(
    "$fault",
    async ({ plant, flags, check, text, remedy }) => {
      await plant();
      const findings = await examine(flags?.());
      const failed = findings.filter(({ state }) => state === "fail");
      expect(failed.map((one) => one.check)).toEqual([check]);
      expect(inState(findings, "unknown")).toEqual([]);
      expect(failed[0]?.text).toMatch(text);
      expect(failed[0]?.remedy).toMatch(remedy);
    },
    patience(60_000),
  );

  test("an instance with other flags leaves open what they change", async () => {
    const findings = await examine({ "address-sets": "shared" });
    expect(inState(findings, "fail")).toEqual([]);
    expect(findingOf(findings, "writer")).toMatchObject({
      state: "unknown",
      text: expect.stringContaining("--address-sets is ") as unknown,
    });
  });

  test("pods that may not be listed leave their ports unknown", async () => {
    cluster.served.set("/api/v1", ["namespaces", "nodes"]);
    expect(findingOf(await examine(), "ports").state).toBe("unknown");
  });

  test("chassis that nobody has asked are skipped", async () => {
    await ovn.nbctl("set", "NB_Global", ".", "nb_cfg=0", "hv_cfg=0");
    expect(findingOf(await examine(), "chassis").state).toBe("skipped");
  });
});
