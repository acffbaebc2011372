// `northgate plan --flows`: which recorded connections change, by which rules, and the exit codes of docs/plan.md.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { planAnswer } from "../../src/cli/plan-answer.ts";
import { readPlanConfig } from "../../src/config/answers/plan.ts";
import type { ConfigInput } from "../../src/config/values.ts";
import type { Manifest } from "../support/manifests.ts";
import { isolating, namespaceOf, nodeOf, podOf, written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";

let folder: string;
let file: string;

const whole = [
  ...[namespaceOf("shop"), nodeOf("n"), podOf("shop", "web", "10.0.0.1")],
  ...[podOf("shop", "db", "10.0.0.2"), podOf("shop", "job", "10.0.0.3")],
];
const fromWeb = isolating("shop", "deny", { app: "db" }, [{ podSelector: { matchLabels: { app: "web" } } }]);

const pod = (name: string, ip: string) => ({ ip, pod: { namespace: "shop", name } });
const [web, db, job] = [pod("web", "10.0.0.1"), pod("db", "10.0.0.2"), pod("job", "10.0.0.3")];
const time = "2026-11-28T05:00:00.000Z";
const flow = (from: unknown, to: unknown, connections: number, more: object = {}) => ({
  ...{ from, to, protocol: "tcp", port: 5432, connections, verdict: "allow", first: time, last: time },
  ...more,
});

function record(...connections: readonly unknown[]): void {
  const missed = { lost: 2, undirected: 0, beyondLimit: 0 };
  const value = { schema: "northgate.flows/1", since: time, until: time, notes: [], missed, connections };
  writeFileSync(file, JSON.stringify(value));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-plan-flows-"));
  file = join(folder, "flows.json");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function answered(old: readonly Manifest[], next: readonly Manifest[], flags: ConfigInput["flags"] = {}) {
  const [was, is] = [written(folder, "old", ...old), written(folder, "new", ...next)];
  const world = { filename: [is], against: [`dir:${was}`], flows: [file] };
  return planAnswer(readPlanConfig({ flags: { ...world, ...flags }, environment: {} }));
}

const denied = { "fail-on": ["allow-to-deny"] };
const lenient = { ...denied, "allow-unjudged": ["true"] };

test("names the connections that change, most often opened first, and those that were not judged", async () => {
  const far = { ip: "198.51.100.1", pod: null };
  const removed = pod("old", "10.0.0.9");
  record(flow(far, db, 2), flow(job, db, 40), flow(web, db, 100), flow(removed, db, 7), flow(db, web, 1));
  const { flows, code } = await answered(whole, [...whole, fromWeb]);
  expect(code).toBe(2);
  expect(flows?.recorded).toEqual({ flows: 5, connections: 150 });
  expect(flows?.changed).toEqual({ flows: 2, connections: 42 });
  expect(flows?.changes.map((one) => [one.from, one.old, one.new])).toEqual([
    [job, "allow", "deny"],
    [far, "allow", "deny"],
  ]);
  expect(flows?.changes[0]?.by.old.ingress).toMatchObject({ by: "default" });
  expect(flows?.changes[0]?.by.new.ingress).toMatchObject({ by: "isolation", policy: { name: "deny" } });
  expect(flows?.unjudged.map(({ from, why }) => [from, why])).toEqual([
    [removed, "pod shop/old is not there before"],
  ]);
});

test("a gate asks about recorded connections alone: codes without it, with it, and with --allow-unjudged", async () => {
  const codes = async () => {
    const all = [await answered(whole, [...whole, fromWeb])];
    for (const flags of [denied, lenient]) all.push(await answered(whole, [...whole, fromWeb], flags));
    return all.map(({ code }) => code);
  };
  record(flow(job, db, 1));
  expect(await codes()).toEqual([2, 2, 2]);
  record(flow(web, db, 1));
  expect(await codes()).toEqual([2, 0, 0]);
  record(flow(web, db, 1), flow(web, db, 1, { protocol: 47, port: null }));
  expect(await codes()).toEqual([2, 1, 0]);
});

test("counts connections that were seen otherwise than the old world says", async () => {
  record(flow(web, db, 3, { verdict: "deny" }), flow(job, db, 4));
  const { flows } = await answered([...whole, fromWeb], [...whole, fromWeb]);
  expect(flows).toMatchObject({ otherwise: { flows: 2, connections: 7 }, changed: { flows: 0 } });
});

test("prints them for people and as data, and refuses what cannot be", () => {
  record(flow(job, db, 40));
  const [was, is] = [written(folder, "old", ...whole), written(folder, "new", ...whole, fromWeb)];
  const ran = (...flags: readonly string[]) =>
    northgate("plan", "-f", is, "--against", `dir:${was}`, "--flows", file, ...flags);
  const table = ran();
  expect(table.code).toBe(2);
  const open = "no policy decides, so it is allowed";
  expect(table.stdout.split("\n").slice(0, 5)).toEqual([
    `Recorded       1 distinct connection, opened 40 times, ${time} to ${time}`,
    "Changed        1 distinct connection, opened 40 times",
    "allow → deny   shop/job → shop/db tcp 5432   opened 40 times",
    `               before: on its way out, ${open}; where it arrives, ${open}`,
    `               after: on its way out, ${open}; where it arrives, NetworkPolicy shop/deny isolates the pod, and no rule allows it`,
  ]);
  expect(table.stdout).toContain("2 events that were not taken in time");
  expect(JSON.parse(ran("-o", "json").stdout)).toMatchObject({
    schema: "northgate.plan/1",
    flows: { changed: { flows: 1, connections: 40 } },
  });
  expect(ran("-o", "sarif")).toMatchObject({ code: 1, stdout: "" });
  writeFileSync(file, "{}");
  const refused = ran();
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(`--flows ${file}: schema: `);
});
