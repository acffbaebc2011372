// NG021 against the judge: in random clusters it is found exactly where the judge says that a rule decides a Service's port, and that
// the port behind it has the opposite verdict from each of the same ends.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { namespace, pod } from "../../../../test/support/facts.ts";
import { reportOf } from "../../../../test/support/linted.ts";
import { np } from "../../../../test/support/policies.ts";
import { everyDialect } from "../../../dialects.ts";
import type { PodFact } from "../../../model/facts.ts";
import type { PolicyObject, ReferencedObject } from "../../../model/object.ts";
import { offlineModel } from "../../../nbdb/tools/rendered.ts";
import type { Connection } from "../../../policy/evaluate.ts";
import { firstMatch } from "../../../policy/evaluate.ts";
import { outcomes } from "../../../policy/ties.ts";

const apps = ["a", "b"] as const;
const numbers = [80, 81, 8080] as const;
const selector = fc.constantFrom<object>({}, ...apps.map((app) => ({ matchLabels: { app } })));
const rule = fc.record({
  from: selector.map((podSelector) => [{ podSelector }]),
  ports: fc
    .uniqueArray(fc.constantFrom(...numbers), { minLength: 1, maxLength: 2 })
    .map((list) => list.map((port) => ({ port }))),
});
const policies = fc
  .array(fc.record({ podSelector: selector, ingress: fc.array(rule, { minLength: 1, maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((specs) => specs.map((spec, at) => np(`p${at}`, { ...spec, policyTypes: ["Ingress"] })));
const services = fc.array(
  fc.record({
    app: fc.constantFrom(...apps),
    port: fc.constantFrom(...numbers),
    target: fc.constantFrom(...numbers),
  }),
  { minLength: 1, maxLength: 3 },
);
interface Led {
  readonly app: string;
  readonly port: number;
  readonly target: number;
}
const cluster = fc.array(fc.tuple(fc.constantFrom(...apps, "c"), fc.boolean()), {
  minLength: 2,
  maxLength: 4,
});

function serviceOf({ app, port, target }: Led, at: number): ReferencedObject {
  return {
    ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name: `s${at}`, uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: { clusterIP: "None", selector: { app }, ports: [{ port, targetPort: target }] },
  };
}

/** What the Services lead a port of the pod to; null: the pod has the port itself. */
function ledTo(one: PodFact, port: number, all: readonly Led[]): number | null | undefined {
  const own = all.filter(({ app }) => one.labels.get("app") === app);
  if (one.ports.some((declared) => declared.port === port) || own.some(({ target }) => target === port))
    return null;
  return own.findLast((led) => led.port === port && led.target !== port)?.target;
}

test("is found exactly where the judge says so", () => {
  const counts = { found: 0, right: 0 };
  fc.assert(
    fc.property(cluster, policies, services, (list, objects: readonly PolicyObject[], led) => {
      const pods = list.map(([app, declares], at) =>
        pod("shop", `x${at}`, {
          ...{ labels: { app }, ips: [`10.0.0.${at + 1}`] },
          ports: declares ? [{ name: "plain", protocol: "tcp", port: 81 }] : [],
        }),
      );
      const facts = [namespace("shop"), ...pods];
      const mode = { zone: null, namedPorts: "list" } as const;
      const model = offlineModel({
        ...{ objects: [...facts, ...objects], dialects: everyDialect.dialects, families: null, mode },
      });
      const all = model.policies();
      const connections = (port: number) =>
        pods.flatMap((from) =>
          pods.flatMap((to): Connection[] => {
            const [source, target] = [from.ips[0], to.ips[0]];
            if (from === to || source === undefined || target === undefined) return [];
            return [{ from: { ip: source, pod: from }, to: { ip: target, pod: to }, protocol: "tcp", port }];
          }),
        );
      const expected = all.flatMap((policy) =>
        policy.rules.ingress.flatMap((own) =>
          (own.ports ?? []).flatMap((match) => {
            const port = match.kind === "port" ? match.port : 0;
            const decided = connections(port).filter(
              (one) => firstMatch(policy, "ingress", one, model.facts)?.index === own.index,
            );
            const known = decided.flatMap((one) => {
              const target = one.to.pod === null ? undefined : ledTo(one.to.pod, port, led);
              return target === undefined ? [] : [{ one, target }];
            });
            const isWrong = known.every(
              ({ one, target }) =>
                target !== null &&
                !outcomes({ ...one, port: target }, model.facts, all).verdicts.has("allow"),
            );
            counts[isWrong && known.length > 0 ? "found" : "right"] += 1;
            return isWrong && known.length > 0 ? [`${policy.ref.name} ${own.index} tcp ${port}`] : [];
          }),
        ),
      );
      const { findings } = reportOf([...facts, ...objects], { services: led.map(serviceOf) });
      const found = findings.flatMap(({ id, policy, rule: at, message }) =>
        id === "NG021" ? [`${policy.name} ${at?.index ?? ""} ${/tcp \d+/.exec(message)?.[0] ?? ""}`] : [],
      );
      expect(found.sort()).toEqual(expected.sort());
    }),
    { numRuns: 400 },
  );
  expect(Math.min(counts.found, counts.right)).toBeGreaterThan(15);
});
