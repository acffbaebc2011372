// What lint costs, counted: pods that policies cannot tell apart cost nothing, and a large cluster stays within bounds. The
// figures for people are of docs/lint.md.

import { expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { reportOf } from "../../test/support/linted.ts";
import { anp, banp } from "../../test/support/policies.ts";
import { everyDialect } from "../dialects.ts";
import type { WorldObject } from "../model/object.ts";
import { noBackend, OfflineModel } from "../offline/model.ts";
import { Reach } from "../verdicts/reach.ts";
import type { ReachWork } from "../verdicts/reach.ts";

const teams = 50;
const policies = 100;
const rules = 20;

/** A cluster of teams, each in its namespace with so many pods, on ten nodes. */
function cluster(podsOfTeam: number): readonly WorldObject[] {
  return [
    ...Array.from({ length: 10 }, (_, n) => node(`n${n}`, {}, [`172.18.0.${n + 1}`])),
    ...Array.from({ length: teams }, (_, team) =>
      namespace(`t${team}`, { team: `${team}`, zone: `${team % 5}` }),
    ),
    ...Array.from({ length: teams * podsOfTeam }, (_, n) =>
      pod(`t${n % teams}`, `p${n}`, {
        labels: { app: `${Math.floor(n / teams) % 4}` },
        ips: [`10.${Math.floor(n / 65536)}.${Math.floor(n / 256) % 256}.${n % 256}`],
        node: `n${n % 10}`,
        ports: [{ name: "web", protocol: "tcp", port: 8000 + (n % 3) }],
      }),
    ),
  ];
}

/** Each policy about one team or one zone, with rules about pods, teams, networks and names of ports. */
function guarded(): readonly WorldObject[] {
  const of = (key: string, value: number) => ({ namespaces: { matchLabels: { [key]: `${value}` } } });
  return [
    ...Array.from({ length: policies }, (_, p) =>
      anp(`p${p}`, {
        priority: p % 100,
        subject: p % 2 === 0 ? of("team", p % teams) : of("zone", p % 5),
        ingress: Array.from({ length: rules / 2 }, (__, r) => ({
          action: ["Allow", "Deny", "Pass"][(p + r) % 3],
          from: [of("team", (p * 7 + r) % teams)],
          ...(r % 3 === 0
            ? {}
            : { ports: [r % 3 === 1 ? { namedPort: "web" } : { portNumber: { port: 8000 + r } }] }),
        })),
        egress: Array.from({ length: rules / 2 }, (__, r) => ({
          action: ["Allow", "Deny"][(p + r) % 2],
          to: [
            r % 2 === 0 ? of("team", (p * 3 + r) % teams) : { networks: [`192.168.${(p + r) % 200}.0/24`] },
          ],
        })),
      }),
    ),
    banp({ ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
  ];
}

function workOf(objects: readonly WorldObject[]): ReachWork {
  const model = new OfflineModel({
    dialects: everyDialect.dialects,
    families: null,
    backend: () => noBackend,
  });
  model.observe(objects);
  const reach = new Reach(model.policies(), model.facts);
  Iterator.from(reach.pairs()).forEach(() => undefined);
  return reach.work;
}

test("1,000 pods, 100 policies of 20 rules: bounded work, and ten times the pods cost what they add in kinds", () => {
  const [some, many] = [20, 200].map((count) => workOf([...cluster(count), ...guarded()]));
  expect(some).toBeDefined();
  if (some === undefined || many === undefined) return;
  // A thousand pods are a million pairs, and 2,000 rules against each are 2,000,000,000 questions.
  expect(some.pairs).toBeLessThan(15_000);
  expect(some.rows).toBeLessThan(4_000);
  expect(some.steps).toBeLessThan(12_000);
  expect(some.matches).toBeLessThan(1_500_000);
  // Pods like those that are there already.
  expect(many.pairs).toBe(some.pairs);
  expect(many.rows).toBe(some.rows);
  expect(many.steps).toBe(some.steps);
  expect(many.matches).toBe(some.matches);
});

test("a question that is asked again is not walked again", () => {
  const model = new OfflineModel({
    dialects: everyDialect.dialects,
    families: null,
    backend: () => noBackend,
  });
  model.observe([...cluster(2), ...guarded()]);
  const reach = new Reach(model.policies(), model.facts);
  for (let round = 0; round < 3; round++) Iterator.from(reach.pairs()).forEach(() => undefined);
  const { pairs, rows, steps } = reach.work;
  const once = workOf([...cluster(2), ...guarded()]);
  expect({ pairs, rows, steps }).toEqual({ pairs: once.pairs, rows: once.rows, steps: once.steps });
});

test("the whole catalogue answers for it, and finds what is hidden", () => {
  const hidden = reportOf([...cluster(20), ...guarded()]).findings.filter(({ id }) => id === "NG002");
  expect(hidden.length).toBeGreaterThan(100);
});
