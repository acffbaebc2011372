// The page in Debian's Chromium, served by `northgate ui` over random clusters that are compared with one another: what it shows
// is what the commands say, names are text, it follows the files, it can be used with keys alone, and nothing comes
// from anywhere but its own origin.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Answer } from "../../src/explain/answer.ts";
import type { ListedPolicy, PodOverview } from "../../src/explain/overview.ts";
import type { Report } from "../../src/lint/finding.ts";
import { classesOf, matrixOf } from "../../src/plan/matrix.ts";
import type { PlanReport } from "../../src/plan/report.ts";
import { Browser, chromiumOrSkip, type Page } from "../support/chromium.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";
import { expectNoComplaints } from "./complaints.ts";
import { drawWorlds, hostile, podNames, writeWorld } from "./world.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("the page", () => {
  let folder: string;
  let now: string;
  let old: string;
  let ui: RunningUi;
  let browser: Browser;
  let page: Page;
  let lint: Report;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
    [now, old] = [join(folder, "now"), join(folder, "old")];
    const [one, other] = drawWorlds(18, 2);
    writeWorld(now, one!);
    writeWorld(old, other!);
    lint = json<Report>("lint", "-f", now);
    ui = await startUi("-f", now, "--plan-against", `dir:${old}`);
    browser = await Browser.start(program!);
    page = await browser.open();
    await page.look(1280, 900, "light");
  });
  afterAll(async () => {
    await browser.close();
    expect(await ui.end()).toBe(0);
    expect(ui.text()).toBe("");
    rmSync(folder, { recursive: true });
  });

  /** After each test: nothing was asked of anybody else, nothing was refused, and nothing has failed. */
  afterEach(() => {
    const asked = page.events.flatMap(({ method, params }) =>
      method === "Network.requestWillBeSent" ? [(params["request"] as { url: string }).url] : [],
    );
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((url) => !url.startsWith(`${ui.address}/`))).toEqual([]);
    expectNoComplaints(page);
  });

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever asks knows the shape
  const json = <T>(...args: readonly string[]): T => JSON.parse(northgate(...args, "-o", "json").stdout) as T;
  const go = (query: string) => page.go(`${ui.address}/${query}`);
  const pod = podNames[0]!;

  /** Of each card of a side: look, verdict, place, by tier in the order of the page. */
  const cards = (side: string) =>
    page.run<readonly string[]>(
      `[...document.querySelectorAll('[data-side=${side}] .card')].map((card) => [
        card.closest('.tier').dataset.tier,
        card.closest('.policy').querySelector('h4').textContent,
        card.querySelector('.at')?.textContent ?? 'isolation',
        card.querySelector('.verdict').textContent,
      ].join(' '))`,
    );

  test("a pod: its rules, tier by tier in the order of `get pod`, with what lint says never decides", async () => {
    let shadowed = 0;
    for (const name of podNames.filter((_, at) => at % 2 === 0)) {
      await go(`?view=pod&pod=${name}`);
      const told = json<PodOverview>("get", "pod", name, "-f", now);
      for (const direction of ["ingress", "egress"] as const) {
        const wanted = told[direction].map(({ tier, policy, rule }) => {
          const ref = policy.namespace === null ? policy.name : `${policy.namespace}/${policy.name}`;
          const action = rule?.action ?? "deny";
          const at = rule === null ? "isolation" : `${direction}[${rule.index}]`;
          return [tier, ref, at, action[0]!.toUpperCase() + action.slice(1)].join(" ");
        });
        expect([name, ...(await cards(direction))]).toEqual([name, ...wanted]);
        const grey = await page.run<number>(
          `document.querySelectorAll('[data-side=${direction}] .card.shadowed .remark').length`,
        );
        const never = told[direction].filter(({ policy, rule }) =>
          lint.findings.some(
            (one) =>
              ["NG001", "NG002", "NG004"].includes(one.id) &&
              one.policy.name === policy.name &&
              one.rule?.direction === direction &&
              one.rule.index === rule?.index,
          ),
        );
        expect(grey).toBe(never.length);
        shadowed += grey;
      }
    }
    expect(shadowed).toBeGreaterThan(0);
  });

  test("the tester: the verdict, who decides, who loses and what was missing are those of `explain`", async () => {
    const seen = new Set<string>();
    const questions = [
      { from: podNames[0]!, to: podNames[3]!, protocol: "tcp", port: 80 },
      { from: podNames[1]!, to: podNames[2]!, protocol: "tcp", port: 5432 },
      { from: podNames[4]!, to: podNames[5]!, protocol: "tcp", port: 443 },
      { from: podNames[2]!, to: "192.0.2.7", protocol: "tcp", port: 443 },
    ];
    const file = join(folder, "questions.json");
    writeFileSync(file, JSON.stringify(questions));
    const answers = json<readonly Answer[]>("explain", "-f", now, "--connections", file, "--all");
    for (const [at, { from, to, port }] of questions.entries()) {
      await go(`?view=tester&from=${from}&to=${to}&protocol=tcp&port=${port}`);
      const answer = answers[at]!;
      seen.add(answer.verdict);
      const word = { allow: "allowed", deny: "denied", unknown: "cannot tell" }[answer.verdict];
      expect(await page.run(`document.querySelector('.said .word').innerText.trim()`)).toBe(word);
      const sentence = await page.run<string>(`document.querySelector('.said .sentence').textContent`);
      expect(sentence.includes(answer.verdict === "deny" ? "may not open" : "may open")).toBe(
        answer.verdict !== "unknown",
      );
      for (const direction of ["egress", "ingress"] as const) {
        const side = answer[direction]!;
        const texts = (look: string) =>
          page.run<readonly string[]>(
            `[...document.querySelectorAll('[data-side=${direction}] .card.${look}')].map((card) => card.closest('.policy').querySelector('h4').textContent + ' ' + (card.querySelector('.at')?.textContent ?? 'isolation'))`,
          );
        const named = (
          all: readonly {
            policy: { name: string; namespace: string | null };
            rule: { index: number } | null;
          }[],
        ) =>
          all.map(({ policy, rule }) => {
            const ref = policy.namespace === null ? policy.name : `${policy.namespace}/${policy.name}`;
            return `${ref} ${rule === null ? "isolation" : `${direction}[${rule.index}]`}`;
          });
        const decider = side.by === "rule" ? [{ policy: side.policy!, rule: side.rule! }] : [];
        const isolating = side.by === "isolation" ? [{ policy: side.policies![0]!, rule: null }] : [];
        expect(await texts("decides")).toEqual(named([...decider, ...isolating]));
        expect([...(await texts("lost"))].sort()).toEqual([...named(side.lost ?? [])].sort());
        expect([...(await texts("near"))].sort()).toEqual([...named(side.near ?? [])].sort());
        expect([...(await texts("passes"))].sort()).toEqual([...named(side.steps)].sort());
        const missing = await page.run<readonly string[]>(
          `[...document.querySelectorAll('[data-side=${direction}] .missing')].map((one) => one.textContent).sort()`,
        );
        expect(missing).toEqual(
          (side.near ?? []).map(({ wanted, has }) => `wants ${wanted}, has ${has}`).sort(),
        );
        expect(
          await page.run(`document.querySelectorAll('[data-side=${direction}] .card.lost s').length`),
        ).toBe(side.lost?.length ?? 0);
      }
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  test("a question that cannot be answered is told as `explain` tells it", async () => {
    await go("?view=tester&from=nobody/here&to=10.0.0.3&protocol=tcp&port=80");
    expect(await page.text()).toContain('there is no pod "nobody/here"');
    await go(`?view=tester&from=${pod}&to=10.0.0.3&protocol=tcp&port=99999`);
    expect(await page.text()).toMatch(/port: .*65535/);
    await go("?view=pod&pod=nobody/here");
    expect(await page.text()).toContain('there is no pod "nobody/here"');
  });

  test("the order: every policy as `get` lists it, with what `lint` found", async () => {
    await go("?view=order");
    const rows = await page.run<readonly (readonly string[])[]>(
      `[...document.querySelectorAll('.order tbody tr')].map((row) => [...row.querySelectorAll('td, th .name')].map((cell) => cell.innerText.trim()))`,
    );
    const policies = json<readonly ListedPolicy[]>("get", "-f", now);
    const { findings } = lint;
    const titles = { admin: "Admin", namespaced: "Namespaced", baseline: "Baseline" };
    const marks = ({ policy }: ListedPolicy) => {
      const own = findings.filter((one) => one.policy.name === policy.name && one.suppressed === null);
      const words = (["error", "warning", "info"] as const).flatMap((severity) => {
        const count = own.filter((one) => one.severity === severity).length;
        return count === 0 ? [] : [`${count} ${severity}${count === 1 || severity === "info" ? "" : "s"}`];
      });
      return words.length === 0 ? "nothing found" : words.join("");
    };
    expect(rows.map((row) => row.map((cell) => cell.replaceAll(/\s+(?=\d)/g, "")))).toEqual(
      policies.map((one) => [
        ...[
          String(one.order),
          one.policy.namespace === null ? one.policy.name : `${one.policy.namespace}/${one.policy.name}`,
        ],
        ...[titles[one.tier], String(one.priority ?? "–"), String(one.subjects)],
        ...[
          String(one.rules.ingress),
          String(one.rules.egress),
          one.state === "in force" ? "valid" : one.state,
          marks(one),
        ],
      ]),
    );
    await go("?view=order&q=closed");
    expect(await page.run(`document.querySelectorAll('.order tbody tr').length`)).toBe(1);
  });

  test("the plan: a cell for each pair of namespaces that changes, and its classes; an example leads to the tester", async () => {
    await go("?view=plan");
    const report = json<PlanReport>("plan", "-f", now, "--against", `dir:${old}`);
    const { cells } = matrixOf(report.verdicts);
    expect(cells.length).toBeGreaterThan(3);
    const shown = await page.run<readonly string[]>(
      `[...document.querySelectorAll('.matrix a')].map((one) => new URLSearchParams(new URL(one.href).search)).map((query) => query.get('from') + ' ' + query.get('to'))`,
    );
    expect([...shown].sort()).toEqual(cells.map(({ from, to }) => `${from} ${to}`).sort());
    const labels = await page.run<readonly string[]>(
      `[...document.querySelectorAll('.matrix a')].map((one) => one.getAttribute('aria-label'))`,
    );
    expect(labels.every((label) => /: \d+ class(es)?(: \d+)? \w+ to \w+/.test(label))).toBe(true);
    const [{ from, to } = { from: "", to: "" }] = cells;
    await page.run(`document.querySelector('.matrix a').click()`);
    await page.until(`document.querySelector('.classes li') !== null`);
    const [first] = shown;
    const classes = classesOf(report.verdicts, first!.split(" ")[0]!, first!.slice(first!.indexOf(" ") + 1));
    expect(await page.run(`document.querySelectorAll('.class').length`)).toBe(Math.min(20, classes.length));
    expect(from + to).not.toBe("");
    const changes = await page.run<readonly string[]>(
      `[...document.querySelectorAll('.class .change')].map((one) => one.innerText.replaceAll(/\\s+/g, ' ').trim())`,
    );
    const words = { allow: "allowed", deny: "denied", unknown: "cannot tell" };
    expect(changes).toEqual(classes.slice(0, 20).map((one) => `${words[one.old]} becomes ${words[one.new]}`));
    await page.run(`[...document.querySelectorAll('.class a')].at(0).click()`);
    await page.until(`document.querySelector('.said .word') !== null`);
    expect(await page.run(`document.querySelector('.said .word').innerText.trim()`)).toBe(
      words[classes[0]!.new],
    );
  });

  test("names are text: of rules, of what is searched, of what is asked", async () => {
    expect(northgate("get", "rules", "-f", now, "-o", "json").stdout).toContain("onerror");
    const query = encodeURIComponent(hostile);
    const seen: string[] = [];
    for (const view of [
      `?view=pod&pod=${pod}`,
      `?view=pod&pod=${query}`,
      `?view=order&q=${query}`,
      `?view=${query}`,
    ]) {
      await go(view);
      const { html, text } = await page.run<{ html: string; text: string }>(
        `({ html: [...document.querySelectorAll('main img, main script, body > script, [onerror]')].length + '', text: document.body.innerText })`,
      );
      expect([view, html]).toEqual([view, "0"]);
      expect(text).not.toContain("\u202e");
      if (text.includes("<img src=x onerror=")) seen.push(view);
    }
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(await page.run("document.title")).toContain("Northgate");
  });

  test("keys alone: a pod is found, chosen and asked about", async () => {
    await go("?view=pod");
    await page.run(`document.body.focus()`);
    for (let presses = 0; presses < 12; presses++) {
      if (await page.run<boolean>(`document.activeElement?.getAttribute('role') === 'combobox'`)) break;
      await page.press("Tab");
    }
    await page.press("green");
    await page.until(`document.querySelectorAll('[role=option]').length === 2`);
    await page.press("ArrowDown", "ArrowDown");
    expect(
      await page.run(
        `document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent`,
      ),
    ).toContain("green/web");
    await page.press("Enter");
    await page.until(`document.querySelector('h1.name')?.textContent === 'green/web'`);
    expect(await page.run("location.search")).toBe("?view=pod&pod=green%2Fweb");
    await page.settled();
    expect(await page.run(`document.getElementById('said').textContent`)).toMatch(/green\/web: \d+ egress/);
  });

  test("every verdict on the page is a word with a shape", async () => {
    await go(`?view=tester&from=${podNames[1]}&to=${podNames[2]}&protocol=tcp&port=5432`);
    const marks = await page.run<readonly (readonly string[])[]>(
      `[...document.querySelectorAll('.verdict')].map((one) => [one.innerText.trim(), one.querySelector('svg path').getAttribute('d')])`,
    );
    expect(marks.length).toBeGreaterThan(2);
    expect(marks.filter(([word, path]) => word === "" || path === "")).toEqual([]);
    const shapes = new Map(marks.map(([word, path]) => [word!.toLowerCase().slice(0, 4), path]));
    expect(shapes.get("deny") ?? shapes.get("deni")).not.toBe(shapes.get("allo"));
  });

  test("a page that is open follows the files: policies that change, and what cannot be read", async () => {
    await go("?view=order");
    const count = () => page.run<number>(`document.querySelectorAll('.order tbody tr').length`);
    const before = await count();
    const file = join(now, "new.yaml");
    writeFileSync(
      file,
      JSON.stringify({
        ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "BaselineAdminNetworkPolicy" },
        metadata: { name: "default" },
        spec: {
          subject: { namespaces: {} },
          ingress: [{ name: "shut", action: "Deny", from: [{ namespaces: {} }] }],
        },
      }),
    );
    await page.until(`document.querySelectorAll('.order tbody tr').length === ${before + 1}`);
    await page.settled();
    expect(await page.run(`document.querySelector('.order tbody tr:last-child').innerText`)).toContain(
      "default",
    );
    writeFileSync(file, "kind: [");
    await page.until(`document.querySelector('.problems')?.textContent.includes('new.yaml')`);
    expect(await count()).toBe(before + 1);
    rmSync(file);
    await page.until(`document.querySelectorAll('.order tbody tr').length === ${before}`);
    await page.until(`document.querySelector('.problems') === null`);
    expect(await page.run("location.search")).toBe("?view=order");
  });
});
