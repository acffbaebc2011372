// Workloads without pods, and the network plugin of --cni, on the page: what is said is what the commands say; and in Chromium a
// workload is found, chosen and asked about.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Answer } from "../../src/explain/answer.ts";
import type { PodOverview } from "../../src/explain/overview.ts";
import type { Report } from "../../src/lint/finding.ts";
import type { PlanReport } from "../../src/plan/report.ts";
import type { FindingsShown, PlanShown, PodShown, PoliciesShown, StateShown } from "../../src/ui/shown.ts";
import type { FoundPods } from "../../src/ui/search/pods.ts";
import { Browser, chromiumOrSkip } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { isolating, namespaceOf, nodeOf, podOf, written, type Manifest } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import { startUi, type RunningUi } from "../support/ui.ts";

jest.setTimeout(patience(120_000));

const deployment = (name: string, port: number): Manifest => ({
  ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { namespace: "shop", name } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", ports: [{ name: "main", containerPort: port }] }] },
    },
  },
});
const netpol = (name: string, spec: object): Manifest => ({
  ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { namespace: "shop", name } },
  spec,
});
const cluster = [
  ...[namespaceOf("shop"), nodeOf("n"), podOf("shop", "probe", "10.0.0.7")],
  ...[deployment("web", 8080), deployment("db", 5432)],
];
const closed = isolating("shop", "closed");
const db = (port: number) =>
  netpol("db", {
    podSelector: { matchLabels: { app: "db" } },
    ingress: [{ from: [{ podSelector: { matchLabels: { app: "web" } } }], ports: [{ port }] }],
  });
const inside = netpol("inside", {
  podSelector: { matchLabels: { app: "probe" } },
  policyTypes: ["Egress"],
  egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }],
});
const questions = [
  { from: "shop/deploy/web", to: "shop/deploy/db", protocol: "tcp", port: 5432 },
  { from: "shop/deploy/web", to: "shop/deploy/db", protocol: "tcp", port: 80 },
  { from: "shop/deploy/web", to: "shop/deploy/db", protocol: "icmp" },
  { from: "shop/probe", to: "shop/deploy/db", protocol: "tcp", port: 5432 },
  { from: "shop/probe", to: "172.18.0.2", protocol: "tcp", port: 22 },
  { from: "172.18.0.2", to: "shop/probe", protocol: "tcp", port: 22 },
];

let folder: string;
let now: string;
let old: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
  now = written(folder, "now", ...cluster, closed, db(5432), inside);
  old = written(folder, "old", ...cluster, closed, db(80), inside);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever asks knows the shape
const json = <T>(...args: readonly string[]): T => JSON.parse(northgate(...args, "-o", "json").stdout) as T;
const got = async <T>(ui: RunningUi, path: string): Promise<T> =>
  (await fetch(`${ui.address}/api/${path}`)).json() as Promise<T>;
/** An answer of JSON that is not being made any more. */
const made = async <T extends { readonly isMaking: boolean }>(ui: RunningUi, path: string): Promise<T> => {
  let told = await got<T>(ui, path);
  await eventually(async () => {
    told = await got<T>(ui, path);
    expect(told.isMaking).toBe(false);
  });
  return told;
};

test.each(["ovn", "generic", "cilium"])("--cni %s: the answers are those of the commands", async (cni) => {
  const flags = ["-f", now, "--cni", cni];
  const file = join(folder, `${cni}.json`);
  writeFileSync(file, JSON.stringify(questions));
  const answers = json<readonly Answer[]>("explain", ...flags, "--connections", file, "--all");
  const ui = await startUi(...flags, "--plan-against", `dir:${old}`);
  try {
    const state = await got<StateShown>(ui, "state");
    expect(state).toMatchObject({ cni, counts: { pods: 1, workloads: 2, policies: 3 } });
    expect(state.problems.shown).toEqual([]);
    for (const [at, question] of questions.entries()) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(question)) query.set(name, String(value));
      expect(await got(ui, `explain?${query.toString()}`)).toMatchObject({ ...answers[at] });
    }
    const overview = json<PodOverview>("get", "pod", "shop/deploy/db", ...flags);
    const pod = await got<PodShown>(ui, "pod?pod=shop/deploy/db");
    expect(pod).toMatchObject({ ...overview, pod: "shop/db (Deployment)", end: "shop/deploy/db" });
    expect(pod.ingress.length).toBeGreaterThan(1);
    const { policies } = await got<PoliciesShown>(ui, "policies");
    const lint = json<Report>("lint", ...flags).findings;
    const keys = policies.map(({ key }) => `policy=${key}`).join("&");
    const { policies: found } = await made<FindingsShown>(ui, `findings?${keys}`);
    const ids = found.flatMap(({ findings }) => findings.map(({ id }) => id));
    const own = lint.filter(({ policy }) => policy.kind === "NetworkPolicy");
    expect(ids.toSorted()).toEqual(own.map(({ id }) => id).toSorted());
    const report = json<PlanReport>("plan", ...flags, "--against", `dir:${old}`);
    const plan = await made<PlanShown>(ui, "plan");
    expect([plan.verdicts.total, plan.rows === null]).toEqual([
      report.verdicts.changes.length,
      cni !== "ovn",
    ]);
    expect(plan.verdicts.total).toBeGreaterThan(0);
  } finally {
    expect([await ui.end(), ui.text()]).toEqual([0, ""]);
  }
});

