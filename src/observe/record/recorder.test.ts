// Events → the record of connections: counted once for all rules on a packet's way, bounded, and read again as it was written.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { parseIp } from "../../model/ip.ts";
import type { Direction } from "../../policy/ir.ts";
import type { SeenEnd, SeenEvent, SeenVerdict } from "../decode/event.ts";
import { readFlowsFile } from "./record.ts";
import { Recorder } from "./recorder.ts";

const folder = mkdtempSync(join(tmpdir(), "ng-flows-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const policy = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "shop", name: "one" };
const end = (name: string, text: string): SeenEnd => {
  const ip = parseIp(text);
  if (ip === null) throw new Error(text);
  return { ip, pod: name === "" ? null : { namespace: "shop", name } };
};
const [web, db, far] = [end("web", "10.0.0.1"), end("db", "10.0.0.2"), end("", "198.51.100.1")];

const event = (verdict: SeenVerdict, direction: Direction, more: Partial<SeenEvent> = {}): SeenEvent => ({
  time: "2026-11-28T05:00:01.000Z",
  ...{ verdict, connection: "new", from: web, to: db, protocol: "tcp", sourcePort: 40_000, port: 5432 },
  ...{ icmp: null, isReply: false, number: 1 },
  rule: { policy, direction, rule: 0, action: "allow", word: "Allow" },
  ...more,
});

const since = "2026-11-28T05:00:00.000Z";
const until = "2026-11-28T06:00:00.000Z";

test("a connection counts once for the rules on both sides and those that pass", () => {
  const recorder = new Recorder();
  for (const sourcePort of [40_000, 40_001, 40_002]) {
    recorder.add(event("passed", "egress", { sourcePort }));
    recorder.add(event("allowed", "egress", { sourcePort }));
    recorder.add(event("allowed", "ingress", { sourcePort }));
  }
  recorder.add(event("allowed", "ingress", { connection: "established" }));
  recorder.add(event("dropped", "ingress", { from: far, time: "2026-11-28T05:30:00.000Z" }));
  recorder.add(event("passed", "ingress", { to: web, from: db }));
  const { connections } = recorder.record({ since, until, nodes: null });
  expect(connections.map((one) => [one.from, one.verdict, one.connections])).toEqual([
    [web, "allow", 3],
    [far, "deny", 1],
    [db, "unknown", 1],
  ]);
});

test("what is dropped on one side is denied, and a pod with another address is the same end", () => {
  const recorder = new Recorder();
  recorder.add(event("allowed", "egress"));
  recorder.add(event("dropped", "ingress"));
  recorder.add(event("allowed", "egress", { to: end("db", "10.0.0.9"), time: "2026-11-28T05:00:09.000Z" }));
  const { connections } = recorder.record({ since, until, nodes: null });
  expect(connections).toEqual([
    expect.objectContaining({
      ...{ verdict: "deny", connections: 2 },
      ...{ first: "2026-11-28T05:00:01.000Z", last: "2026-11-28T05:00:09.000Z" },
    }),
  ]);
});

test("of several nodes, an address has the name that another node knows, while one pod alone has it", () => {
  const recorder = new Recorder();
  const unnamed = ({ ip }: SeenEnd): SeenEnd => ({ ip, pod: null });
  const at = (seconds: number) => new Date(Date.parse(since) + seconds * 1000).toISOString();
  recorder.add(event("allowed", "egress", { to: unnamed(db), time: at(1) }));
  recorder.add(event("allowed", "ingress", { from: unnamed(web), time: at(2) }));
  // Long after anybody has seen the pod there.
  recorder.add(event("allowed", "egress", { to: unnamed(db), port: 1, time: at(600) }));
  // An address of two pods.
  for (const name of ["one", "two"])
    recorder.add(event("allowed", "ingress", { to: end(name, "10.0.0.3"), port: 2, time: at(3) }));
  recorder.add(event("allowed", "egress", { to: end("", "10.0.0.3"), port: 2, time: at(3) }));
  const shown = (nodes: readonly string[] | null) =>
    recorder
      .record({ since, until, nodes })
      .connections.map(({ from, to, port, connections }) =>
        [from.pod?.name, to.pod?.name, port, connections].join(" "),
      )
      .sort();
  expect(shown(["n1", "n2"])).toEqual([
    "web  1 1",
    "web  2 1",
    "web db 5432 1",
    "web one 2 1",
    "web two 2 1",
  ]);
  expect(shown(null)).toEqual(
    [" db 5432 1", "web  1 1", "web  2 1", "web  5432 1", "web one 2 1", "web two 2 1"].sort(),
  );
});

test("beyond its limit, and of what is not known, it counts events and keeps none", () => {
  const recorder = new Recorder(2);
  for (const port of [1, 2, 3, 3]) recorder.add(event("allowed", "egress", { port }));
  recorder.add(event("allowed", "egress", { port: 2 }));
  recorder.add(event("allowed", "egress", { isReply: null, port: 1 }));
  recorder.addLost(7);
  const { connections, missed } = recorder.record({ since, until, nodes: null });
  expect(connections.map(({ port, connections: opened }) => [port, opened])).toEqual([
    [2, 2],
    [1, 1],
  ]);
  expect(missed).toEqual({ lost: 7, undirected: 1, beyondLimit: 2 });
});

test("a record is read as it was written; what is none is refused by its field", () => {
  const recorder = new Recorder();
  recorder.add(event("allowed", "egress"));
  recorder.add(event("dropped", "egress", { protocol: 47, port: null, to: far }));
  recorder.addNote("rows have no samples");
  const record = recorder.record({ since, until, nodes: null });
  const path = join(folder, "flows.json");
  const written = (value: unknown): string => {
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  expect(readFlowsFile(written(record))).toEqual(record);
  const [first] = record.connections;
  for (const [field, value] of [
    ["schema", { ...record, schema: "northgate.flows/9" }],
    ["connections[0].port", { ...record, connections: [{ ...first, port: 70_000 }] }],
    ["connections[0].from.ip", { ...record, connections: [{ ...first, from: { ip: "10.0.0.300" } }] }],
    ["missed.lost", { ...record, missed: {} }],
  ] as const)
    expect(() => readFlowsFile(written(value))).toThrow(`--flows ${path}: ${field}: `);
  expect(() => readFlowsFile(join(folder, "none.json"))).toThrow("ENOENT");
});
