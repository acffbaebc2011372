// The plan in Chromium at 500 namespaces, of a report with one change that denies among thousands that allow: the worst is first,
// every cell is reachable by links and by arrow keys, and the matrix is one tab stop.

import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { podKey } from "../../src/model/facts.ts";
import type { MatrixWindow } from "../../src/plan/filtered.ts";
import { matrixOf } from "../../src/plan/matrix.ts";
import type { Decider, PlanReport, SummaryLine, VerdictClass } from "../../src/plan/report.ts";
import type { UiServer } from "../../src/ui/serving/server.ts";
import { serveUi } from "../../src/ui/serving/server.ts";
import type { ShownWorld } from "../../src/ui/world.ts";
import { worldOf } from "../support/asked-world.ts";
import { violationsOn } from "../support/axe.ts";
import { Browser, chromiumOrSkip, type Page } from "../support/chromium.ts";
import { patience } from "../support/patience.ts";
import { noThreads } from "../support/shown-world.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();
const spaces = Array.from({ length: 500 }, (_, at) => `team-${String(at).padStart(3, "0")}`);

function change(
  from: readonly string[],
  to: readonly string[],
  next: "allow" | "deny",
  name: string,
): VerdictClass {
  const ends = (names: readonly string[]) => ({
    ...{ title: names.length === 1 ? `all pods of ${names[0]!}` : `pods of ${names.length} namespaces` },
    ...{ pods: names.map((space) => podKey(space, "web")), workloads: [], addresses: [] },
  });
  const policy = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: to[0]!, name };
  const rule = { direction: "ingress", index: 0, name: "", action: "Allow", place: null } as const;
  const by = { verdict: next, by: "rule", policy, rule } as unknown as Decider;
  const open: Decider = { verdict: "allow", by: "default" };
  const old = next === "allow" ? "deny" : "allow";
  return {
    ...{ families: ["IPv4"], from: ends(from), to: ends(to), old, new: next },
    traffic: [{ protocol: "tcp", ports: [[443, 443]] }],
    by: { old: { egress: open, ingress: { ...open, verdict: old } }, new: { egress: open, ingress: by } },
    example: { from: `${from[0]!}/web`, to: `${to[0]!}/web`, protocol: "tcp", port: 443 },
  };
}

const allowed = spaces.map((name, at) =>
  change(
    [name],
    [0, 7, 31, 113].map((step) => spaces[(at + step + 1) % 500]!),
    "allow",
    `open-${at}`,
  ),
);
const denied = change(["team-477"], ["team-031"], "deny", "closed");
const changes = [...allowed, denied];
const line = (one: VerdictClass, at: number): SummaryLine => ({
  ...{
    change: one.new === "deny" ? "denied" : "allowed",
    old: one.old,
    new: one.new,
    families: one.families,
  },
  ...{
    from: one.from.title,
    to: one.to.title,
    traffic: one.traffic,
    causes: [`NetworkPolicy ${at} changed`],
  },
  ...{
    isExcerpt: false,
    tried: 0,
    edits: [],
    classes: [at],
    dividedByNodes: [],
    isOwnNode: false,
    effects: [],
  },
});
const report: PlanReport = {
  ...{ schema: "northgate.plan/1", against: "dir:old", unjudged: [], notes: [], caveats: [] },
  objects: {
    ...{ added: [], removed: [] },
    changed: [
      {
        ...{ group: "policy.networking.k8s.io", kind: "AdminNetworkPolicy", namespace: null, name: "a" },
        fields: [{ field: "spec.ingress[0].action", old: "Allow", new: "Deny" }],
      },
    ],
  },
  ...{ pods: { added: [], removed: [] }, workloads: { added: [], removed: [] } },
  rows: { add: 1, change: 0, delete: 0, changes: [] },
  verdicts: { changes, summary: [line(denied, 500), ...allowed.map(line)] },
};
const asked = worldOf([]);
const world: ShownWorld = {
  ...{ revision: "1", isReady: true, from: "here", asked, facts: asked.facts, policyCount: 0, problems: [] },
  ...{ workloads: [], cni: "ovn", membership: { pods: () => new Set() }, findings: null, live: null },
  ...{ ...noThreads, record: () => null, lastChange: null },
  plan: { against: "old", report: () => ({ value: report, revision: "1" }) },
};

