// NG004 where one selector means pods and named networks alike: it selects something as soon as one of these has the labels.

import { expect, test } from "@jest/globals";
import { globalSet, gnp } from "../../../test/support/calico.ts";
import { namespace, pod } from "../../../test/support/facts.ts";
import { found } from "../../../test/support/linted.ts";
import { everyKind, installed } from "../../dialects.ts";

const { dialects } = installed({ ...everyKind, "policy-model": "calico" });
const facts = [
  namespace("shop"),
  pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1"] }),
  globalSet("feed", { role: "blocked" }, ["198.51.100.0/24"]),
];

test.each([
  ["networks alone", "role == 'blocked'", []],
  ["pods alone", "app == 'web'", []],
  ["nothing", "role == 'block'", ["NG004 warning p egress[0]"]],
])("%s", (_, selector, expected) => {
  const policy = gnp("p", { types: ["Egress"], egress: [{ action: "Deny", destination: { selector } }] });
  expect(found([...facts, policy], ["NG004"], { dialects })).toEqual(expected);
});
