// For any input the dialect returns IR, or errors without IR: most inputs are good policies with a few places overwritten. Of what it
// returns in spite of errors, no rule allows anything that the good policy's rule would not, and none of the closed ones passes.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { resolving } from "../../test/support/antrea.ts";
import {
  account,
  calicoTier,
  calnp,
  endpointSlice,
  globalSet,
  gnp,
  networkSet,
} from "../../test/support/calico.ts";
import { compiledSafely, deepAndWide } from "../../test/support/compiled-safely.ts";
import { overwrittenPlaces } from "../../test/support/overwritten.ts";
import { calicoDialect } from "../../test/support/calico-compiled.ts";

const good = {
  tier: "t",
  order: 5.5,
  selector: "app == 'web' || has(role)",
  serviceAccountSelector: "role != 'x'",
  types: ["Ingress", "Egress"],
  ingress: [
    { action: "Log", protocol: "TCP", source: { selector: "app == 'db'" } },
    { action: "Allow", protocol: "TCP", source: { selector: "app == 'db'" }, metadata: { annotations: {} } },
    {
      action: "Pass",
      protocol: "TCP",
      source: { notSelector: "a in {'b', 'c'}", selector: "all()", ports: [1, "5:9"] },
      destination: { nets: ["10.0.0.0/8"], notNets: ["10.1.0.0/16"], ports: ["80:90", "web"] },
    },
    {
      action: "Allow",
      protocol: "TCP",
      source: { services: { name: "web", namespace: "shop" }, ports: [7] },
    },
    { action: "Deny", protocol: "ICMP", icmp: { type: 8 }, notICMP: { type: 8, code: 1 } },
  ],
  egress: [
    { action: "Allow", notProtocol: 6, ipVersion: 4 },
    { action: "Deny", destination: { selector: "set == 'x'", serviceAccounts: { names: ["a"] } } },
    { action: "Allow", destination: { services: { name: "web", namespace: "shop" } } },
    { action: "Allow", destination: { namespaceSelector: "projectcalico.org/name == 'shop'" } },
  ],
};

const selectors = [...["all()", "global()", "!a == 'b'", "a", "", "(a == 'b' || has(c)) && d not in {'e'}"]];
const known = resolving(
  calicoTier("t", { order: 3 }),
  networkSet("s", { set: "x" }, ["10.0.0.0/8", "192.0.2.1"]),
  globalSet("g", { set: "x" }, ["2001:db8::/32"]),
  endpointSlice("web-a", "web", [["10.0.0.1"]], [{ port: 80 }]),
  account("a", { role: "x" }),
);

test("compile never throws, and rejects only with an error", () => {
  let [accepted, closed] = [0, 0];
  fc.assert(
    fc.property(
      fc.oneof({ weight: 6, arbitrary: overwrittenPlaces(good) }, { weight: 1, arbitrary: fc.jsonValue() }),
      fc.constantFrom(...selectors),
      fc.boolean(),
      (spec, selector, isGlobal) => {
        const object = isGlobal ? gnp("p", spec) : calnp("p", spec);
        const compile = () => calicoDialect.compile(object, known.resolve);
        const { policy, problems } = compiledSafely(spec, compile, 80);
        const errors = problems.filter(({ severity }) => severity === "error");
        if (policy === null) expect(errors.length).toBeGreaterThan(0);
        if (policy !== null && errors.length === 0) accepted++;
        if (policy !== null && errors.length > 0) closed++;
        calicoDialect.compile(gnp("p", { ...good, selector, namespaceSelector: selector }), known.resolve);
      },
    ),
    { numRuns: 1500 },
  );
  expect(accepted).toBeGreaterThan(100);
  expect(closed).toBeGreaterThan(0);
});

test("a field that is not known never lets anything pass", () => {
  const directions = ["ingress", "egress"] as const;
  const places = directions.flatMap((direction) => good[direction].map((_, index) => ({ direction, index })));
  const paths = ["", "source", "destination"] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...places),
      fc.constantFrom(...paths),
      fc.boolean(),
      (place, path, isGlobal) => {
        const { direction, index } = place;
        const rule = good[direction][index] as Readonly<Record<string, unknown>>;
        const strange =
          path === ""
            ? { ...rule, strange: 1 }
            : { ...rule, [path]: { ...(rule[path] as object), strange: 1 } };
        const spec = {
          ...good,
          [direction]: good[direction].map((one, at) => (at === index ? strange : one)),
        };
        const { policy } = calicoDialect.compile(isGlobal ? gnp("p", spec) : calnp("p", spec), known.resolve);
        for (const one of policy?.rules[direction].filter((other) => other.index === index) ?? [])
          if (one.action === "allow") expect(one.peers).toEqual([]);
          else expect([one.action, one.peers]).toEqual(["deny", [{ kind: "everything" }]]);
        expect(policy).not.toBeNull();
      },
    ),
  );
});

test("deep and wide inputs are answered in bounded time", () => {
  const { deep, wide } = deepAndWide();
  for (const spec of [
    deep,
    { ...good, ingress: wide },
    { ...good, egress: [{ action: "Allow", destination: wide }] },
  ])
    expect(calicoDialect.compile(gnp("p", spec), known.resolve).policy).toBeNull();
});
