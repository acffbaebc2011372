// Home and the pages of one policy and one namespace in Chromium: everything that is named is a link, and names
// are text.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Page } from "../support/chromium.ts";
import { chromiumOrSkip } from "../support/chromium.ts";
import { isolating, namespaceOf, podOf, writeJson } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";
import { expectNoComplaints } from "./complaints.ts";
import type { OpenedPage } from "./opened.ts";
import { openPage } from "./opened.ts";
import { troubled } from "./troubled.ts";
import { hostile } from "./world.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("views", () => {
  let opened: OpenedPage;
  let ui: RunningUi;
  let page: Page;

  beforeAll(async () => {
    opened = await openPage(program!, troubled);
    ({ ui, page } = opened);
  });
  afterAll(() => opened.close());
  afterEach(() => {
    expectNoComplaints(page);
  });

  const go = (query: string) => page.go(`${ui.address}/${query}`);
  const texts = (selector: string) =>
    page.run<readonly string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.trim())`,
    );
  const click = async (text: string) => {
    await page.run(
      `[...document.querySelectorAll('main a')].find((one) => one.innerText === ${JSON.stringify(text)}).click()`,
    );
    await page.settled();
  };
  const rules = "?view=policy&policy=AdminNetworkPolicy.policy.networking.k8s.io/rules";

  test("home: a column for each tier by its name, each policy with its state, its kind and what it applies to", async () => {
    await go("");
    const columns = await page.run(`[...document.querySelectorAll('.board .tier')].map((column) => [
      column.dataset.tier,
      ...[...column.querySelectorAll('.policy-card')].map((card) => [card.dataset.shown, card.querySelector('.kind').innerText, card.querySelector('a').innerText].join(' ')),
    ])`);
    expect(columns).toEqual([
      ["?", "refused AdminNetworkPolicy refused"],
      ["securityops", "in force NetworkPolicy.crd.antrea.io shop/closed"],
      ["admin", "in force AdminNetworkPolicy rules", "in force AdminNetworkPolicy many"],
      ["namespaced", "in force NetworkPolicy.networking.k8s.io shop/closed"],
      ["baseline"],
    ]);
    expect((await texts(".unread li")).map((text) => text.replace(/\s+/g, " "))).toEqual([
      "not read CiliumNetworkPolicy shop/theirs",
    ]);
    // No controller is asked: nobody knows whether anything enforces them.
    expect([...new Set(await texts(".policy-card .status"))]).toEqual(["refused", "valid"]);
    expect(await texts("h1")).toEqual(["What the policies say"]);
    const health = await texts(".health > ul > li");
    expect(health.join("\n")).toContain(
      "Hits are not counted here: northgate observe-node counts on a node what each rule has met, and northgate ui --hits FILE shows",
    );
    expect(health.join("\n")).toContain("1 policy is refused: nothing of it is in force");
    expect(health.join("\n")).toMatch(/lint finds \d+ error/);
    expect(
      await page.run(
        `[...document.querySelectorAll('.status')].every((one) => one.querySelector('svg') !== null && one.innerText !== '')`,
      ),
    ).toBe(true);
  });

  test("a card leads to its policy: its object, its rules with their lines, and which never decides", async () => {
    await go("");
    await click("rules");
    expect(await texts("h1")).toEqual(["rules"]);
    const cards = await page.run<readonly (readonly string[])[]>(
      `[...document.querySelectorAll('[data-side=ingress] .card')].map((card) => [card.dataset.look, card.querySelector('.at').innerText, card.querySelector('.place a').innerText])`,
    );
    expect(cards.map(([look, at]) => [look, at])).toEqual([
      ["plain", "ingress[0]"],
      ["shadowed", "ingress[1]"],
    ]);
    const [, , line = ""] = cards[1]!;
    await click(line);
    const marked = await texts("mark.line");
    expect(marked.join("\n")).toContain("name: late");
    expect(marked.join("\n")).not.toContain("onerror");
    expect(await page.run(`document.activeElement.id`)).toBe(line.replace(" ", "-"));
    await click("shop/web");
    expect([await texts("h1"), await page.run("location.search")]).toEqual([
      ["shop/web"],
      "?view=pod&pod=shop%2Fweb",
    ]);
    await click("rules");
    expect(await texts("h1")).toEqual(["rules"]);
  });

  test("a cell of the matrix opens its traffic, and leads to the tester; a namespace leads to its policies and neighbours", async () => {
    await go("");
    const labels = await page.run<readonly string[]>(
      `[...document.querySelectorAll('.reach-matrix a')].map((one) => one.getAttribute('aria-label'))`,
    );
    // The refused policy could allow or deny anything.
    expect(labels).toContain("office to shop: cannot tell");
    expect(await page.run(`document.querySelectorAll('.reach-matrix a[tabindex="0"]').length`)).toBe(1);
    await page.run(`document.querySelector('.reach-matrix a[tabindex="0"]').focus()`);
    expect(await page.run(`document.activeElement.getAttribute('aria-label')`)).toBe(
      "office to shop: cannot tell",
    );
    await page.press("ArrowRight");
    const to = await page.run<string>(`document.activeElement.getAttribute('aria-label')`);
    expect(to).toBe("office to (outside): cannot tell");
    await page.press("ArrowLeft", "Enter");
    await page.until(`document.querySelector('#reach-cell h3') !== null`);
    await page.settled();
    expect((await texts("#reach-cell h3")).join("").replace(/\s+/g, " ")).toBe("office → shop cannot tell");
    const asks = (await texts("#reach-cell a")).find((text) => text.startsWith("Ask the tester"))!;
    await click(asks);
    expect(await texts(".said .word")).toEqual(["cannot tell"]);
    await go("?view=home&from=office&to=shop");
    await page.until(`document.querySelector('#reach-cell h3') !== null`);
    await click("shop");
    expect(await texts("h1")).toEqual(["shop"]);
    expect(await texts(".rows .row-name a")).toEqual(
      expect.arrayContaining(["rules", "shop/closed", "refused"]),
    );
    const row = await page.run<string>(
      `document.querySelector('.neighbours tr[data-key=office]').innerText.replace(/\\s+/g, ' ').trim()`,
    );
    expect(row).toBe("office cannot tell all traffic cannot tell all traffic");
  });

  test("the search finds names, labels, addresses and Services from every view, and tells kinds of one name apart", async () => {
    await go("?view=order");
    await page.run(`document.dispatchEvent(new KeyboardEvent('keydown', { key: '/' }))`);
    expect(await page.run(`document.activeElement.id`)).toBe("search-q");
    await page.press("closed", "Enter");
    await page.until(`document.querySelector('.found li') !== null`);
    await page.settled();
    expect((await texts(".found li")).map((text) => text.replace(/\s+/g, " "))).toEqual([
      "NetworkPolicy.crd.antrea.io shop/closed tier securityops",
      "NetworkPolicy.networking.k8s.io shop/closed tier namespaced",
    ]);
    await go("?view=search&q=10.0.0.3");
    await click("office/pc");
    expect(await texts("h1")).toEqual(["office/pc"]);
    await go(`?view=search&q=${encodeURIComponent(hostile)}`);
    expect(await page.text()).toContain("0 things are found");
    expect(await page.run(`document.querySelectorAll('main img, main script, [onerror]').length`)).toBe(0);
  });

  test("a question that is not whole says what it lacks; a Service is an end", async () => {
    await go("?view=tester&from=shop/web");
    expect(await texts(".problem")).toEqual([
      "Nothing is asked yet. The question lacks where it goes and the tcp port.",
    ]);
    await go("?view=tester&from=shop/web&to=shop/svc/web&protocol=tcp&port=80");
    expect((await texts(".said .sentence")).join("")).toContain("to Service shop/web");
    expect(await page.run(`document.querySelector('.said .caveat a, .said .facts a') !== null`)).toBe(true);
  });

  test("of a policy with many rules five are shown, and the others are to be opened; a rule without an object is explained", async () => {
    await go("?view=pod&pod=office/pc");
    const many = `[...document.querySelectorAll('.policy')].find((one) => one.querySelector('h4').textContent === 'many')`;
    expect(await page.run(`${many}.querySelectorAll('.card').length`)).toBe(9);
    expect(
      await page.run(
        `[...${many}.querySelectorAll('.card')].filter((card) => card.checkVisibility()).length`,
      ),
    ).toBe(5);
    expect(await page.run(`${many}.querySelector('summary').innerText`)).toBe("4 rules more");
    await page.run(`${many}.querySelector('summary').click()`);
    expect(
      await page.run(
        `[...${many}.querySelectorAll('.card')].filter((card) => card.checkVisibility()).length`,
      ),
    ).toBe(9);
    const own = (await texts(".policy .kind")).filter((text) => text.includes("Northgate"));
    // Antrea's kinds and Kubernetes' ask for one each.
    expect([...new Set(own)]).toEqual(["Northgate’s own rule: a node reaches its own pods"]);
    expect(await page.text()).not.toContain("NorthgateNode");
  });

  test("a refused policy says why; Order shows it alone, and leads there", async () => {
    await go("");
    await click("Show refused");
    expect(await texts(".order tbody th a")).toEqual(["refused"]);
    await click("refused");
    expect((await texts(".problem-list li")).join("")).toContain("spec.priority");
    expect((await texts(".problem")).join("")).toContain("nothing of it is in force");
  });

  test("keys alone, in at most eight presses: which policies are refused, and which rules never decide", async () => {
    const reached = async (link: string): Promise<number> => {
      await go("");
      await page.press("Tab", "Enter");
      await page.until(`document.activeElement.id === 'main'`);
      await page.settled();
      let presses = 2;
      do {
        await page.press("Tab");
        presses++;
      } while (presses < 20 && (await page.run(`document.activeElement.innerText`)) !== link);
      await page.press("Enter");
      return presses + 1;
    };
    expect(await reached("Show refused")).toBeLessThanOrEqual(8);
    await page.until(`document.querySelector('.order tbody th a')?.innerText === 'refused'`);
    expect(await reached("rules")).toBeLessThanOrEqual(8);
    await page.until(`document.querySelector('.card.shadowed .at')?.innerText === 'ingress[1]'`);
  });

  test("thirty namespaces and three hundred policies of the longest names: the marks of lint come, and nothing widens the page", async () => {
    const large = mkdtempSync(join(tmpdir(), "northgate-views-"));
    const names = Array.from({ length: 30 }, (_, at) => `${"n".repeat(55)}${at}`);
    writeJson(join(large, "large.yaml"), [
      ...names.flatMap((name, at) => [namespaceOf(name), podOf(name, "p", `10.1.0.${at + 1}`)]),
      ...names.flatMap((name) =>
        Array.from({ length: 10 }, (_, at) => isolating(name, `${"p".repeat(240)}${at}`)),
      ),
    ]);
    const other = await startUi("-f", large);
    await page.go(`${other.address}/`);
    // Of ten equal policies nine are redundant; forty cards are shown.
    await page.until(`document.querySelectorAll('.policy-card .found').length === 36`);
    await page.until(`document.querySelectorAll('.reach-matrix a').length > 800`);
    const [wide, inner] = await page.run<readonly number[]>(
      "[document.documentElement.scrollWidth, innerWidth]",
    );
    expect(wide).toBe(inner);
    // The names of columns stay above their cells.
    const tops = await page.run<readonly number[]>(`(() => {
      const field = document.querySelector('.reach-matrix').parentElement;
      field.scrollTop = 500;
      const top = (one) => one.getBoundingClientRect().top;
      return [field.scrollTop, top(field.querySelector('thead th')) - top(field)];
    })()`);
    expect(tops).toEqual([500, 0]);
    expect(await other.end()).toBe(0);
    rmSync(large, { recursive: true });
  });

  test("names are text in every view", async () => {
    const query = encodeURIComponent(hostile);
    const views = [
      rules,
      `${rules}&rule=${query}`,
      `?view=policy&policy=${query}`,
      `?view=order&tier=${query}&trouble=${query}`,
    ];
    for (const view of views) {
      await go(view);
      const count = await page.run<number>(
        `document.querySelectorAll('main img, main script, [onerror]').length`,
      );
      expect([view, count]).toEqual([view, 0]);
      expect(await page.text()).not.toContain("\u202e");
    }
    expect(await page.run("document.title")).toContain("Northgate");
    await go(rules);
    expect(await page.text()).toContain("<img src=x onerror=");
  });
});
