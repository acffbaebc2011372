// The reports on a policy, word by word: log lines with keys as users know them, documented conditions, and no kind's
// words in the reporter itself.

import { expect, test } from "@jest/globals";
import { adminNetworkPolicy } from "../anp/index.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import { shownAmong } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { anp } from "../../test/support/policies.ts";
import type { PolicySpec } from "../../test/support/policies.ts";
import { recordOf } from "../../test/support/records.ts";
import { LineLogger } from "../../test/support/scripted-api.ts";
import { ReportedPolicies } from "./reported.ts";
import { Reporter } from "./reporter.ts";

const [kind] = adminNetworkPolicy.kinds;
if (kind === undefined) throw new Error("a dialect without a kind");

function record(spec: PolicySpec, more: Partial<PolicyRecord> = {}): PolicyRecord {
  return { ...recordOf(anp("beyond", spec)), ...more };
}

function reporting(current: PolicyRecord) {
  const logger = new LineLogger();
  const said: (readonly [boolean, string])[] = [];
  const events: string[] = [];
  const reporter = new Reporter({
    reported: new ReportedPolicies(),
    engine: { record: () => current, records: () => [current] },
    clusterStatus: {
      condition: (_, ready, message) => said.push([ready, message]),
      event: (_, { reason }) => events.push(reason),
      gone: () => undefined,
      standDown: () => undefined,
    },
    askProof: null,
    patienceSeconds: 1,
    unmatchedPorts: () => [],
    placeOf: () => null,
    shown: shownAmong([kind!]),
    logger,
    counters: { problem: () => undefined, pass: () => undefined },
  });
  return { reporter, logger, said, events };
}

test("success has the documented message, with warnings behind it", () => {
  const good = record({});
  const plain = reporting(good);
  plain.reporter.settled(good);
  plain.reporter.removed(good.key);
  expect(plain.said).toEqual([[true, "Setting up OVN DB plumbing was successful"]]);
  expect(plain.logger.lines).toEqual([
    { text: "a policy is in force", fields: { policy: "AdminNetworkPolicy/beyond" } },
    { text: "a policy is gone", fields: { policy: "AdminNetworkPolicy/beyond" } },
  ]);
  const odd = record({ ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] });
  const warned = reporting(odd);
  warned.reporter.settled(odd);
  expect(warned.said).toEqual([
    [
      true,
      "Setting up OVN DB plumbing was successful; warnings: UnknownPeer at spec.ingress[0].from[0]: " +
        "the peer has no field that is known here, so the rule denies all traffic",
    ],
  ]);
});

test("an unsupported priority has the documented message, before every other finding", () => {
  const low = record({ priority: 100, subject: {} });
  const { reporter, said, events, logger } = reporting(low);
  reporter.refused(low, low.problems);
  expect(said).toEqual([
    [
      false,
      "error attempting to add ANP beyond with priority 100 because, OVNK only supports priority ranges 0-99; " +
        "MissingField at spec.subject: must have one of namespaces, pods",
    ],
  ]);
  expect(events).toEqual(["ANPWithUnsupportedPriority", "ANPWithInvalidSpec"]);
  expect(logger.lines[0]).toEqual({
    text: "a policy is not in force as written",
    fields: { policy: "AdminNetworkPolicy/beyond" },
  });
});

test("a refusal of rows says what stays in force, and is said once", () => {
  const good = record({});
  const { reporter, said, events } = reporting(good);
  const refused: Problem = { code: "RowRefused", severity: "error", field: "", message: "no such column" };
  reporter.refused(good, [refused]);
  reporter.refused(good, [refused]);
  expect(said).toEqual([[false, "RowRefused: no such column; what the policy said before stays in force"]]);
  expect(events).toEqual(["ANPWithRefusedRows"]);
});
