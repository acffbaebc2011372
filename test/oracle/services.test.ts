// Rules about Services behind real load balancers: ovn-trace, with the rows that the controller wrote, against the judge and
// against those who read rows. Through a Service and straight to its pods, in both families, in the order of the other rules.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyDialect } from "../../src/dialects.ts";
import type { PodFact } from "../../src/model/facts.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import { evaluateRows } from "../../src/nbdb/audit/index.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import { openTracer, parseErrors, type Tracer } from "../../tools/sandbox/trace.ts";
import { acnp, annp, service } from "../support/antrea.ts";
import { openController, type TestController } from "../support/controller.ts";
import { ip, namedPort, namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { ExistingReader } from "../support/existing.ts";

const families = ["v4", "v6"] as const;
const inShop = (name: string, home: number, last: number): PodFact =>
  pod("shop", name, {
    ...{ ips: [`10.244.${home}.${last}`, `fd00:0:0:${home}::${last}`], node: `node-${home}` },
    ...{ labels: { app: name }, ports: [namedPort("http", 8080)] },
  });
const [client, web, db] = [inShop("client", 1, 11), inShop("web", 1, 12), inShop("db", 2, 13)];
const pods = [client, web, db];
const nodes = [node("node-1", {}, ["172.18.0.2"]), node("node-2", {}, ["172.18.0.3"])];

/** Behind one port each, so that the load balancer has no choice. `cross` has the pod of one and the port of the other. */
const served = {
  web: { behind: web, port: 80, target: "http", at: 8080 },
  db: { behind: db, port: 5432, target: undefined, at: 5432 },
  cross: { behind: db, port: 80, target: 8080, at: 8080 },
  endless: { behind: web, port: 80, target: 9090, at: 9090 },
} as const;
type Name = keyof typeof served;
const names = Object.keys(served) as Name[];

const services = names.map((name) => {
  const { behind, port, target: targetPort } = served[name];
  const selector = name === "endless" ? {} : { selector: { app: behind.name } };
  return service(name, { ...selector, ports: [targetPort === undefined ? { port } : { port, targetPort }] });
});
const headless = service("headless", {
  clusterIP: "None",
  selector: { app: "web" },
  ports: [{ port: 8080 }],
});
const facts = [namespace("shop"), ...pods, ...nodes, ...services, headless];

/** `through web`, `straight to web`: in one family. */
interface Way {
  readonly text: string;
  readonly connection: Connection;
  /** The Service's address and port; null: straight. */
  readonly through: { readonly ip: ReturnType<typeof ip>; readonly port: number } | null;
}

const vip = (name: Name, family: "v4" | "v6") =>
  ip(family === "v4" ? `10.96.0.${names.indexOf(name) + 1}` : `fd96::${names.indexOf(name) + 1}`);
const addressOf = ({ ips }: PodFact, family: "v4" | "v6") => {
  const [found] = ips.filter((one) => familyOf(one) === family);
  if (found === undefined) throw new Error("no address of the family");
  return found;
};

const ways: readonly Way[] = families.flatMap((family) =>
  names.flatMap((name) => {
    const { behind, port, at } = served[name];
    const from = { ip: addressOf(client, family), pod: client };
    const to = { ip: addressOf(behind, family), pod: behind };
    const straight: Connection = { from, to, protocol: "tcp", port: at };
    return [
      { text: `straight to ${name}`, connection: straight, through: null },
      {
        text: `through ${name}`,
        connection: { ...straight, translated: true },
        through: { ip: vip(name, family), port },
      },
    ];
  }),
);
const everyWay = [...new Set(ways.map(({ text }) => text))];

const through = (action: string, ...services: readonly string[]) => ({
  ...{ action, toServices: services.map((name) => ({ name, namespace: "shop" })) },
});
const ruled = (name: string, priority: number, ...egress: readonly unknown[]) =>
  acnp(name, {
    tier: "platform",
    priority,
    appliedTo: [{ podSelector: { matchLabels: { app: "client" } } }],
    egress,
  });
const dropAll = { action: "Drop" };

type Case = readonly [string, readonly WorldObject[], readonly string[]];
const cases: readonly Case[] = [
  ["Drop", [ruled("p", 1, through("Drop", "web"))], ["through web"]],
  [
    "Drop of two Services, whose pods and ports are not mixed",
    [ruled("p", 1, through("Drop", "web", "db"))],
    ["through web", "through db"],
  ],
  [
    "Allow over Drop",
    [ruled("p", 1, through("Allow", "web", "db"), dropAll)],
    everyWay.filter((text) => text !== "through web" && text !== "through db"),
  ],
  [
    "Allow over Drop of another policy, and a Drop over that",
    [
      ruled("over", 1, through("Drop", "db")),
      ruled("p", 2, through("Allow", "web", "db")),
      ruled("under", 3, through("Drop", "web", "db", "cross")),
    ],
    ["through db", "through cross"],
  ],
  [
    "Pass over Drop, and behind it what a baseline drops",
    [
      ruled("p", 1, through("Pass", "db", "cross"), dropAll),
      annp("base", {
        ...{
          tier: "baseline",
          priority: 1,
          appliedTo: [{ podSelector: { matchLabels: { app: "client" } } }],
        },
        egress: [{ action: "Drop", toServices: [{ name: "cross" }] }],
      }),
    ],
    everyWay.filter((text) => text !== "through db"),
  ],
  ["Reject", [ruled("p", 1, through("Reject", "cross"))], ["through cross"]],
  [
    "an Allow of pods over it, and one under it",
    [
      ruled("p", 1, { action: "Allow", to: [{ podSelector: { matchLabels: { app: "web" } } }] }),
      ruled("q", 2, through("Drop", "web", "db")),
      ruled("r", 3, { action: "Allow", to: [{ podSelector: { matchLabels: { app: "db" } } }] }),
    ],
    ["through db"],
  ],
  [
    "the same place of two policies: Drop comes first",
    [ruled("p", 1, through("Allow", "web", "cross")), ruled("q", 1, through("Drop", "cross", "db"))],
    ["through cross", "through db"],
  ],
  [
    "beside a Service without a selector, whatever came through a Service",
    [ruled("p", 1, through("Drop", "db", "endless"))],
    names.map((name) => `through ${name}`),
  ],
  ["an Allow of one without a selector", [ruled("p", 1, through("Allow", "endless"), dropAll)], everyWay],
  ["headless, and not there", [ruled("p", 1, through("Drop", "headless", "absent"))], []],
];

const slow = patience(60_000);

await describeWithOvn("rules about Services", () => {
  let ovn: Ovn;
  let controller: TestController;
  let reader: ExistingReader;
  const ended: (() => Promise<void>)[] = [];
  const options = { families, zone: null, installed: everyDialect.dialects };

  beforeAll(async () => {
    ovn = await startOvn();
    ended.push(() => ovn.stop());
    await applyCni(ovn, { pods, nodes });
    for (const family of families)
      for (const name of names) {
        const { behind, port, at } = served[name];
        const text = (one: string, number: number) =>
          family === "v4" ? `${one}:${number}` : `[${one}]:${number}`;
        const [address, backend] = [text(vip(name, family), port), text(addressOf(behind, family), at)];
        const lb = `${name}-${family}`;
        await ovn.nbctl("lb-add", lb, address, backend, ...["--", "ls-lb-add", "node-1", lb]);
      }
    const opened = await openController(ovn.nb, facts, options);
    controller = opened.controller;
    reader = await ExistingReader.open(ovn.nb);
    ended.unshift(() => reader.close(), opened.end);
  }, slow);
  afterAll(async () => {
    for (const end of ended) await end();
  }, slow);

  interface Found {
    readonly text: string;
    readonly judge: string;
    readonly rows: string;
    readonly ovn: string;
  }

  /** What each of them says of every way. */
  async function verdicts(policies: readonly WorldObject[]): Promise<readonly Found[]> {
    controller.source.become([...facts, ...policies]);
    await controller.loop.idle();
    expect([...controller.refused.keys()]).toEqual([]);
    const model = new OfflineModel({ dialects: everyDialect.dialects, families, backend: () => noBackend });
    model.observe([...facts, ...policies]);
    const standing = await reader.rows();
    const tracer = await openTracer(ovn, { newConnections: 40 + ways.length * 8 });
    try {
      const found: Found[] = [];
      for (const way of ways) {
        const { from, to, ...more } = way.connection;
        const port = (one: PodFact | null) => (one === null ? null : portOf(one));
        const rows = evaluateRows(standing, {
          ...{ from: { ip: from.ip, port: port(from.pod) }, to: { ip: to.ip, port: port(to.pod) }, ...more },
        });
        found.push({
          text: way.text,
          judge: model.judge(way.connection).verdict,
          rows: rows.verdict,
          ovn: await traced(tracer, way),
        });
      }
      return found;
    } finally {
      await tracer.close();
    }
  }

  async function traced(
    tracer: Tracer,
    { connection: { from, to, port }, through: asked }: Way,
  ): Promise<string> {
    const { verdict } = await tracer.verdict({
      ...{ from: from.pod ?? from, to: to.pod ?? to, protocol: "tcp", port, family: familyOf(to.ip) },
      ...(asked === null ? {} : { through: asked }),
    });
    return verdict === "drop" ? "deny" : "allow";
  }

  const all = (verdict: string) => ({ judge: verdict, rows: verdict, ovn: verdict });

  test.each(cases)(
    "%s",
    async (_, policies, denied) => {
      expect(await verdicts(policies)).toEqual(
        ways.map(({ text }) => ({ text, ...all(denied.includes(text) ? "deny" : "allow") })),
      );
    },
    slow,
  );

  test(
    "in random policies all of them agree, and OVN can read every row",
    async () => {
      const seen = { allow: 0, deny: 0 };
      for (const policies of fc.sample(randomPolicies, { numRuns: 12, seed: 15 })) {
        for (const { text, judge, ...others } of await verdicts(policies)) {
          expect({ text, ...others }).toEqual({ text, rows: judge, ovn: judge });
          seen[judge === "allow" ? "allow" : "deny"]++;
        }
      }
      expect(await parseErrors(ovn)).toEqual([]);
      expect(seen.allow).toBeGreaterThan(40);
      expect(seen.deny).toBeGreaterThan(40);
    },
    patience(120_000),
  );
});

const action = fc.constantFrom("Allow", "Drop", "Pass", "Reject");
const randomRule = fc.oneof(
  fc
    .tuple(action, fc.subarray([...names, "headless", "absent"], { minLength: 1, maxLength: 3 }))
    .map(([word, list]) => through(word, ...list)),
  fc
    .tuple(
      action,
      fc.constantFrom("web", "db"),
      fc.constantFrom(undefined, [{ port: 8080 }], [{ port: "http" }]),
    )
    .map(([word, app, ports]) => ({
      ...{ action: word, to: [{ podSelector: { matchLabels: { app } } }] },
      ...(ports === undefined ? {} : { ports }),
    })),
);
/** Of equal priorities too. */
const randomPolicies = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.array(randomRule, { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((drawn) => drawn.map(([priority, rules], at) => ruled(`p${at}`, priority, ...rules)));
