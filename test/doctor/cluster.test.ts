// doctor on the API server of an installation: nothing is wrong where nothing was planted, and each planted fault is found by the
// check that is about it, and by no other.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { findingOf, Installation, inState, policyGroup, reported } from "./installation.ts";

let cluster: Installation;
beforeEach(async () => {
  cluster = new Installation();
  await cluster.start();
});
afterEach(async () => {
  await cluster.stop();
});

const anps = `${policyGroup}/v1alpha1/adminnetworkpolicies`;

test("of an installation that is well, nothing fails and nothing is unknown", async () => {
  cluster.objects.set(anps, [reported("one")]);
  const findings = await cluster.examine();
  expect([...inState(findings, "fail"), ...inState(findings, "unknown")]).toEqual([]);
  expect(inState(findings, "ok")).toEqual([
    ...["api-server", "clocks", "kinds", "rights-read", "rights-report", "conditions"],
  ]);
  expect(findingOf(findings, "api-server").text).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ answers, v1\.34\.1$/);
  expect(findingOf(findings, "conditions").text).toBe("1 policy in force");
});

interface Planted {
  readonly fault: string;
  readonly plant: (cluster: Installation) => void | Promise<void>;
  readonly check: string;
  readonly text: RegExp;
  readonly remedy: RegExp;
}

const planted: readonly Planted[] = [
  {
    fault: "nobody listens",
    plant: (one) => one.silence(),
    ...{ check: "api-server", text: /ECONNREFUSED/, remedy: /network/ },
  },
  {
    fault: "the credentials are not valid",
    plant: (one) => {
      one.status = 401;
    },
    ...{ check: "api-server", text: /401/, remedy: /renew the credentials/ },
  },
  {
    fault: "the clock of the API server is ahead",
    plant: (one) => {
      one.skewMs = 60_000;
    },
    ...{ check: "clocks", text: /this machine is (59|60) s behind/, remedy: /NTP/ },
  },
  {
    fault: "the clock of the API server is behind",
    plant: (one) => {
      one.skewMs = -60_000;
    },
    ...{ check: "clocks", text: /this machine is (59|60|61) s ahead of/, remedy: /NTP/ },
  },
  {
    fault: "a kind is served in another version",
    plant: (one) => {
      one.served.delete(`${policyGroup}/v1alpha2`);
      one.served.set(`${policyGroup}/v1beta1`, ["clusternetworkpolicies"]);
    },
    check: "kinds",
    text: /clusternetworkpolicies are served as .*\/v1beta1, and Northgate reads .*\/v1alpha2/,
    remedy: /manifests\/crds/,
  },
  {
    fault: "a CRD is being deleted",
    plant: (one) => {
      one.leaving.add("adminnetworkpolicies.policy.networking.k8s.io");
    },
    ...{
      check: "kinds",
      text: /the CRD adminnetworkpolicies\..* is being deleted/,
      remedy: /install it again/,
    },
  },
  {
    fault: "pods may not be watched",
    plant: (one) => {
      one.denied.add("watch pods.");
    },
    ...{ check: "rights-read", text: /user may not watch pods$/, remedy: /rbac\.yaml/ },
  },
  {
    fault: "conditions may not be written",
    plant: (one) => {
      one.denied.add("patch adminnetworkpolicies.policy.networking.k8s.io/status");
    },
    check: "rights-report",
    text: /may not patch adminnetworkpolicies\.policy\.networking\.k8s\.io --subresource=status$/,
    remedy: /no conditions/,
  },
  {
    fault: "events may not be written",
    plant: (one) => {
      one.denied.add("create events.");
    },
    ...{ check: "rights-report", text: /may not create events -n default$/, remedy: /rbac\.yaml/ },
  },
  {
    fault: "a policy is not in force",
    plant: (one) => {
      const faulty = reported("two", { status: "False", reason: "ZoneMismatch" });
      one.objects.set(anps, [reported("one"), faulty]);
    },
    check: "conditions",
    text: /^1 policy not in force: AdminNetworkPolicy two \(Ready-In-Zone-global: ZoneMismatch: the message of two\)$/,
    remedy: /operations\.md/,
  },
  {
    fault: "a condition is of an earlier version",
    plant: (one) => {
      one.objects.set(anps, [reported("one", { generation: 3, observed: 2 })]);
    },
    ...{ check: "conditions", text: /earlier version only: AdminNetworkPolicy one/, remedy: /may patch/ },
  },
  {
    fault: "a policy has no condition",
    plant: (one) => {
      one.objects.set(anps, [{ metadata: { name: "one" } }]);
    },
    ...{ check: "conditions", text: /1 policy without a condition: AdminNetworkPolicy one/, remedy: /runs/ },
  },
];

test.each(planted)("$fault", async ({ plant, check, text, remedy }) => {
  await plant(cluster);
  const findings = await cluster.examine();
  const failed = findings.filter(({ state }) => state === "fail");
  expect(failed.map((one) => one.check)).toEqual([check]);
  expect(inState(findings, "unknown")).toEqual([]);
  expect(failed[0]?.text).toMatch(text);
  expect(failed[0]?.remedy).toMatch(remedy);
});

test("without any kind of policy that is served, each is named", async () => {
  cluster.served.delete(`${policyGroup}/v1alpha1`);
  cluster.served.delete(`${policyGroup}/v1alpha2`);
  const failed = (await cluster.examine()).filter(({ state }) => state === "fail");
  expect(failed.map(({ check, text }) => [check, text.split(" ")[0]])).toEqual([
    ["kinds", "adminnetworkpolicies"],
    ["kinds", "baselineadminnetworkpolicies"],
    ["kinds", "clusternetworkpolicies"],
  ]);
});

test("a kind that is not served beside others that are is no fault: no run waits for it", async () => {
  cluster.served.delete(`${policyGroup}/v1alpha2`);
  const findings = await cluster.examine();
  expect(inState(findings, "fail")).toEqual([]);
  expect(findings.filter(({ check, state }) => check === "kinds" && state === "skipped")).toHaveLength(1);
});

test("rights follow the flags, and are those of the account that is named", async () => {
  await cluster.examine({ "enable-network-policy": "true", "service-account": "northgate-system/northgate" });
  const users = new Set(cluster.reviewed.map(({ user }) => user));
  expect([...users]).toEqual(["system:serviceaccount:northgate-system:northgate"]);
  const rights = cluster.reviewed.map(({ right }) => right);
  expect(rights).toContain("watch networkpolicies.networking.k8s.io");
  expect(rights).not.toContain("create tokenreviews.authentication.k8s.io");
});

test("rights that the server does not review are unknown, never well", async () => {
  cluster.reviews = false;
  const findings = await cluster.examine();
  expect(inState(findings, "unknown")).toEqual(["rights-read", "rights-report"]);
  expect(findingOf(findings, "rights-read").text).toMatch(/cannot be reviewed: .*403/);
});

test("a zone's own conditions are meant where a zone is given", async () => {
  const ready = reported("one", { type: "Ready-In-Zone-a" });
  cluster.objects.set(anps, [ready]);
  expect(inState(await cluster.examine({ zone: "a" }), "fail")).not.toContain("conditions");
  expect(findingOf(await cluster.examine({ zone: "b" }), "conditions").text).toMatch(/without a condition/);
});

test("a run that writes no conditions needs no right to report, and is not asked for them", async () => {
  cluster.denied.add("create events.");
  const findings = await cluster.examine({ conditions: "false" });
  expect(inState(findings, "fail")).toEqual([]);
  expect(inState(findings, "ok")).not.toContain("rights-report");
  expect(inState(findings, "skipped")).toContain("conditions");
});
