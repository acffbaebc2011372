// Every feature that Antrea's document shows, by an example of our own: compiled, or told with the reason that docs/antrea.md
// gives; and who decides what, by the meaning of the policies and by OVN with the rows that they become.

import { globSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { parseIp } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isApiObject } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import type { Connection, Step } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { examples } from "./antrea-examples.ts";
import { Cluster } from "./cluster.ts";
import type { Example } from "./example.ts";
import { sorted } from "./worlds.ts";

const kinds = everyDialect;
const folder = "examples/antrea";

function objectsOf({ file }: Example): readonly WorldObject[] {
  const paths = ["examples/multi-tenant/cluster", `${folder}/${file}`];
  const { objects, problems } = loadManifests(paths, kinds.policies, kinds.references);
  expect(problems).toEqual([]);
  return objects;
}

function modelOf(objects: readonly WorldObject[]) {
  const model = new OfflineModel({ dialects: kinds.dialects, families: ["v4"], backend: () => noBackend });
  model.observe(objects);
  return model;
}

/** A connection, and the Service's address and port that its source names; null: it names the destination. */
interface Way {
  readonly connection: Connection;
  readonly through: { readonly ip: IpAddress; readonly port: number } | null;
}

/** `line`: `from > to protocol port: …`, or with `through address port` before the colon. */
function wayOf(objects: readonly WorldObject[], line: string): Way {
  const form = /^(\S+) > (\S+) (\S+) (\d+)(?: through (\S+) (\d+))?:/;
  const [, from, to, protocol, port, address, servicePort] = form.exec(line) ?? [];
  const endOf = (text = "") => {
    const pod = sorted(objects).pods.find(({ namespace, name }) => `${namespace}/${name}` === text) ?? null;
    const ip = pod?.ips[0] ?? parseIp(text);
    if (ip === null) throw new Error(`${line}: ${text} is nobody`);
    return { ip, pod };
  };
  const connection = { from: endOf(from), to: endOf(to), protocol: protocolOf(protocol), port: Number(port) };
  if (address === undefined) return { connection, through: null };
  const through = { ip: endOf(address).ip, port: Number(servicePort) };
  return { connection: { ...connection, translated: true }, through };
}

/** The load balancer of the source's switch, for one connection. */
async function balanced(ovn: Ovn, { connection, through }: Way, ask: () => Promise<void>): Promise<void> {
  const { from, to, port } = connection;
  if (through === null) return ask();
  const at = (ip: IpAddress, number: number) => `${ip}:${number}`;
  const add = ["lb-add", "example", at(through.ip, through.port), at(to.ip, port)];
  await ovn.nbctl(...add, "--", "ls-lb-add", from.pod?.node ?? "", "example");
  await ask();
  await ovn.nbctl("lb-del", "example");
}

function protocolOf(text = ""): Connection["protocol"] {
  const named = (["tcp", "udp", "icmp"] as const).find((one) => one === text);
  return named ?? Number(text);
}

const stepText = ({ policy, direction, rule }: Step) =>
  `, ${policy.ref.name} ${direction}${rule === null ? "" : `[${rule.index}]`}`;

describe.each(examples)("$file", (example) => {
  test("is told what stands in docs/antrea.md, and no policy is refused", () => {
    const told = [...modelOf(objectsOf(example)).records()].flatMap(({ rejected, problems, object }) => {
      expect(rejected).toBe(false);
      return problems.map(
        ({ severity, code, field, message }) =>
          `${severity === "error" ? "" : severity}${object.name}: ${code} ${field}: ${message}`,
      );
    });
    expect(told.sort()).toEqual([...(example.told ?? [])].sort());
    expect(example.file.startsWith("closed/")).toBe(told.length > 0);
  });

  test("decides as it says", () => {
    const objects = objectsOf(example);
    const facts = new FactStore();
    for (const object of objects) if (!isApiObject(object)) facts.put(object);
    const policies = modelOf(objects).policies();
    const decided = example.verdicts.map((line) => {
      const { egress, ingress } = judge(wayOf(objects, line).connection, facts, policies);
      const sides = egress.verdict === "deny" ? [egress] : [egress, ingress];
      const verdict = sides.every((side) => side.verdict === "allow") ? "allow" : "drop";
      const by = sides.flatMap(({ steps }) => steps.map(stepText));
      return `${line.slice(0, line.indexOf(":"))}: ${verdict}${by.join("")}`;
    });
    expect(decided).toEqual(example.verdicts);
  });
});

await describeWithOvn("the rows of the examples", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.open({ installed: kinds.dialects });
  });
  afterAll(async () => {
    await cluster.close();
  });

  test.each(examples)("$file", async (example) => {
    const objects = objectsOf(example);
    await cluster.connect(objects);
    await cluster.become(objects);
    const ways = example.verdicts.map((line) => ({ line, way: wayOf(objects, line) }));
    const straight = ways.filter(({ way }) => way.through === null);
    await traced(straight);
    for (const one of ways.filter(({ way }) => way.through !== null))
      await balanced(cluster.ovn, one.way, () => traced([one]));
  });

  /** Sees the load balancers that are there when it begins. */
  async function traced(ways: readonly { readonly line: string; readonly way: Way }[]): Promise<void> {
    const tracer = await openTracer(cluster.ovn, { newConnections: 40 + ways.length * 8 });
    try {
      for (const { line, way } of ways) {
        const { from, to, protocol, port } = way.connection;
        const ends = { from: from.pod ?? from, to: to.pod ?? to, protocol, port };
        const { verdict } = await tracer.verdict({
          ...ends,
          ...(way.through === null ? {} : { through: way.through }),
        });
        expect(`${line.slice(0, line.indexOf(":"))}: ${verdict}`).toBe(line.replace(/,.*/, ""));
      }
    } finally {
      await tracer.close();
    }
  }

  test("and OVN had no complaint", () => {
    expect(cluster.complaints()).toEqual([]);
  });
});

test("every example is in the table, once", () => {
  const files = globSync(["features/*.yaml", "closed/*.yaml"], { cwd: folder });
  expect(examples.map(({ file }) => file).sort()).toEqual(files.sort());
  const covered = examples.flatMap(({ covers }) => covers);
  expect(new Set(covered).size).toBe(covered.length);
});
