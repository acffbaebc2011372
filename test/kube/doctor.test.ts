// `northgate doctor` as users run it, on a real API server and a real Northbound database, beside a `northgate run` of its own: an
// installation without CRDs and rights is found out, the same one with the manifests applied is well, and its instance is seen.

import { expect, test } from "@jest/globals";
import type { DoctorReport } from "../../src/doctor/report.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { ovnOrSkip } from "../support/find.ts";
import { patience } from "../support/patience.ts";
import { makeSwitch } from "../support/ports.ts";
import { northgate, startNorthgate } from "../support/program.ts";
import { create, createAll } from "./bulk.ts";
import { installCrds } from "./crds.ts";
import { adminPolicy, namespace, node, pod } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";

const slow = patience(120_000);
/** Of this machine. */
const ovn = await ovnOrSkip();
const account = "northgate-system/northgate";

function statesOf(report: DoctorReport): Readonly<Record<string, string>> {
  return Object.fromEntries(report.checks.map(({ check, state }) => [check, state]));
}

await describeWithControlPlane("doctor on a real API server", (plane) => {
  const doctor = (...flags: readonly string[]) => {
    const { code, stdout, stderr } = northgate(
      "doctor",
      "--kubeconfig",
      plane().kubeconfig,
      ...flags,
      "-o",
      "json",
    );
    expect(stderr).toBe("");
    return { code, report: JSON.parse(stdout) as DoctorReport };
  };

  test(
    "finds CRDs and rights missing, and finds them once the manifests are applied",
    async () => {
      const bare = doctor("--service-account", account);
      expect(bare.code).toBe(1);
      expect(statesOf(bare.report)).toMatchObject({
        ...{ "api-server": "ok", clocks: "ok", kinds: "fail" },
        ...{ "rights-read": "fail", "rights-report": "fail", nb: "skipped" },
      });
      // The administrator may do everything.
      expect(statesOf(doctor().report)).toMatchObject({ "rights-read": "ok", "rights-report": "ok" });

      await installCrds(plane());
      await plane().kubectl(["apply", "-f", "manifests/base/namespace.yaml"]);
      await plane().kubectl(["apply", "-f", "manifests/base/rbac.yaml"]);
      await eventually(() => {
        const { code, report } = doctor("--service-account", account);
        expect(report.checks.filter(({ state }) => state === "fail")).toEqual([]);
        expect([code, report.schema]).toEqual([0, "northgate.doctor/1"]);
      }, 30_000);

      const more = doctor("--service-account", account, "--enable-network-policy=true");
      expect(more.code).toBe(1);
      const failed = more.report.checks.filter(({ state }) => state === "fail");
      expect(failed.map(({ check }) => check)).toEqual(["rights-read", "rights-report"]);
      expect(failed[0]?.text).toMatch(
        /may not list networkpolicies\.networking\.k8s\.io, watch networkpolicies/,
      );
    },
    slow,
  );

  // Without OVN, ovnOrSkip has said so.
  (ovn === null ? test.skip : test)(
    "sees the instance, its conditions and the ports of pods",
    async () => {
      const database = await startOvn({ northd: false });
      const { api, kubeconfig } = plane();
      await makeSwitch(database, ["web_a"]);
      await createAll(api, [namespace("web"), node("n", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24"] })]);
      await create(api, pod("web", "a", { node: "n", ips: ["10.0.0.7"] }));
      await create(api, adminPolicy("p", { priority: 5, subject: { namespaces: {} } }));
      const running = startNorthgate([
        ...[`--kubeconfig=${kubeconfig}`, `--nb=${database.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ]);
      try {
        await eventually(async () => {
          const line = running.log().find(({ message }) => message === "metrics are served");
          const address = String(line?.["address"]);
          expect((await fetch(`${address}/readyz`)).status).toBe(200);
          const { code, report } = doctor("--nb", database.nb, "--metrics-url", address);
          expect(report.checks.filter(({ state }) => state === "fail" || state === "unknown")).toEqual([]);
          expect(code).toBe(0);
          expect(statesOf(report)).toMatchObject({ writer: "ok", ports: "ok", probes: "ok", metrics: "ok" });
          expect(report.checks.find(({ check }) => check === "conditions")?.text).toBe("1 policy in force");
        }, 60_000);
      } finally {
        await running.end();
        await database.stop();
      }
    },
    slow,
  );
});