(program === null ? describe.skip : describe)("a plan of 500 namespaces", () => {
  let server: UiServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    server = await serveUi({
      ...{ host: "127.0.0.1", port: 0, basePath: "", hosts: [], tls: null, gate: null, rest: 0 },
      ...{ world, clock: systemClock, logger: silentLogger },
    });
    browser = await Browser.start(program!);
    page = await browser.open();
    await page.look(1440, 900, "light");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const go = (query: string) => page.go(`${server.address}/${query}`);
  const texts = (selector: string) =>
    page.run<readonly string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.replaceAll(/\\s+/g, ' ').trim())`,
    );
  const cells = () =>
    page.run<readonly string[]>(
      `[...document.querySelectorAll('.matrix a')].map((one) => new URLSearchParams(new URL(one.href).search)).map((query) => query.get('from') + ' ' + query.get('to'))`,
    );
  const settled = async (condition: string) => {
    await page.until(condition);
    await page.settled();
  };

  test("what denies is first, in the lines and in the matrix, with a sign beside its colour", async () => {
    await go("?view=plan");
    expect((await texts(".turn"))[0]).toBe(
      "newly denied was allowed all pods of team-477 → all pods of team-031 tcp 443 NetworkPolicy 500 changed",
    );
    expect((await texts(".matrix tbody th"))[0]).toBe("team-477");
    expect((await texts(".matrix thead th"))[0]).toBe("team-031");
    expect(
      await page.run(`(() => {
        const first = document.querySelector('.matrix tbody tr a');
        return [first.className, first.querySelector('svg') !== null, document.querySelectorAll('.matrix a').length < 1001];
      })()`),
    ).toEqual(["deny", true, true]);
  });

  test("an action keeps its colour and its sign on both sides of an edit", async () => {
    expect(await texts(".edits del .verdict, .edits ins .verdict")).toEqual(["Allow", "Deny"]);
    const [was, is, allow, deny] = await page.run<readonly string[]>(`(() => {
      const colour = (one) => getComputedStyle(one).color;
      const probe = (name) => { const one = document.createElement('i'); one.className = name; document.body.append(one); const is = colour(one); one.remove(); return is; };
      return [colour(document.querySelector('del .verdict')), colour(document.querySelector('ins .verdict')), probe('allow'), probe('deny')];
    })()`);
    expect([was, is]).toEqual([allow, deny]);
  });

  test("every cell is in one of the windows that links lead to", async () => {
    const wanted = matrixOf({ changes }).cells.map(({ from, to }) => `${from} ${to}`);
    expect(wanted.length).toBeGreaterThan(1_990);
    const seen = new Set<string>();
    let windows = 0;
    for (let row = 0; row < 500; row += 40)
      for (let column = 0, all = 1; column < all; column += 25) {
        const answer = await fetch(`${server.address}/api/plan?row=${row}&column=${column}`);
        const { matrix } = (await answer.json()) as { matrix: MatrixWindow };
        all = matrix.totals.to;
        expect(matrix.cells.length).toBeGreaterThan(0);
        for (const { from, to } of matrix.cells) seen.add(`${from} ${to}`);
        windows++;
      }
    expect([windows < 100, seen.size]).toEqual([true, wanted.length]);
    // The page offers the windows beside it.
    const first = await cells();
    await page.run(
      `[...document.querySelectorAll('.pages a')].find((one) => one.innerText === 'Later columns').click()`,
    );
    await settled(`location.search.includes('column=25')`);
    await page.run(
      `[...document.querySelectorAll('.pages a')].find((one) => one.innerText === 'Later rows').click()`,
    );
    await settled(`location.search.includes('row=40')`);
    expect((await cells()).filter((one) => first.includes(one))).toEqual([]);
    expect((await texts(".pages"))[0]).toMatch(/Rows 41 to 80 of 500 .*Columns 26 to 50 of \d+/);
  });

  test("filters are in the address: what is denied, a namespace, a policy", async () => {
    await go("?view=plan");
    await page.run(
      `[...document.querySelectorAll('.turns a')].find((one) => one.innerText.includes('denied')).click()`,
    );
    await settled(`location.search === '?view=plan&becomes=deny'`);
    expect(await cells()).toEqual(["team-477 team-031"]);
    await go("?view=plan&namespace=team-123");
    const about = await cells();
    expect(about.length).toBe(8);
    expect(about.every((one) => one.includes("team-123"))).toBe(true);
    await page.run("document.getElementById('part-policy').focus()");
    await page.press("open-122", "Enter");
    await settled(`location.search === '?view=plan&namespace=team-123&policy=open-122'`);
    expect(await cells()).toEqual(["team-122 team-123"]);
    expect(await page.run("document.activeElement.id")).toBe("part-policy");
    await go("?view=plan&policy=nobody");
    expect(await page.text()).toContain("Nothing changes in this part.");
  });

  test("keys alone: one tab stop, arrows reach every cell of the window, Enter leads to the classes beside it", async () => {
    await go("?view=plan&row=80&column=0");
    expect(
      await page.run(
        `document.querySelectorAll('.matrix a[tabindex="0"], .matrix :not(a)[tabindex]').length`,
      ),
    ).toBe(1);
    const all = await cells();
    expect(all.length).toBeGreaterThan(20);
    await page.run(`document.querySelector('.matrix a[tabindex="0"]').focus()`);
    const at = () =>
      page.run<string>(
        `(() => { const query = new URLSearchParams(new URL(document.activeElement.href).search); return query.get('from') + ' ' + query.get('to'); })()`,
      );
    const seen = [await at()];
    for (let step = 1; step < all.length; step++) {
      await page.press("ArrowRight");
      seen.push(await at());
    }
    expect(seen).toEqual(all);
    await page.press("ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft");
    expect(await page.run(`document.querySelectorAll('.matrix a[tabindex="0"]').length`)).toBe(1);
    const chosen = await at();
    await page.press("Enter");
    await settled(`document.querySelector('.class') !== null`);
    expect(await page.run("document.activeElement.id")).toBe("classes");
    expect((await texts(".classes h2"))[0]).toContain(chosen.replace(" ", " → "));
    // Beside the matrix, and in sight.
    expect(
      await page.run(`(() => {
        const [left, right] = ['#matrix', '#classes'].map((id) => document.querySelector(id).getBoundingClientRect());
        return right.left >= left.right && right.top >= 0 && right.top < innerHeight;
      })()`),
    ).toBe(true);
    await page.run(`document.querySelector('.classes a').click()`);
    await settled(`document.querySelector('.class') === null`);
    expect(await page.run("document.activeElement.id")).toBe("matrix");
  });

  test("at three widths the heads stay in sight, and nothing is wider than the window; axe finds nothing", async () => {
    await go("?view=plan&from=team-477&to=team-031#classes");
    for (const width of [1440, 900, 390]) {
      await page.look(width, 900, "dark");
      expect(
        await page.run(`(() => {
          const box = document.querySelector('.field-of-cells .wide');
          box.scrollTo(300, 600);
          const { top, left } = box.getBoundingClientRect();
          const column = document.querySelector('.matrix thead th').getBoundingClientRect().top;
          const row = document.querySelector('.matrix tbody th').getBoundingClientRect().left;
          return [innerWidth, Math.abs(column - top) < 2, Math.abs(row - left) < 2, document.documentElement.scrollWidth <= innerWidth];
        })()`),
      ).toEqual([width, true, true, true]);
    }
    // looks.test.ts has the view at every width and in both schemes.
    expect(await violationsOn(page)).toEqual([]);
  });
});
