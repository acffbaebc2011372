// The reports on a policy, word by word: log lines with keys as users know them, documented conditions, and no kind's
// words in the reporter itself.

import { resolvesNothing } from "../../test/support/policies.ts";
import { describe, expect, test } from "@jest/globals";
import { adminNetworkPolicy } from "../anp/index.ts";
import { antrea } from "../../test/support/dialects.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import { keyOf, shownAmong } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { fieldsOf } from "../policy/contracts/dialect.ts";
import type { Realization } from "../policy/contracts/dialect.ts";
import type { Proof } from "../policy/contracts/proof.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";
import { tier } from "../../test/support/antrea.ts";
import { anp, np } from "../../test/support/policies.ts";
import type { PolicySpec } from "../../test/support/policies.ts";
import { RecordedEngine, recordOf } from "../../test/support/records.ts";
import { LineLogger } from "../../test/support/scripted-api.ts";
import { countNotInForce, noRuleInForce, stagedOf, unenforcedLines, zoneFault } from "./in-force.ts";
import { ReportedPolicies } from "./reported.ts";
import type { ReporterOptions } from "./reporter.ts";
import { Reporter } from "./reporter.ts";

const [kind] = adminNetworkPolicy.kinds;
if (kind === undefined) throw new Error("a dialect without a kind");

function record(spec: PolicySpec, more: Partial<PolicyRecord> = {}): PolicyRecord {
  return { ...recordOf(anp("beyond", spec)), ...more };
}

function reporting(current: PolicyRecord, more: Partial<ReporterOptions> = {}) {
  const logger = new LineLogger();
  const reported = new ReportedPolicies();
  const said: (readonly [Realization, string])[] = [];
  const events: string[] = [];
  const reporter = new Reporter({
    reported,
    engine: { record: () => current, sharing: () => [current.key] },
    clusterStatus: {
      condition: (_, realization, message) => said.push([realization, message]),
      examined: () => undefined,
      review: () => undefined,
      judged: () => undefined,
      event: (_, { reason }) => events.push(reason),
      gone: () => undefined,
      stopLeading: () => undefined,
    },
    askProof: null,
    patienceSeconds: 1,
    unmatchedPorts: () => [],
    unenforced: () => null,
    clock: { now: () => 0 },
    observed: () => undefined,
    placeOf: () => null,
    fieldOf: fieldsOf([adminNetworkPolicy]),
    shown: shownAmong([kind!]),
    logger,
    counters: { problem: () => undefined, pass: () => undefined },
    ...more,
  });
  return { reporter, reported, logger, said, events };
}

