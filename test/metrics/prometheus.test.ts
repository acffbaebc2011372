// A real Prometheus reads the running program: its metrics, the rules, and every query of the dashboard, while things happen
// that the panels and the alerts are about.

import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { describeWithPrometheus } from "../support/describe-prometheus.ts";
import { panels, panelsOfRun } from "./queries.ts";
import type { Scene } from "./scene.ts";
import { startScene } from "./scene.ts";

const policy = "policies/cluster-control.yaml";

await describeWithOvn("with a real database", () => {
  describeWithPrometheus("a real Prometheus", (programs) => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await startScene(programs);
    }, patience(120_000));
    afterAll(async () => {
      await scene.stop();
    });

    /** As Grafana puts in what was chosen. */
    const asked = (expr: string): string =>
      expr
        .replaceAll("$job", "(northgate-system/)?northgate")
        .replaceAll("$instance", ".*")
        .replaceAll("$__rate_interval", "30s");
    const valuesOf = async (title: string): Promise<Readonly<Record<string, number>>> => {
      const panel = panels.find((one) => one.title === title);
      const found = await Promise.all(
        (panel?.targets ?? []).map(async ({ expr, legendFormat }) =>
          (await scene.prometheus.query(asked(expr))).map(({ metric, values }) => {
            const legend = legendFormat.replaceAll(
              /\{\{(\w+)\}\}/g,
              (_, label: string) => metric[label] ?? "?",
            );
            return [legend, values[0]?.[1] ?? NaN] as const;
          }),
        ),
      );
      return Object.fromEntries(found.flat());
    };

    test("promtool finds nothing to say of the metrics", async () => {
      const text = await scene.exposition();
      const { status, stdout, stderr } = spawnSync(programs.promtool, ["check", "metrics"], {
        input: text,
        encoding: "utf8",
      });
      const ours = `${stdout}${stderr}`.split("\n").filter((line) => /northgate|ovnkube/.test(line));
      expect({ status, ours }).toEqual({ status: 0, ours: [] });
    });

    test("it reads an instance over TLS with a token, as the PodMonitor says, and not without", async () => {
      await scene.until('up{job="northgate-system/northgate",instance="node-2"} == 1');
      await scene.until('up{job="without-token"} == 0');
    });

    test("nothing is amiss, so no alert is active", async () => {
      // Before the first scrape there was no instance.
      await eventually(async () => {
        expect(await scene.prometheus.alerts()).toEqual([]);
      });
    });

    test("what happens is seen in the panels, and every query gives numbers", async () => {
      // Another program writes the rows of a policy, again and again.
      const [acl = ""] = (
        await scene.ovn.nbctl(
          "--bare",
          "--columns=_uuid",
          "find",
          "ACL",
          "external_ids:k8s.ovn.org/name=default",
        )
      ).split("\n");
      for (let round = 1; round <= 3; round++) {
        await scene.ovn.nbctl("set", "ACL", acl, "priority=7");
        await scene.until(`northgate_drift_repairs_total >= ${round}`);
      }
      await scene.until("northgate_contested_policies > 0");
      // Somebody breaks another one, so that the edit has no effect.
      scene.write(policy, scene.read(policy).replace('"Deny"', '"Denny"'));
      await scene.until('northgate_policies_not_in_force{reason="UnknownAction"} == 1');
      await eventually(async () => {
        for (const { title, targets } of panelsOfRun)
          for (const { expr } of targets) {
            const numbers = (await scene.prometheus.query(asked(expr))).map(
              ({ values }) => values[0]?.[1] ?? NaN,
            );
            expect({ title, expr, has: numbers.some(Number.isFinite) }).toEqual({ title, expr, has: true });
          }
        await saysWhatHappened();
      }, 20_000);
    });

    // On a busy machine a scrape may fail, and its series are away until the next.
    const saysWhatHappened = async (): Promise<void> => {
      expect(await valuesOf("Ready")).toEqual({ "": 2 });
      expect(await valuesOf("Writers")).toEqual({ "": 1 });
      expect(await valuesOf("Who writes")).toEqual({ "node-1": 1, "node-2": 0 });
      expect(await valuesOf("Not in force")).toEqual({ "": 1 });
      expect(await valuesOf("Not in force as written")).toMatchObject({ UnknownAction: 1, Pending: 0 });
      expect((await valuesOf("Policies in force"))["AdminNetworkPolicy"]).toBe(1);
      expect((await valuesOf("Rows put right"))["changed by others"]).toBeGreaterThan(0);
      expect((await valuesOf("Operations acknowledged"))["update ACL"]).toBeGreaterThan(0);
      expect((await valuesOf("Objects held"))["namespaces"]).toBe(6);
      expect((await valuesOf("New findings"))["UnknownAction"]).toBeGreaterThan(0);
    };

    test("the alerts about it are active, and say it in whole sentences", async () => {
      await eventually(async () => {
        const names = (await scene.prometheus.alerts()).map(({ labels }) => labels["alertname"]);
        expect(names.toSorted()).toEqual(["NorthgateContested", "NorthgatePoliciesRejected"]);
      });
      for (const { annotations } of await scene.prometheus.alerts()) {
        const { summary = "", description = "" } = annotations;
        expect(`${summary} ${description}`).not.toMatch(/\{\{|<no value>|error/);
        expect(summary).toMatch(/ \(1\)$/);
      }
    });

    test("the database goes away and comes back: both have connected anew, and one writes", async () => {
      const instances = ["node-1", "node-2"];
      const reconnects = (instance: string): string =>
        `northgate_nb_reconnects_total{instance="${instance}"}`;
      const before = await Promise.all(instances.map((instance) => scene.value(reconnects(instance))));
      await scene.ovn.restartNb();
      for (const [at, instance] of instances.entries())
        await scene.until(`${reconnects(instance)} > ${before[at] ?? 0} and northgate_nb_connected == 1`);
      await scene.until("sum(northgate_leader) == 1");
      expect({ before, starts: (await valuesOf("Starts and reconnects"))["starts"] }).toEqual({
        before: [0, 0],
        starts: 0,
      });
    });
  });
});
