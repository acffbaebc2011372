// Answers about many ends as people read them, and their lines in a list.

import { expect, test } from "@jest/globals";
import type { ManyAnswer } from "../../explain/answer.ts";
import { formatAnswers } from "./answers-table.ts";
import { formatMany } from "./many-table.ts";

const nothing = { pods: [], workloads: [], addresses: [] };
const networks = ["1.0.0.0/8", "2.0.0.0/7", "4.0.0.0/6", "8.0.0.0/7"].map((text) => text as never);
const exempt = { verdict: "allow", by: "exempt", steps: [] } as const;
const silent = { verdict: "allow", by: "default", steps: [] } as const;
const answer: ManyAnswer = {
  from: { ...nothing, text: "internet" },
  to: { ...nothing, text: "shop/*" },
  ...{ protocol: "tcp", port: "http", verdict: "mixed" },
  groups: [
    {
      from: { ...nothing, addresses: networks },
      to: { ...nothing, pods: ["shop/a", "shop/b", "shop/c", "shop/d"] },
      ...{ port: 8080, verdict: "deny", egress: exempt },
      ingress: {
        ...{ verdict: "deny", by: "isolation", steps: [] },
        policy: { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "shop", name: "deny" },
      },
    },
    {
      from: { ...nothing, addresses: networks.slice(1) },
      to: {
        ...nothing,
        workloads: [{ group: "apps", kind: "Deployment", namespace: "shop", name: "web\u001b" }],
      },
      ...{ port: 80, verdict: "allow", egress: exempt, ingress: silent },
    },
  ],
  caveats: [{ code: "Family", text: "one" }],
};

test("a line for each group, with what decides on each side", () => {
  expect(formatMany(answer, { colours: false }).split("\n")).toEqual([
    "MIXED  internet → shop/*  tcp http",
    "",
    "  DENY     all addresses of internet → 4 pods (shop/a, shop/b, shop/c and 1 more)  tcp 8080",
    "           exempt; isolated by deny",
    "  ALLOW    2.0.0.0/7, 4.0.0.0/6, 8.0.0.0/7 → shop/web\\u{1b} (Deployment)  tcp 80",
    "           exempt; no policy",
    "  note     Family: one",
    "  evaluated as new connections; replies are allowed with them",
    "",
  ]);
});

test("in a list, with what was expected of all", () => {
  const told = [{ ...answer, expected: "deny", met: false } as const];
  expect(formatAnswers(told, { colours: true }).split("\n")).toEqual([
    "MIXED  internet → shop/*  tcp http  2 groups of ends  ✗ expected deny",
    "",
    "1 answered, 0 as expected, 1 not",
    "",
  ]);
});
