// The short form of `make alerts`: a real Prometheus calls once for each of these faults of the real program, and the alert is over
// when the fault is mended. The command has a fault for every alert of the rules, or a reason why it has none.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { allAlerts, notMade } from "../../faults/alerts/all.ts";
import { type AlertFault, arenaOf } from "../../faults/alerts/kind.ts";
import { provokeTogether } from "../../faults/alerts/run.ts";
import { shortened, shortenedRules } from "../../faults/alerts/shortened.ts";
import { AlertStage } from "../../faults/alerts/stage.ts";
import { alertRules, rulesFile } from "../../scripts/support/monitoring.ts";
import { findControlPlane } from "../kube/control-plane.ts";
import { describeWithPrometheus } from "../support/describe-prometheus.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { skippedGroup } from "../support/skipped-group.ts";

describe("the faults of make alerts", () => {
  test("are one or more for each alert of the rules, but for those that say why they are not made", () => {
    const made = new Set(allAlerts.map(({ alert }) => alert));
    const named = [...made, ...Object.keys(notMade)];
    expect(named.toSorted()).toEqual(alertRules.map(({ alert }) => alert).toSorted());
  });

  test("meet rules whose minutes are seconds, and that are the shipped ones otherwise", () => {
    expect([shortened("10m"), shortened("1h"), shortened("1h", 10)]).toEqual(["10s", "60s", "600s"]);
    expect(() => shortened("30s")).toThrow("30s is no time in minutes or hours");
    const times = /\b(\d+)m\b|\[1h\]/;
    expect(rulesFile.split("\n").filter((line) => times.test(line)).length).toBeGreaterThan(20);
    const rest = (file: string) => file.replaceAll(/for: \w+|\[\w+\]|\s+/g, " ");
    const words = (file: string) =>
      rest(file)
        .split(/[\s>|-]+/)
        .toSorted();
    expect(words(shortenedRules())).toEqual(words(rulesFile));
  });
});

const plane = await findControlPlane();
if (typeof plane === "string") {
  if (process.env["CI"] === "true") throw new Error(plane);
  process.stderr.write(`SKIPPED: ${plane}\n`);
  skippedGroup("alerts on a real Prometheus", plane);
} else
  await describeWithOvn("alerts on a real Prometheus", () => {
    describeWithPrometheus("a fault is made and mended", (programs) => {
      let stage: AlertStage;
      beforeAll(async () => {
        stage = await AlertStage.open(programs, arenaOf("api"));
      }, patience(120_000));
      afterAll(async () => {
        await stage.close();
      });
      const faultOf = (name: string): AlertFault => {
        const found = allAlerts.find(({ alert }) => alert === `Northgate${name}`);
        if (found === undefined) throw new Error(`no fault for ${name}`);
        return found;
      };

      test(
        "of policies, their rows and their kinds",
        async () => {
          const names = ["PoliciesRejected", "RowsRefused", "PoliciesWithoutEffect", "MissingKind"];
          await provokeTogether(stage, names.map(faultOf));
        },
        patience(180_000),
      );

      test(
        "of the database",
        async () => {
          await provokeTogether(stage, [faultOf("NorthboundUnreachable")]);
        },
        patience(120_000),
      );

      test(
        "of both processes",
        async () => {
          await provokeTogether(stage, [faultOf("Down")], ["NorthgateTargetDown"]);
        },
        patience(120_000),
      );
    });
  });
