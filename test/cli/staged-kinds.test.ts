// The annotation northgate.io/staged on an object of each kind of policy: no rows and no verdict, what `plan --staged` says of it,
// and what its author is told: a condition where the kind has a status, else an event and no status.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import type { PolicyRecord } from "../../src/controller/engine.ts";
import { everyDialect } from "../../src/dialects.ts";
import { noStatus } from "../../src/kube/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { kindText, kindTextOf, keyOf } from "../../src/model/object.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { fieldsOf } from "../../src/policy/contracts/dialect.ts";
import { ApiClusterStatus } from "../../src/status/cluster-status.ts";
import { stagedOf } from "../../src/status/in-force.ts";
import { ReportedPolicies } from "../../src/status/reported.ts";
import { Reporter } from "../../src/status/reporter.ts";
import { SubjectNodes } from "../../src/status/subject-nodes.ts";
import { acnp, annp } from "../support/antrea.ts";
import { calnp, gnp } from "../support/calico.ts";
import { eventually } from "../support/eventually.ts";
import { ranIn } from "../support/in-process.ts";
import type { Manifest } from "../support/manifests.ts";
import { written } from "../support/manifests.ts";
import { anp, banp, cnp, np } from "../support/policies.ts";
import { recordOf } from "../support/records.ts";
import { LineLogger, ScriptedApi } from "../support/scripted-api.ts";
import { stagedFacts, stagedFolder } from "../support/staged.ts";

const folder = stagedFolder();

interface Case {
  readonly object: PolicyObject;
  readonly flags: readonly string[];
  /** The type of the condition; null: the kind has no status. */
  readonly condition: string | null;
}

const denied = { ingress: [{ action: "Deny" as const, from: [{ namespaces: {} }] }] };
const dropped = { priority: 5, ingress: [{ action: "Drop" }] };
const ofCalico = { flags: ["--policy-model", "calico"], condition: null };
const cases: readonly Case[] = [
  ...[anp("p", denied), banp(denied), cnp("p", denied)].map((object) => ({
    ...{ object, flags: [], condition: "Ready-In-Zone-global" },
  })),
  { object: np("p", { podSelector: {}, policyTypes: ["Ingress"] }), flags: [], condition: null },
  ...[
    acnp("p", { appliedTo: [{ namespaceSelector: {} }], ...dropped }),
    annp("p", { appliedTo: [{ podSelector: {} }], ...dropped }),
  ].map((object) => ({ object, flags: [], condition: "Realizable" })),
  { object: gnp("p", { selector: "has(app)", ingress: [{ action: "Deny" }] }), ...ofCalico },
  { object: calnp("p", { selector: "has(app)", ingress: [{ action: "Deny" }] }), ...ofCalico },
];

const named = cases.map((one) => [kindTextOf(keyOf(one.object)), one] as const);

test("every kind of policy is among them", () => {
  expect(named.map(([kind]) => kind).sort()).toEqual(everyDialect.policies.map(kindText).sort());
});

function manifestOf({ apiVersion, kind, namespace, name, spec }: PolicyObject): Manifest {
  const annotations = { "northgate.io/staged": "true" };
  return {
    ...{ apiVersion, kind, spec },
    metadata: { name, annotations, ...(namespace === null ? {} : { namespace }) },
  };
}

describe("rows and verdicts", () => {
  test.each(named)("%s", async (kind, { object, flags }) => {
    const none = written(folder, `${kind}-none`, ...stagedFacts);
    const one = written(folder, kind, ...stagedFacts, manifestOf(object));
    async function planned(old: string, ...more: readonly string[]) {
      const given = ["plan", "-f", one, "--against", `dir:${old}`, "-o", "json", ...flags, ...more];
      const { stdout, stderr } = await ranIn(folder, given);
      const { verdicts, rows } = JSON.parse(stdout) as PlanReport;
      const turns = [...new Set(verdicts.changes.map((change) => `${change.old} ${change.new}`))];
      return { turns, rows: rows.changes.length, stderr };
    }
    // The edit that adds it changes nothing.
    const added = await planned(none);
    expect(added).toMatchObject({ turns: [], rows: 0 });
    expect(added.stderr).toMatch(/^northgate: staged, and not in force: /m);
    const tried = await planned(one, "--staged");
    expect(tried.turns).toEqual(["allow deny"]);
    expect(tried.rows).toBeGreaterThan(0);
  });
});

/** What it says goes to the server. */
function reporting(record: PolicyRecord, { api }: ScriptedApi) {
  const logger = new LineLogger();
  const fatal = (error: unknown) => {
    throw error;
  };
  const nodes = new SubjectNodes({
    membership: {
      pods: () => new Set(),
      pod: (key) => {
        throw new Error(`nobody has ${key}`);
      },
    },
    policy: () => null,
  });
  const cluster = { api, statusOf: () => noStatus, onStatus: () => undefined };
  const clusterStatus = new ApiClusterStatus({
    ...{ cluster, shown: String, zone: null, nodes, logger, fatal },
  });
  const reporter = new Reporter({
    ...{ reported: new ReportedPolicies(), clusterStatus, askProof: null, patienceSeconds: 1, logger },
    engine: { record: () => record, sharing: () => [record.key] },
    unmatchedPorts: () => [],
    unenforced: () => stagedOf(record),
    observed: () => undefined,
    placeOf: () => null,
    fieldOf: fieldsOf(everyDialect.dialects),
    ...{ shown: String, clock: systemClock },
    counters: { problem: () => undefined, pass: () => undefined },
  });
  return { reporter, clusterStatus };
}

describe("what its author is told", () => {
  let server: ScriptedApi;
  beforeAll(async () => {
    server = new ScriptedApi();
    await server.start();
  });
  afterAll(() => server.stop());

  test.each(named)("%s", async (_, { object, condition }) => {
    const record = recordOf({
      ...{ ...object, uid: "u", generation: 1 },
      annotations: new Map([["northgate.io/staged", "true"]]),
    });
    const before = server.sent.length;
    const { reporter, clusterStatus } = reporting(record, server);
    reporter.settled(record);
    await eventually(() => {
      expect(server.sent.length).toBe(before + 1);
    });
    await clusterStatus.stop();
    const sent = server.sent.slice(before).map(({ path, body }) => ({ path, ...(body as object) }));
    const { kind } = record;
    if (condition === null)
      expect(sent).toMatchObject([
        { path: expect.stringMatching(/\/events$/), reason: `${kind.shortKind}Staged` },
      ]);
    else {
      const status = { conditions: [{ type: condition, status: "False", reason: "Staged" }] };
      expect(sent).toMatchObject([
        { path: expect.stringMatching(`/${kind.resource}/${object.name}/status$`), status },
      ]);
    }
  });
});
