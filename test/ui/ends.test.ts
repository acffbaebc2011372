// The pages of workloads and Services and the graph of a namespace in Chromium: their answers are those of `northgate can` and
// `northgate matrix`, everything that is named leads there, keys reach everything, and names are text. And five tasks with keys alone,
// in at most eight actions each.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { CanReport } from "../../src/can/report.ts";
import type { MatrixReport } from "../../src/matrix/report.ts";
import type { Page } from "../support/chromium.ts";
import { chromiumOrSkip } from "../support/chromium.ts";
import { isolating, namespaceOf, nodeOf, podOf, writeJson } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";
import { patience } from "../support/patience.ts";
import type { RunningUi } from "../support/ui.ts";
import { expectNoComplaints } from "./complaints.ts";
import type { OpenedPage } from "./opened.ts";
import { openPage } from "./opened.ts";
import { hostile } from "./world.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();

const owned = (name: string, ip: string, owner: string) => {
  const made = podOf("shop", name, ip, { app: owner });
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "StatefulSet", name: owner, controller: true }];
  return { ...made, metadata: { ...(made["metadata"] as object), ownerReferences } };
};
const admin = (name: string, priority: number, ingress: readonly object[]) => ({
  ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy", metadata: { name } },
  spec: {
    priority,
    subject: {
      pods: {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } },
        podSelector: { matchLabels: { app: "db" } },
      },
    },
    ingress,
  },
});
const office = [{ namespaces: { matchLabels: { "kubernetes.io/metadata.name": "office" } } }];
const objects = [
  ...[namespaceOf("shop"), namespaceOf("office"), nodeOf("n")],
  ...[
    owned("db-0", "10.0.0.1", "db"),
    owned("db-1", "10.0.0.2", "db"),
    podOf("shop", "web", "10.0.0.3", { app: "web" }),
  ],
  podOf("office", "pc", "10.0.0.4", { app: "pc" }),
  admin("guard", 5, [
    { name: hostile, action: "Deny", from: office },
    { name: "late", action: "Allow", from: office },
  ]),
  {
    ...{ apiVersion: "v1", kind: "Service", metadata: { namespace: "shop", name: "database" } },
    spec: { clusterIP: "10.96.0.7", selector: { app: "db" }, ports: [{ port: 5432 }] },
  },
];
const views = [
  "?view=workload&end=shop/sts/db",
  `?view=workload&end=${encodeURIComponent("shop/[app=web]")}`,
  "?view=service&end=shop/svc/database",
  "?view=namespace&namespace=shop",
  `?view=namespace&namespace=shop&node=shop/db&from=shop/db&to=${encodeURIComponent("(outside)")}`,
];

