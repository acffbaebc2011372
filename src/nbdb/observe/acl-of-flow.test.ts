// The ACL of a flow: by its hint, and where that is no longer so, by its text.

import { expect, test } from "@jest/globals";
import { AclsOfFlows, stateOf } from "./acl-of-flow.ts";

const acl = { direction: "to-lport", tier: 1, priority: 1000, match: "tcp.dst == 81" };
const uuid = "7e9d1dcd-0000-4000-8000-000000000000";
const flow = (match: string, hint = uuid.slice(0, 8)) => ({
  ...{ pipeline: "egress", priority: 2000, match },
  external_ids: new Map([["stage-hint", hint]]),
});
const whole = "reg8[30..31] == 1 && reg0[9] == 1 && (tcp.dst == 81)";

test("by the hint, whatever the text is meanwhile", () => {
  expect(new AclsOfFlows([[uuid, acl]]).of(flow("reg0[9] == 1 && (udp)"))).toBe(acl);
});

test("by the text where the ACL of the hint has been replaced", () => {
  const acls = new AclsOfFlows([["00000000-0000-4000-8000-000000000000", acl]]);
  expect(acls.of(flow(whole))).toBe(acl);
  expect(acls.of({ ...flow(whole), pipeline: "ingress" })).toBeNull();
  expect(acls.of({ ...flow(whole), priority: 2001 })).toBeNull();
  expect(acls.of(flow(whole.replace("== 1 &&", "== 2 &&")))).toBeNull();
});

test("of two that begin alike, the one whose text it is; and none of a flow without a hint", () => {
  const other = { ...acl, match: "udp" };
  const acls = new AclsOfFlows([
    ["7e9d1dcd-1111-4000-8000-000000000000", other],
    [uuid, acl],
  ]);
  expect(acls.of(flow(whole))).toBe(acl);
  expect(acls.of(flow("reg8[30..31] == 1 && reg0[7] == 1 && (udp)"))).toBe(other);
  expect(acls.of(flow("reg8[30..31] == 1 && (sctp)"))).toBeNull();
  expect(acls.of({ ...flow(whole), external_ids: new Map() })).toBeNull();
});

test.each([
  [whole, "new"],
  ["reg8[30..31] == 1 && reg0[10] == 1 && (ip)", "established"],
  ["reg0[7] == 1 && (ip)", "new"],
  ["reg0[8] == 1 && (ip && (tcp || udp))", "established"],
  ["reg8[30..31] == 0 && (reg0[7] == 1)", "any"],
  ["(ip)", "any"],
  ["1", "any"],
])("%s: %s", (match, state) => {
  expect(stateOf(flow(match))).toBe(state);
});
