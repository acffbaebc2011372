// What `make conformance SAMPLES=yes` asks of whole suites, of one test of two of them: `northgate observe` names the rule that decides of
// every connection that is dropped, and has every connection that the policies deny.

import { mkdtempSync, rmSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { describeWithCluster } from "./conformance/describe.ts";
import { auditFlags } from "./conformance/samples/probes.ts";
import { samplingFlag, watchRun } from "./conformance/samples/report.ts";
import { judgedCluster, slow } from "./conformance/suite-judge.ts";

const northgate = { args: ["--enable-network-policy=true", samplingFlag] };

const cases = [
  ["cnp", "CNPAdminTierIngressTCP"],
  [
    "netpol",
    "[sig-network] Netpol NetworkPolicy between server and client should support a 'default-deny-ingress' policy [Feature:NetworkPolicy]",
  ],
] as const;

await describeWithCluster("samples of suites of others", ["cnp", "netpol"], () => {
  const { cluster, judge } = judgedCluster({ northgate, apiServerArgs: auditFlags });

  test(
    "name the rule that decides of every dropped connection",
    async () => {
      const folder = mkdtempSync("/tmp/ng-samples-");
      const watched = await watchRun(cluster(), folder, "samples");
      try {
        for (const [of, one] of cases) await judge().passes(of, one);
        const { tally, probes } = await watched.judged();
        expect(tally).toMatchObject({ wrong: [], notJudged: new Map() });
        expect(tally.right).toBeGreaterThan(0);
        expect(probes.denied).toBeGreaterThan(0);
        expect(probes.unseen).toEqual([]);
      } finally {
        await watched.end();
        rmSync(folder, { recursive: true });
      }
    },
    slow,
  );
});