(program === null ? describe.skip : describe)("workloads and Services", () => {
  let opened: OpenedPage;
  let folder: string;
  let ui: RunningUi;
  let page: Page;

  beforeAll(async () => {
    opened = await openPage(program!, objects);
    ({ folder, ui, page } = opened);
  });
  afterAll(() => opened.close());
  afterEach(() => {
    expectNoComplaints(page);
  });

  const go = (query: string) => page.go(`${ui.address}/${query}`);
  const texts = (selector: string) =>
    page.run<readonly string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())`,
    );
  const follow = async (text: string) => {
    await page.run(
      `[...document.querySelectorAll('main a')].find((one) => one.textContent === ${JSON.stringify(text)}).click()`,
    );
    await page.settled();
  };
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever asks knows the shape
  const json = <T>(...args: readonly string[]): T =>
    JSON.parse(northgate(...args, "-f", folder, "-o", "json").stdout) as T;

  test.each([
    ["shop/sts/db", "workload"],
    ["shop/[app=web]", "workload"],
    ["shop/svc/database", "service"],
  ])("%s: who may reach it and what it may reach are the groups of `can`", async (end, view) => {
    await go(`?view=${view}&end=${encodeURIComponent(end)}`);
    const shown = (way: string) =>
      page.run<readonly string[]>(
        `[...document.querySelectorAll('[data-way=${way}] .reach-rows > li')].map((one) => one.dataset.verdict)`,
      );
    const arriving = json<CanReport>("can", "reach", "--to", end).groups;
    expect(await shown("in")).toEqual(arriving.map(({ verdict }) => verdict));
    expect(arriving.length).toBeGreaterThan(1);
    const leaving = view === "service" ? [] : json<CanReport>("can", "reach", "--from", end).groups;
    expect(await shown("out")).toEqual(leaving.map(({ verdict }) => verdict));
    expect((await texts(".reach-rows .verdict")).every((text) => text !== "")).toBe(true);
  });

  test("everything that is named leads there: the search, a namespace, a pod, the graph, and an example to the tester", async () => {
    await go("?view=search&q=database");
    await follow("shop/database");
    expect(await texts("h1")).toEqual(["shop/database (Service)"]);
    await follow("shop/db (StatefulSet)");
    expect([await texts("h1"), await page.run("location.search")]).toEqual([
      ["shop/db (StatefulSet)"],
      "?view=workload&end=shop%2Fsts%2Fdb",
    ]);
    await follow("shop/db-0");
    await follow("shop/db (StatefulSet)");
    await follow("database");
    await go("?view=search&q=statefulset");
    await follow("shop/db (StatefulSet)");
    await follow("shop");
    await follow("shop/[app=web]");
    expect(await texts("h1")).toEqual(["shop/[app=web]"]);
    await go("?view=workload&end=shop/sts/db");
    const example = `document.querySelector('[data-verdict=deny] .head a')`;
    await page.run(`${example}.click()`);
    await page.until(`document.querySelector('.said .word') !== null`);
    expect(await texts(".said .word")).toEqual(["denied"]);
  });

  test("the graph has the lines of the matrix of the namespace, and a chosen node its own; its table says the same", async () => {
    await go("?view=namespace&namespace=shop");
    const { cells, places } = json<MatrixReport>("matrix", "--namespace", "shop");
    const table = await page.run<readonly string[]>(
      `[...document.querySelectorAll('#graph .reach-matrix a')].map((one) => one.getAttribute('aria-label'))`,
    );
    expect(table).toHaveLength(cells.length);
    const lines = () =>
      page.run<readonly string[]>(
        `[...document.querySelectorAll('#graph .edge')].map((one) => one.dataset.reach)`,
      );
    const isBeside = (name: string) => name.startsWith("(");
    const drawn = cells.filter(({ from, to }) => from !== to && !(isBeside(from) && isBeside(to)));
    expect((await lines()).toSorted()).toEqual(drawn.map(({ reach }) => reach).toSorted());
    // A sign on each line, beside its colour and form.
    expect(await page.run(`document.querySelectorAll('#graph .edge .shape').length`)).toBe(drawn.length);
    const nodes = `[...document.querySelectorAll('#graph svg a.node')]`;
    expect(await page.run(`${nodes}.length`)).toBe(places.length);
    // One stop for Tab; arrow keys go from node to node.
    expect(await page.run(`${nodes}.filter((one) => one.tabIndex === 0).length`)).toBe(1);
    await page.run(`${nodes}.find((one) => one.tabIndex === 0).focus()`);
    await page.press("ArrowRight");
    expect(await page.run(`document.activeElement.getAttribute('aria-label')`)).toBe("shop/db, 2 pods");
    await page.press("Enter");
    await page.until(`document.querySelector('#graph-node') !== null`);
    await page.settled();
    expect(await page.run("performance.getEntriesByType('navigation').length")).toBe(1);
    const own = drawn.filter(({ from, to }) => from === "shop/db" || to === "shop/db");
    expect((await lines()).toSorted()).toEqual(own.map(({ reach }) => reach).toSorted());
    expect(own.length).toBeLessThan(drawn.length);
    await page.run(`document.querySelector('#graph .reach-matrix a').click()`);
    await page.until(`document.querySelector('#graph-cell h3') !== null`);
  });

  test("names are text, and what is no end is refused in a sentence", async () => {
    const bad = encodeURIComponent(hostile);
    for (const view of [
      ...views,
      `?view=workload&end=${bad}`,
      `?view=service&end=shop/svc/${bad}`,
      `?view=namespace&namespace=shop&node=${bad}&from=${bad}&to=${bad}`,
      `?view=namespace&namespace=${bad}`,
    ]) {
      await go(view);
      const count = await page.run<number>(
        `document.querySelectorAll('main img, main script, [onerror]').length`,
      );
      expect([view, count]).toEqual([view, 0]);
      expect(await page.text()).not.toContain("\u202e");
    }
    await go("?view=workload&end=shop/sts/db");
    expect(await page.text()).toContain("<img src=x onerror=");
    await go("?view=workload");
    expect((await texts(".problem")).join("")).not.toBe("");
  });

  describe("keys alone, in at most eight actions from Home", () => {
    /** Keys, and texts that are typed; each is one action. */
    const press = async (...keys: readonly string[]): Promise<number> => {
      for (const key of keys) {
        await page.press(key);
        await page.settled();
      }
      return keys.length;
    };
    const pressUntil = async (text: string): Promise<number> => {
      let presses = 0;
      do presses += await press("Tab");
      while (presses < 20 && (await page.run(`document.activeElement.innerText`)) !== text);
      return presses;
    };
    const search = async (...words: readonly string[]): Promise<number> => {
      await go("");
      await page.run(`document.activeElement.blur()`);
      await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "/", text: "/" });
      await page.send("Input.dispatchKeyEvent", { type: "keyUp", key: "/" });
      expect(await page.run(`document.activeElement.id`)).toBe("search-q");
      const presses = 1 + (await press(words.join(" "), "Enter"));
      await page.until(`document.querySelector('.found li') !== null`);
      await page.settled();
      return presses;
    };

    test("who can reach the database", async () => {
      let actions = await search("database");
      actions += await pressUntil("shop/database");
      actions += await press("Enter");
      await page.until(`document.querySelector('[data-way=in] li') !== null`);
      expect(await texts("h1")).toEqual(["shop/database (Service)"]);
      expect((await texts("[data-way=in] [data-verdict=allow] .who")).join(" ")).toContain(
        "shop/[app=web] 1 pod",
      );
      expect(actions).toBeLessThanOrEqual(8);
    });

    test("why the office cannot reach the database", async () => {
      let actions = await search("db", "statefulset");
      actions += await pressUntil("shop/db (StatefulSet)");
      actions += await press("Enter");
      await page.until(`document.querySelector('[data-way=in] li') !== null`);
      const denied = (await texts("[data-way=in] [data-verdict=deny]")).join(" ");
      expect(denied).toContain("office/[app=pc] 1 pod");
      expect(denied).toContain("AdminNetworkPolicy guard ingress[0]");
      expect(actions).toBeLessThanOrEqual(8);
    });

    test("what this YAML breaks", async () => {
      await go("");
      await page.run(`document.activeElement.blur()`);
      const yaml =
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: shop, name: closed}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n";
      // The keys of pasting are one action: what the browser makes of them is this event.
      await page.run(`(() => {
        const data = new DataTransfer();
        data.setData('text/plain', ${JSON.stringify(yaml)});
        document.querySelector('main').dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
      })()`);
      await page.until(`document.querySelector('.matrix a.deny') !== null`);
      await page.settled();
      expect(await page.run(`document.querySelector('.matrix a').getAttribute('aria-label')`)).toMatch(
        /allow to deny/,
      );
    });
  });

  test("what is typed stays while the cluster changes every second, on the page of a workload and beside the graph", async () => {
    for (const view of [views[0]!, views[3]!]) {
      await go(view);
      await page.run(`document.getElementById('search-q').focus()`);
      await page.run(`document.querySelector('h1').dataset.seen = 'yes'`);
      for (let at = 0; at < 4; at++) {
        writeJson(join(folder, "more.yaml"), [isolating("office", `more-${view.length}-${at}`)]);
        await page.press(String(at));
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      await page.until(`document.getElementById('world').innerText.includes('2 policies')`);
      expect(
        await page.run(
          `[document.activeElement.id, document.activeElement.value, document.querySelector('h1').dataset.seen]`,
        ),
      ).toEqual(["search-q", "0123", "yes"]);
    }
  });
});
