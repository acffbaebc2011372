// Host names in kinds whose rules have sets of their own: all rules of a name share one set a family all the same, so that an answer of
// DNS is written once.

import { expect, test } from "@jest/globals";
import { installed } from "../../src/dialects.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { namesFlag } from "../../src/policy/contracts/names.ts";
import { kindFlags } from "../support/dialects.ts";
import { hostName, namespace, pod } from "../support/facts.ts";
import { anp } from "../support/policies.ts";

const { dialects } = installed({ ...kindFlags({}), [namesFlag]: "poll" });
const policy = (name: string, priority: number) =>
  anp(name, {
    ...{ priority, subject: { namespaces: {} } },
    egress: [{ action: "Allow", to: [{ domainNames: ["www.example.org"] }] }],
  });

test("two rules of one name share its sets", () => {
  const model = offlineModel({
    objects: [
      ...[namespace("shop"), pod("shop", "web", { ips: ["10.0.0.1"] })],
      ...[policy("p", 1), policy("q", 2), hostName("www.example.org", "198.51.100.7")],
    ],
    ...{ dialects, families: ["v4", "v6"], mode: { zone: null, namedPorts: "list" } },
  });
  const { ACL, Address_Set } = model.tables();
  const [set, ...others] = Address_Set.filter(({ addresses }) => addresses.includes("198.51.100.7"));
  expect(others).toEqual([]);
  expect(ACL.filter(({ match }) => match.includes(`$${set?.name ?? "-"}`))).toHaveLength(2);
});