test("success has the documented message, with warnings behind it", () => {
  const good = record({});
  const plain = reporting(good);
  plain.reporter.settled(good);
  plain.reporter.removed(good.key);
  expect(plain.said).toEqual([["realized", "Setting up OVN DB plumbing was successful"]]);
  expect(plain.logger.lines).toEqual([
    { text: "a policy is in force", fields: { policy: "AdminNetworkPolicy/beyond" } },
    { text: "a policy was removed", fields: { policy: "AdminNetworkPolicy/beyond" } },
  ]);
  const odd = record({ ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] });
  const warned = reporting(odd);
  warned.reporter.settled(odd);
  expect(warned.said).toEqual([
    [
      "realized",
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
      "refused",
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
  expect(said).toEqual([
    ["failed", "RowRefused: no such column; the policy's previous version stays in force"],
  ]);
  expect(events).toEqual(["ANPWithRefusedRows"]);
});

describe("rows that are written and without effect", () => {
  const away: Unenforced = {
    reason: "PodsNotConnected",
    message: "2 of its subject pods have no port: a/x, a/y",
  };

  /** A policy whose verdict, proof and time the test gives. */
  function judging(current: PolicyRecord, waits = false) {
    const world: { why: Unenforced | null; now: number; proof: Proof | null } = {
      why: away,
      now: 0,
      proof: null,
    };
    const conditions: unknown[] = [];
    const told = reporting(current, {
      unenforced: () => world.why,
      clock: { now: () => world.now },
      askProof: waits ? (proof) => void (world.proof = proof) : null,
      clusterStatus: {
        condition: (_, realization, message, reason) => conditions.push([realization, reason, message]),
        examined: () => undefined,
        review: () => undefined,
        judged: () => undefined,
        event: () => undefined,
        gone: () => undefined,
        stopLeading: () => undefined,
      },
    });
    return { world, conditions, ...told };
  }

  const success = "Setting up OVN DB plumbing was successful";

  test("are told so, never as in force, and as in force at once when they have effect", () => {
    const good = record({});
    const { reporter, conditions, reported, logger, world } = judging(good);
    reporter.settled(good);
    expect(conditions).toEqual([["underWay", "PodsNotConnected", `PodsNotConnected: ${away.message}`]]);
    expect(logger.lines).toEqual([
      {
        text: "the rows of a policy are written and without effect",
        fields: { policy: "AdminNetworkPolicy/beyond", reason: "PodsNotConnected", why: away.message },
      },
    ]);
    expect(reported.whyNotInForce(good)).toBe("PodsNotConnected");
    expect(unenforcedLines(reported, null, (key) => key.slice(-6))).toEqual([
      `not enforced on all of its subject (PodsNotConnected): beyond: ${away.message}`,
    ]);
    world.why = null;
    reporter.settled(good);
    expect(conditions.slice(1)).toEqual([["realized", undefined, success]]);
    expect(logger.lines.at(-1)?.text).toBe("a policy is in force");
    expect(reported.whyNotInForce(good)).toBeNull();
    expect(unenforcedLines(reported, null, String)).toEqual([]);
  });

  test("are found by a review, in both directions, and told once", () => {
    const good = record({});
    const { reporter, conditions, world } = judging(good);
    world.why = null;
    reporter.settled(good);
    for (const why of [away, away, null, null]) {
      world.why = why;
      reporter.review();
    }
    expect(conditions.map((condition) => (condition as unknown[])[0])).toEqual([
      "realized",
      "underWay",
      "realized",
    ]);
  });

  test("have their text told again when it has been another for a minute", () => {
    const good = record({});
    const { reporter, conditions, reported, world } = judging(good);
    reporter.settled(good);
    world.why = { ...away, message: "1 of its subject pods has no port: a/x" };
    world.now = 59_999;
    reporter.review();
    expect(conditions).toHaveLength(1);
    // A question has the text of now.
    expect([...reported.unenforced()]).toEqual([[good.key, world.why]]);
    world.now = 60_000;
    reporter.review();
    expect(conditions[1]).toEqual(["underWay", "PodsNotConnected", `PodsNotConnected: ${world.why.message}`]);
  });

  test("wait for the proof of the chassis as others do, and are counted as pending meanwhile", () => {
    const good = record({});
    const { reporter, conditions, reported, world, logger } = judging(good, true);
    const chassis = () => logger.said.filter(([, text]) => text.endsWith("every chassis"));
    world.why = null;
    reporter.settled(good);
    expect([conditions, reported.whyNotInForce(good)]).toEqual([[], "Pending"]);
    world.proof?.late();
    expect(chassis().map(([level, text]) => [level, text])).toEqual([
      ["warn", "a policy has not reached every chassis"],
    ]);
    expect([conditions.length, reported.whyNotInForce(good)]).toEqual([1, "ChassisBehind"]);
    world.why = away;
    world.proof?.proven();
    expect([conditions.at(-1), reported.whyNotInForce(good)]).toEqual([
      ["underWay", "PodsNotConnected", `PodsNotConnected: ${away.message}`],
      "PodsNotConnected",
    ]);
    expect(chassis()[1]).toEqual([
      "info",
      "a policy has reached every chassis",
      { policy: "AdminNetworkPolicy/beyond" },
    ]);
    // One that was in time is not worth a line.
    const other = judging(good, true);
    other.reporter.settled(good);
    other.world.proof?.proven();
    expect(other.logger.said.filter(([, text]) => text.endsWith("every chassis"))).toEqual([]);
  });
});

test("what is not in force has one reason: the finding, the database's refusal, or that it is still to come", () => {
  const low = record({ priority: 100, subject: {} }, { rejected: true });
  const good = record({});
  const { reporter, reported } = reporting(good);
  expect(reported.whyNotInForce(good)).toBe("Pending");
  expect(reported.whyNotInForce(low)).toBe(low.problems[0]?.code);
  reporter.settled(good);
  expect(reported.whyNotInForce(good)).toBeNull();
  const edited = record({ priority: 11 });
  expect(reported.whyNotInForce(edited)).toBe("Pending");
  reporter.refused(edited, [{ code: "RowRefused", severity: "error", field: "", message: "no" }]);
  expect(reported.whyNotInForce(edited)).toBe("RowRefused");
  expect(countNotInForce("RowRefused", [good, edited], reported)).toBe(1);
});

test("what a policy is among the others and the pods is a warning in the log, each thing once until it has gone", () => {
  const [one, two] = ["one", "two"].map((name) => recordOf(anp(name, { priority: 7 })));
  if (one === undefined || two === undefined) throw new Error("two policies are wanted");
  const engine = new RecordedEngine(one, two);
  const world = { unmatched: [] as readonly UnmatchedPort[] };
  const { reporter, logger, events } = reporting(one, {
    engine,
    unmatchedPorts: (key) => (key === two.key ? world.unmatched : []),
    clusterStatus: null,
  });
  const warned = () =>
    logger.said
      .splice(0)
      .filter(([level, text]) => level === "warn" && text === "a finding in a policy")
      .map(([, , { severity, object, field, problem }]) => [severity, object, field, problem].join(": "));
  const tied = (name: string, other: string) =>
    `warning: AdminNetworkPolicy ${name}: spec.priority: This ANP ${name} has a conflicting priority with ANP ${other}:` +
    "Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior";
  reporter.settled(one);
  reporter.settled(two);
  expect(warned()).toEqual([tied("one", "two"), tied("two", "one")]);
  const edited = { ...two };
  engine.set(edited);
  world.unmatched = [{ direction: "ingress", index: 2, name: "web" }];
  reporter.settled(edited);
  expect(warned()).toEqual([
    'warning: AdminNetworkPolicy two: spec.ingress[2].ports: This ANP two names port "web" in ingress rule 2, ' +
      "which no container port of the selected pods has; that part of the rule matches nothing",
  ]);
  // It has another priority, and later the same again.
  const moved = recordOf(anp("two", { priority: 8 }));
  engine.set(moved);
  world.unmatched = [];
  reporter.settled(moved);
  expect(warned()).toEqual([]);
  engine.set(two);
  reporter.settled(two);
  expect(warned()).toEqual([tied("two", "one")]);
  expect(events).toEqual([]);
});

test("a policy that is held back is told why once; one whose rows stand is told by its review", () => {
  const why: Unenforced = { reason: "NoNodeOfZone", message: "no Node has that name" };
  let unenforced: Unenforced | null = why;
  const held = record({});
  const { reporter, said, reported } = reporting(held, { unenforced: () => unenforced });
  reporter.heldBack(held, why);
  expect(said.splice(0)).toEqual([["underWay", "NoNodeOfZone: no Node has that name"]]);
  expect(reported.whyNotInForce(held)).toBe("Pending");
  unenforced = null;
  reporter.settled(held);
  expect(said.splice(0)).toEqual([["realized", "Setting up OVN DB plumbing was successful"]]);
  reporter.heldBack(held, why);
  expect(said).toEqual([]);
});

test("a zone is told that no Node has; without a zone every pod is local", () => {
  const facts = { hasNode: (name: string) => name === "node-a" };
  const says = (unenforced: Unenforced | null) => ({ unenforced: () => unenforced });
  expect(zoneFault(null, facts, says(null))).toBeNull();
  expect(zoneFault("node-a", facts, says(null))).toBeNull();
  expect(zoneFault("node-q", facts, says(null))).toEqual({
    reason: "NoNodeOfZone",
    message: '--zone is "node-q", and no Node has that name',
  });
  const mismatch = { reason: "ZoneMismatch", message: "it is of node-b" } as const;
  expect(zoneFault("node-a", facts, says(mismatch))).toEqual(mismatch);
  // Pods may be local in a database that has no switch yet.
  expect(zoneFault("node-a", facts, says({ reason: "NoNetwork", message: "no switch" }))).toBeNull();
});

test("a policy that is in force without a part that cannot be said is not called ready", () => {
  const field = "spec.egress[0].to[0].fqdn";
  const message = "domain names are not resolved here";
  const finding: Problem = { code: "Unsupported", severity: "error", field, message };
  const partly = record({}, { problems: [finding] });
  const { reporter, reported, said } = reporting(partly);
  reporter.settled(partly);
  expect(said).toEqual([["partly", `Unsupported at ${field}: ${message}`]]);
  expect(reported.whyNotInForce(partly)).toBe("Unsupported");
});

test("a policy of which no rule can match is not in force; one without rules, or with one that matches, is", () => {
  const subject = { namespaces: {} };
  const names = { action: "Allow", to: [{ domainNames: ["example.com"] }] };
  const all = { action: "Allow", to: [{ networks: ["0.0.0.0/0"] }] };
  const said = (spec: PolicySpec) => noRuleInForce(record(spec))?.reason ?? null;
  expect(said({ priority: 1, subject, egress: [names] })).toBe("NoRuleInForce");
  expect(said({ priority: 1, subject, egress: [names, all] })).toBeNull();
  expect(said({ priority: 1, subject })).toBeNull();
  // A deny that is not understood denies everything.
  expect(said({ priority: 1, subject, egress: [{ ...names, action: "Deny" }] })).toBeNull();
});

test("a mistake in an object that policies may refer to is in the log and counted, whoever names it", () => {
  const codes: string[] = [];
  const counters = { problem: (code: string) => void codes.push(code), pass: () => undefined };
  const { reporter, logger } = reporting(record({}), {
    counters,
    placeOf: (_, field) => `tiers.yaml ${field}`,
  });
  const kind = antrea.references.find((one) => one.kind === "Tier");
  if (kind?.status === undefined) throw new Error("a tier is judged");
  const tell = (spec: unknown) => {
    const object = tier("mine", spec);
    const verdict = kind.status!.judge(object, resolvesNothing);
    reporter.judged(keyOf(object), { kind, object, verdict });
    return logger.said.splice(0);
  };
  expect(tell({ priority: 7 })).toEqual([]);
  expect(tell({ priority: 251 })).toMatchObject([
    [
      "warn",
      "a finding in an object",
      {
        ...{
          place: "tiers.yaml spec.priority",
          object: "Tier mine",
          field: "spec.priority",
          severity: "error",
        },
        problem: "must be an integer from 0 to 250, not 251",
      },
    ],
  ]);
  expect(codes).toEqual(["InvalidField"]);
});

describe("staged", () => {
  const annotation: readonly (readonly [string, string])[] = [["northgate.io/staged", "true"]];
  const text = "Staged: annotation northgate.io/staged keeps it out of force: it has no rows";

  test("a policy of a kind with conditions has one that is not true, at once, and no event", () => {
    const staged = recordOf({ ...anp("beyond", {}), annotations: new Map(annotation) });
    const asked: Proof[] = [];
    const { reporter, said, events, logger, reported } = reporting(staged, {
      unenforced: () => stagedOf(staged),
      askProof: (proof) => void asked.push(proof),
    });
    reporter.settled(staged);
    reporter.settled(staged);
    expect({ said, events, asked }).toEqual({ said: [["staged", text]], events: [], asked: [] });
    expect(logger.lines.map((line) => line.text)).toEqual(["a policy is staged, and not in force"]);
    expect(reported.whyNotInForce(staged)).toBe("Staged");
    expect(unenforcedLines(reported, null, shownAmong([kind]))).toEqual([]);
    expect([...reported.inForce()]).toEqual([]);
  });

  test("a kind without conditions has an event", () => {
    const staged = recordOf(np("closed", { podSelector: {} }, "shop", annotation));
    const { reporter, events } = reporting(staged, { unenforced: () => stagedOf(staged) });
    reporter.settled(staged);
    expect(staged).toMatchObject({ isStaged: true, policy: null });
    expect(events).toEqual(["NPStaged"]);
  });
});
