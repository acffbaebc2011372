// What a stranger, a foreign page and a tenant's own names can do to the program that serves the page: nothing. It answers the
// next request.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import { eventually } from "../support/eventually.ts";
import { namespaceOf, podOf, writeJson } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import { rawRequest } from "../support/raw-request.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";

jest.setTimeout(patience(60_000));

/** What once marked a place in what the threads say to each other. */
const mark = "\u0000place x";
let folder: string;
let ui: RunningUi;

const objects = (port: number) => [
  ...[namespaceOf("shop"), podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2")],
  {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
    metadata: { name: "web", namespace: "shop", annotations: { "northgate/lint-ignore": `NG002: ${mark}` } },
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
  },
  {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
    ...{ metadata: { name: "a" } },
    spec: {
      ...{ priority: 1, subject: { namespaces: {} } },
      ingress: [
        { name: mark, action: "Deny", from: [{ namespaces: {} }], ports: [{ portNumber: { port } }] },
      ],
    },
  },
];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
  const write = (name: string, port: number): string => {
    const path = join(folder, name);
    writeJson(path, objects(port));
    return path;
  };
  ui = await startUi("-f", write("now.yaml", 80), "--plan-against", `dir:${write("old.yaml", 81)}`);
});
afterAll(async () => {
  expect(await ui.end()).toBe(0);
  expect(ui.text()).toBe("");
  rmSync(folder, { recursive: true });
});

test.each(["//", "//[", "//a:b", "http://[", "http://localhost:x/", "*", "/%", "/api/pods?q=%&q", "/\\"])(
  "GET %s is answered",
  async (target) => {
    const text = await rawRequest(ui.address, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 (200|400|404) /);
    expect((await fetch(`${ui.address}/api/state`)).status).toBe(200);
  },
);

test("what a tenant writes into an annotation or a name is no place of a file", async () => {
  const key = "NetworkPolicy.networking.k8s.io/shop/web";
  const findings = async () => {
    const response = await fetch(`${ui.address}/api/findings?policy=${key}`);
    return (await response.json()) as {
      isMaking: boolean;
      policies: readonly { findings: readonly { place: string | null; suppressed: string | null }[] }[];
    };
  };
  await eventually(async () => {
    expect((await findings()).isMaking).toBe(false);
  });
  const all = (await findings()).policies.flatMap((one) => one.findings);
  expect(all.map(({ suppressed }) => suppressed)).toContain(mark);
  expect(all.map(({ place }) => place)).toEqual(all.map(() => expect.stringMatching(/now\.yaml:\d+$/)));
});

test("a plan names the rule as it is written, with its place in the file of its world", async () => {
  await eventually(async () => {
    expect(await (await fetch(`${ui.address}/api/plan`)).json()).toMatchObject({ isMaking: false });
  });
  const response = await fetch(`${ui.address}/api/plan/classes?from=shop&to=shop`);
  const { classes } = (await response.json()) as { classes: PlanReport["verdicts"]["changes"] };
  const rules = classes.flatMap(({ by }) =>
    (["old", "new"] as const).flatMap((age) => {
      const { rule } = by[age].ingress;
      return rule === undefined ? [] : [[age, rule.name, rule.place]];
    }),
  );
  expect(rules.length).toBeGreaterThan(0);
  for (const [age, name, place] of rules) {
    expect(name).toBe(age === "old" ? "" : mark);
    expect(place).toMatch(age === "old" ? /old\.yaml:\d+$/ : /now\.yaml:\d+$/);
  }
});
