// The first view's answer: every policy stands in the column of its tier, in the order of evaluation, as what it is; and health
// says what is wrong.

import { describe, expect, test } from "@jest/globals";
import { toyDialect } from "../../test/support/toy-dialect.ts";
import { askPage } from "../../test/support/ask-page.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { anp, banp, namespacesWith, np } from "../../test/support/policies.ts";
import { everyDialect } from "../dialects.ts";
import { namespace, pod } from "../../test/support/facts.ts";
import type { BoardShown } from "./shown/board.ts";
import type { PoliciesShown } from "./shown.ts";
import type { ShownWorld } from "./world.ts";

const board = (world: ShownWorld, query = ""): BoardShown => askPage(world, `/api/board${query}`);

const red = [namespacesWith({ tenant: "red" })];
const facts = [
  ...[namespace("red", { tenant: "red" }), namespace("blue")],
  ...[pod("red", "web", { ips: ["10.0.0.1"] }), pod("blue", "db", { ips: ["10.0.0.2"] })],
];
const late = anp("late", { priority: 9, ingress: [{ action: "Deny", from: red }] });
const early = anp("early", { priority: 2, ingress: [{ action: "Allow", from: red }] });
const last = banp({ ingress: [{ action: "Deny", from: red }] });
const closed = np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "blue");
const refused = anp("refused", { priority: 1_000_000 });
const nobody = anp("nobody", { priority: 3, subject: { namespaces: { matchLabels: { no: "one" } } } });

test("each policy is in the column of its tier, in the order of evaluation", () => {
  const { tiers } = board(shownWorld([...facts, late, early, last, closed, nobody]));
  expect(
    tiers.map(({ tier, total, policies }) => [tier, total, policies.map(({ policy }) => policy.name)]),
  ).toEqual([
    ["admin", 3, ["early", "nobody", "late"]],
    ["namespaced", 1, ["closed"]],
    ["baseline", 1, ["default"]],
  ]);
  const [card] = tiers[1]!.policies;
  expect(card).toMatchObject({
    ...{ key: "NetworkPolicy.networking.k8s.io/blue/closed", state: "in force", priority: null, subjects: 1 },
    subject: { total: 1, shown: ["namespaces kubernetes.io/metadata.name=blue"] },
  });
  expect(tiers[0]!.policies.map(({ state }) => state)).toEqual(["in force", "inert", "in force"]);
});

test("a tier that a kind of policy brings has a column of its own, where it is evaluated", () => {
  const toys = toyDialect({
    ...{ group: "toys.example.com", namespaced: true, ownerType: "Toy" },
    tier: { name: "toys", order: 1.5 },
  });
  const dialects = [...everyDialect.dialects, toys];
  const toy = toys.policy("toy", { app: "db", from: "web" }, "blue");
  const { tiers } = board(shownWorld([...facts, late, closed, toy], { dialects }));
  expect(tiers.map(({ tier, tierName }) => [tier, tierName])).toEqual([
    ...[
      ["admin", undefined],
      ["namespaced", "toys"],
    ],
    ...[
      ["namespaced", undefined],
      ["baseline", undefined],
    ],
  ]);
  expect(tiers[1]!.policies.map(({ policy }) => policy.name)).toEqual(["toy"]);
});

test("a column has at most so many policies, and says how many there are", () => {
  const [admin] = board(shownWorld([...facts, late, early, nobody]), "?limit=2").tiers;
  expect([admin!.total, admin!.policies.length]).toEqual([3, 2]);
});

describe("health", () => {
  const live = {
    ...{ counts: [], pending: [], unenforced: [] as readonly string[], whyNotInForce: () => null },
    writer: { leads: true, other: null },
  };

  test("without a controller nothing is said of enforcement; a refused policy is counted, and Order has it alone", () => {
    const world = shownWorld([...facts, late, refused]);
    const { health } = board(world);
    expect(health).toEqual({
      ...{ enforced: null, writer: null, notRead: 0, lastChange: null },
      troubles: { refused: 1, kept: 0, "in part": 0 },
    });
    const { policies, total } = askPage<PoliciesShown>(world, "/api/policies?trouble=refused");
    expect([total, policies.map(({ policy }) => policy.name)]).toEqual([1, ["refused"]]);
    expect(askPage<PoliciesShown>(world, "/api/policies?trouble=kept").total).toBe(0);
  });

  test("an error that leaves the policy in force makes it in force in part", () => {
    const problem = { severity: "error", code: "NoPlace", field: "spec", message: "m" } as const;
    const world: ShownWorld = {
      ...shownWorld([...facts, late]),
      record: (key) => ({ key, object: late, policy: null, problems: [problem], rejected: false }),
    };
    expect(board(world).health.troubles).toEqual({ refused: 0, kept: 0, "in part": 1 });
    expect(board(world).tiers[0]!.policies).toMatchObject([{ inPart: true, state: "in force" }]);
    expect(askPage<PoliciesShown>(world, "/api/policies?trouble=in%20part").total).toBe(1);
  });

  test("a controller's policies are counted as it says; what keeps them from force is said, and who writes", () => {
    const all = { ...shownWorld([...facts, late, early]), live };
    expect(board(all).health).toMatchObject({
      enforced: { total: 2, inForce: 2, why: [] },
      writer: { leads: true },
    });
    const some: ShownWorld = {
      ...all,
      live: {
        ...{ ...live, unenforced: ["a line"], pending: ["another"] },
        whyNotInForce: (key) => (key.endsWith("/late") ? "Pending" : null),
      },
    };
    expect(board(some).health.enforced).toEqual({ total: 2, inForce: 1, why: ["a line", "another"] });
  });
});

test("kinds of one name in several groups are named in the state", () => {
  const state = (...objects: readonly ReturnType<typeof anp>[]) =>
    askPage<{ readonly sharedKinds: readonly string[] }>(shownWorld([...facts, ...objects]), "/api/state")
      .sharedKinds;
  expect(state(closed)).toEqual([]);
  const antrea = { ...closed, apiVersion: "crd.antrea.io/v1beta1", spec: { appliedTo: [], priority: 5 } };
  expect(state(closed, antrea)).toEqual(["NetworkPolicy"]);
});