test("a workload comes with its file, is lent by the other world, and leaves for its first pod", async () => {
  const policies = written(folder, "policies", closed);
  const ui = await startUi("-f", policies, "--plan-against", `dir:${old}`);
  const titles = async (): Promise<readonly string[]> =>
    (await got<FoundPods>(ui, "pods?q=shop")).pods.map(({ title }) => title);
  try {
    expect(await titles()).toEqual(["shop/db (Deployment)", "shop/probe", "shop/web (Deployment)"]);
    writeFileSync(
      join(policies, "own.yaml"),
      [deployment("own", 80), { ...deployment("own", 80), metadata: { name: "bad name" } }]
        .map((one) => JSON.stringify(one))
        .join("\n---\n"),
    );
    await eventually(async () => {
      // A world with Deployments of its own is lent none.
      expect(await titles()).toContain("shop/own (Deployment)");
      expect((await got<StateShown>(ui, "state")).problems.shown.join()).toContain("own.yaml:");
    });
    const owned = podOf("shop", "own-1", "10.0.0.8", { app: "own" });
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "own", controller: true }];
    const metadata = { ...(owned["metadata"] as object), ownerReferences };
    writeFileSync(join(policies, "pod.yaml"), JSON.stringify({ ...owned, metadata }));
    await eventually(async () => {
      const present = await titles();
      expect(present).toContain("shop/own-1");
      expect(present).not.toContain("shop/own (Deployment)");
    });
  } finally {
    expect([await ui.end(), ui.text()]).toEqual([0, ""]);
  }
});

const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("in Chromium", () => {
  let ui: RunningUi;
  let browser: Browser;

  beforeAll(async () => {
    ui = await startUi("-f", now, "--cni", "generic", "--plan-against", `dir:${old}`);
    browser = await Browser.start(program!);
  });
  afterAll(async () => {
    await browser.close();
    expect(await ui.end()).toBe(0);
  });

  test("a workload is found by its kind, its rules are shown, and it is an end of a question", async () => {
    const page = await browser.open();
    await page.look(1280, 900, "light");
    await page.go(`${ui.address}/?view=pod`);
    expect(await page.run(`document.getElementById('world').innerText`)).toBe(
      "1 pod, 2 workloads without pods, 3 policies, network plugin generic",
    );
    await page.run(`document.querySelector('[role=combobox]').focus()`);
    await page.press("deployment");
    await page.until(`document.querySelectorAll('[role=option]').length === 2`);
    const options = `[...document.querySelectorAll('[role=option]')].map((one) => one.firstChild.textContent)`;
    expect(await page.run(options)).toEqual(["shop/db (Deployment)", "shop/web (Deployment)"]);
    await page.press("ArrowDown", "Enter");
    await page.until(`document.querySelector('h1.name')?.textContent === 'shop/db (Deployment)'`);
    expect(await page.run("location.search")).toBe("?view=pod&pod=shop%2Fdeploy%2Fdb");
    expect(await page.run(`document.querySelectorAll('[data-side=ingress] .card').length`)).toBe(
      json<PodOverview>("get", "pod", "shop/deploy/db", "-f", now, "--cni", "generic").ingress.length,
    );
    await page.run(`document.querySelector('.facts a[href^="?view=tester"]').click()`);
    await page.until(`location.search === "?view=tester&from=shop%2Fdeploy%2Fdb"`);
    await page.go(`${ui.address}/?view=tester&from=shop/deploy/web&to=shop/deploy/db&protocol=tcp&port=5432`);
    expect(await page.run(`document.querySelector('.said .word').innerText.trim()`)).toBe("allowed");
    expect(await page.run(`document.querySelector('.said .sentence').textContent`)).toContain(
      "shop/web (Deployment) may open tcp 5432 to shop/db (Deployment)",
    );
    await page.go(`${ui.address}/?view=tester&from=shop/deploy/web&to=shop/deploy/db&protocol=icmp`);
    expect(await page.run(`document.querySelector('.said .word').innerText.trim()`)).toBe("cannot tell");
    expect(await page.run(`document.querySelector('.said .caveat').textContent`)).toMatch(
      /^Plugin .*kubernetes.io/,
    );
  });

  test("the order counts workloads, and a plan of a cluster without OVN says nothing of rows", async () => {
    const page = await browser.open();
    await page.go(`${ui.address}/?view=order`);
    const cells = `[...document.querySelectorAll('.order [data-label=Pods]')].map((one) => one.innerText)`;
    expect((await page.run<readonly string[]>(cells)).toSorted()).toEqual([
      "1",
      "1 workload",
      "1, 2 workloads",
    ]);
    await page.go(`${ui.address}/?view=plan`);
    await page.until(`document.querySelector('.matrix a') !== null`);
    expect(await page.text()).not.toMatch(/\brows?\b/);
    await page.run(`document.querySelector('.matrix a').click()`);
    await page.until(`document.querySelector('.class .members') !== null`);
    expect(await page.run(`document.querySelector('.class .members').textContent`)).toContain(
      "shop/db (Deployment)",
    );
  });
});
