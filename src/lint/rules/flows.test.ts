// NG020: only rules that list protocols and have many addresses.

import { expect, test } from "@jest/globals";
import { gnp } from "../../../test/support/calico.ts";
import { namespace, pod } from "../../../test/support/facts.ts";
import { reportOf } from "../../../test/support/linted.ts";
import { everyKind, installed } from "../../dialects.ts";
import type { WorldObject } from "../../model/object.ts";

const { dialects } = installed({ ...everyKind, "policy-model": "calico" });

/** So many pods with an address, the first 30 of them databases. */
const pods = (count: number): readonly WorldObject[] => [
  namespace("shop"),
  ...Array.from({ length: count }, (_, at) =>
    pod("shop", `p${at}`, {
      labels: { app: at < 30 ? "db" : "web" },
      ips: [`10.0.${at >> 8}.${at & 255}`],
    }),
  ),
];

const told = (count: number, rule: object): readonly string[] =>
  reportOf([...pods(count), gnp("p", { ingress: [{ action: "Deny", ...rule }] })], {
    dialects,
    choice: { only: new Set(["NG020"]), skip: new Set() },
  }).findings.map(({ severity, field, message }) => `${severity} ${field} ${message}`);

const flows = (count: string) => [
  `warning spec.ingress[0] OVN makes about ${count} flows of it: one for each pair of an IP protocol and an address`,
];

const anyPod = { selector: "all()" };

test.each<[string, number, object, readonly string[]]>([
  ["many pods", 400, { notProtocol: "TCP", source: anyPod }, flows("102000")],
  ["not so many", 350, { notProtocol: "TCP", source: anyPod }, []],
  ["networks", 1, { notProtocol: "TCP", source: { nets: ["10.1.0.0/16"] } }, []],
  ["one protocol", 400, { protocol: "TCP", source: anyPod }, []],
  ["any protocol", 400, { source: anyPod }, []],
  ["no addresses", 400, { notProtocol: "TCP" }, []],
  [
    "what is left around pods",
    30,
    { notProtocol: "TCP", source: { notSelector: "app == 'db'" } },
    flows("122910"),
  ],
])("%s", (_, count, rule, expected) => {
  expect(told(count, rule)).toEqual(expected);
});
