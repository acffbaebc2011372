// Answers for people: how policies are named where kinds meet, what stands where nobody decides, ties, isolation and notes, and
// colours only where they are asked for. The sample's whole tree is in test/cli/explain.test.ts.

import { expect, test } from "@jest/globals";
import { deny, toDb, webToDb, worldOf } from "../../../test/support/asked-world.ts";
import { acnp } from "../../../test/support/antrea.ts";
import { anp, banp, cnp, np } from "../../../test/support/policies.ts";
import { explain } from "../../explain/explain.ts";
import type { WorldObject } from "../../model/object.ts";
import { formatAnswer } from "./answer-table.ts";

function lines(objects: readonly WorldObject[], to = webToDb.to, colours = false): readonly string[] {
  const asked = worldOf(objects);
  const answer = explain(asked, { ...webToDb, to }, { isDetailed: true });
  return formatAnswer(answer, { colours, rankOf: (policy) => asked.rankOf(policy) }).split("\n");
}

test("an action is told by the word of its policy's own kind", () => {
  const to = [{ namespaceSelector: { matchLabels: { tenant: "blue" } } }];
  const of = (action: string) => ({
    ...{ priority: 5, tier: "application" },
    appliedTo: [{ podSelector: {} }],
    egress: [{ action, to }],
  });
  const told = (policy: WorldObject, line: string) => {
    expect(lines([policy])).toContain(line);
  };
  for (const word of ["Drop", "Reject", "Allow"])
    told(acnp("p", of(word)), `  application  p (5)  egress[0]  ${word}  ◀ decides`);
  told(anp("p", { egress: [deny] }), "  admin     p (10)  egress[0]  Deny  ◀ decides");
  told(
    cnp("p", { egress: [{ action: "Accept", to: toDb }] }),
    "  admin     p (10)  egress[0]  Accept  ◀ decides",
  );
});

const isolating = (name: string) => np(name, { podSelector: {}, policyTypes: ["Egress"] }, "red");

test("a policy is named with its kind where its tier has several", () => {
  const accept = { action: "Accept", to: toDb };
  expect(
    lines([anp("p", { egress: [deny] }), cnp("p", { egress: [accept] }), banp({ egress: [deny] })]),
  ).toEqual([
    "DENY  red/web 10.0.0.1 → blue/db-0 10.0.0.2  tcp 80",
    "",
    "egress (source): denied",
    "  admin     AdminNetworkPolicy p (10)    egress[0]  Deny    ◀ decides",
    "            ClusterNetworkPolicy p (10)  egress[0]  Accept  matches too, but a policy before it has decided",
    "  baseline  default                      egress[0]  Deny    matches too, but the admin tier has decided",
    "ingress (destination): allowed",
    "  no policy decides: allowed by default",
    "  evaluated as a new connection; replies are allowed with it",
    "",
  ]);
});

test("isolation names every policy that isolates", () => {
  expect(lines([isolating("m"), isolating("n")]).slice(2, 5)).toEqual([
    "egress (source): denied",
    "  namespaced  red/m      isolates the pod, and no rule of this tier matches  ◀ decides",
    "  namespaced  red/n      isolates the pod, and no rule of this tier matches".replace(
      "namespaced",
      "          ",
    ),
  ]);
});

test("a tie is open, and a note says why", () => {
  const told = lines([anp("p", { egress: [{ action: "Allow", to: toDb }] }), anp("q", { egress: [deny] })]);
  expect([told[0], ...told.slice(2, 5)]).toEqual([
    "UNKNOWN  red/web 10.0.0.1 → blue/db-0 10.0.0.2  tcp 80",
    "egress (source): cannot tell",
    "  admin     p (10)  egress[0]  Allow  ◀ ties: which of these decides is open",
    "            q (10)  egress[0]  Deny   ◀ ties: which of these decides is open",
  ]);
  expect(told).toContain(
    "  note      Tie: AdminNetworkPolicy p egress[0] Allow and AdminNetworkPolicy q egress[0] Deny match, in the admin tier with equal priority: which of them decides is open",
  );
});

test("an end that policies do not apply to", () => {
  expect(lines([], "172.18.0.2").slice(-5, -2)).toEqual([
    "  no policy decides: allowed by default",
    "ingress (destination): allowed",
    "  policies do not apply to this end",
  ]);
});

test("colours only where they are asked for", () => {
  expect(lines([], webToDb.to, true).join()).toContain("\u001b[");
  expect(lines([], webToDb.to, false).join()).not.toContain("\u001b");
});
