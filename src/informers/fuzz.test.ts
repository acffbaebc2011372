// No contents of a file cause an exception: any text gives definitions and problems, any JSON a fact or problems.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { readableKinds } from "./objects/kinds.ts";
import { readManifest } from "./directory/manifest.ts";
import { formatSourceProblem } from "./source-problem.ts";

const policy = {
  group: "policy.example",
  version: "v1",
  kind: "Policy",
  resource: "policies",
  namespaced: true,
};
const kinds = readableKinds([policy]);

const annotations = fc.record(
  { "k8s.ovn.org/host-cidrs": fc.oneof(fc.json(), fc.string()), "k8s.ovn.org/pod-networks": fc.json() },
  { requiredKeys: [] },
);
const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.jsonValue());
const object = fc.record(
  {
    metadata: fc.record(
      {
        name: fc.oneof(fc.constant("a"), fc.jsonValue()),
        namespace: fc.jsonValue(),
        labels: fc.jsonValue(),
        annotations,
      },
      { requiredKeys: ["name"] },
    ),
    spec: fc.oneof(fc.jsonValue(), fc.record({ containers: fc.jsonValue(), nodeName: fc.jsonValue() })),
    status: fc.record({
      podIPs: fc.array(fc.record({ ip: address })),
      podIP: address,
      addresses: fc.jsonValue(),
    }),
  },
  { requiredKeys: [] },
);

test("a parser gives an object exactly when there is no error", () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.oneof(object, fc.jsonValue()), (kind, value) => {
      const { object: fact, problems } = kind.parse(value);
      expect(fact === null).toBe(problems.some(({ severity }) => severity === "error"));
    }),
    { numRuns: 1000 },
  );
});

test("any text is read or refused, in single printable lines", () => {
  const token = fc.constantFrom(
    "a: ",
    "- ",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    "&x ",
    "*x",
    "'",
    '"',
    "---\n",
    "!t ",
    "? ",
    "<<: ",
    "| ",
    "#",
  );
  const yaml = fc.array(fc.oneof(token, fc.string()), { maxLength: 30 }).map((tokens) => tokens.join(""));
  const header = fc.constantFrom(
    "",
    "apiVersion: v1\nkind: Pod\nmetadata: ",
    "apiVersion: v1\nkind: List\nitems: ",
  );
  fc.assert(
    fc.property(header, fc.oneof(yaml, fc.json(), fc.string({ unit: "binary" })), (head, text) => {
      for (const problem of readManifest("f.yaml", head + text, kinds).problems)
        expect(formatSourceProblem(problem)).toMatch(/^f\.yaml:\d+(:\d+)?: [^\p{Cc}\p{Cf}]+$/u);
    }),
    { numRuns: 2000 },
  );
});
