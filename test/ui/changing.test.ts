// The page in Chromium while what it shows changes every second: what did not change is not touched, what somebody types stays,
// and the focus goes where an action led. It hears of changes by a stream while somebody looks, and polls where there is none.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { Browser, chromiumOrSkip, type Page } from "../support/chromium.ts";
import { writeJson } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";
import { drawWorlds, podNames, writeWorld } from "./world.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("the page over files that change", () => {
  let folder: string;
  let ui: RunningUi;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
    writeWorld(folder, drawWorlds(18, 1)[0]!);
    ui = await startUi("-f", folder);
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

  const go = (query: string) => page.go(`${ui.address}/${query}`);
  const focused = () => page.run<string>("document.activeElement.id || document.activeElement.tagName");
  /** Another policy, of the lowest priority. */
  const change = (at: number): void => {
    writeJson(join(folder, `more-${at}.yaml`), [
      {
        ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
        metadata: { name: `z${at}` },
        spec: { priority: 900 + at, subject: { namespaces: {} }, ingress: [] },
      },
    ]);
  };

  /** The requests since the events were emptied, without their query. */
  const requests = () =>
    page.events.flatMap(({ method, params }) =>
      method === "Network.requestWillBeSent"
        ? [(params["request"] as { url: string }).url.replace(/.*\/api\//, "").replace(/\?.*/, "")]
        : [],
    );
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const hide = (isHidden: boolean) =>
    page.run(`(() => {
      Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    })()`);
  const rowCount = () => page.run<number>("document.querySelectorAll('.order tbody tr').length");

  test("what is typed stays, in a field that is never replaced; rows that are as before are not touched", async () => {
    await go("?view=order");
    const count = await page.run<number>("document.querySelectorAll('.order tbody tr').length");
    await page.run(`(() => {
      for (const row of document.querySelectorAll('.order tbody tr')) row.known = true;
      const table = document.querySelector('.order');
      window.touched = [];
      new MutationObserver((all) => touched.push(...all.map((one) => one.target.nodeName))).observe(
        document.querySelector('.order tbody tr'), { attributes: true, childList: true, characterData: true, subtree: true });
      const field = document.getElementById('filter');
      window.events = [];
      for (const type of ['blur', 'focus']) field.addEventListener(type, () => events.push(type));
      field.known = true;
      field.focus();
    })()`);
    const text = "kube-system/a-long-name";
    for (const [at, letter] of text.split("").entries()) {
      if (at % 5 === 0) change(at);
      await page.press(letter);
      await wait(200);
    }
    await page.until(`document.querySelectorAll('.order tbody tr').length === ${count + 5}`);
    await page.settled();
    expect(
      await page.run(`(() => {
        const field = document.getElementById('filter');
        return [field.known, field === document.activeElement, field.value, field.selectionStart, events,
          [...document.querySelectorAll('.order tbody tr')].filter((row) => row.known).length, touched];
      })()`),
    ).toEqual([true, true, text, text.length, ["focus"], count, []]);
  });

  test("a field in which a pod is looked for keeps its text and what it offers", async () => {
    await go(`?view=tester&from=${podNames[0]}`);
    await page.run("document.getElementById('to').focus()");
    await page.press("green");
    await page.until("document.querySelectorAll('#to-list [role=option]').length === 2");
    await page.press("ArrowDown");
    const before = await page.run<string>("document.getElementById('world').innerText");
    change(50);
    await page.until(`document.getElementById('world').innerText !== ${JSON.stringify(before)}`);
    await page.settled();
    expect(await focused()).toBe("to");
    expect(await page.run("document.getElementById('from').value")).toBe(podNames[0]);
    await page.press("Enter");
    // The form is whole when it has a port.
    expect(await page.run("document.getElementById('to').value")).toBe("green/db");
    await page.run("document.getElementById('port').focus()");
    await page.press("443", "Enter");
    await page.until("document.querySelector('.said .word') !== null");
    expect(await page.run("location.search")).toBe(
      "?view=tester&from=red%2Fweb&to=green%2Fdb&protocol=tcp&port=443",
    );
    // Somebody who has asked asks again.
    expect(await focused()).toBe("port");
  });

  test("a tab that is seen holds one stream and asks for nothing else; one that is hidden holds none", async () => {
    await go("?view=order");
    const count = await rowCount();
    page.events.length = 0;
    await wait(5_000);
    expect(requests()).toEqual([]);
    change(70);
    await page.until(`document.querySelectorAll('.order tbody tr').length === ${count + 1}`);
    expect(new Set(requests())).toEqual(new Set(["policies", "findings"]));
    await page.settled();
    await hide(true);
    page.events.length = 0;
    change(71);
    await wait(5_000);
    expect([requests(), await rowCount()]).toEqual([[], count + 1]);
    await hide(false);
    await page.until(`document.querySelectorAll('.order tbody tr').length === ${count + 2}`);
    expect(requests()[0]).toBe("events");
  });

  test("where there is no stream left the page polls", async () => {
    await page.load("about:blank");
    const taken = Array.from({ length: 16 }, () => new AbortController());
    try {
      for (const { signal } of taken) await fetch(`${ui.address}/api/events`, { signal });
      await go("?view=order");
      const count = await rowCount();
      page.events.length = 0;
      change(80);
      await page.until(`document.querySelectorAll('.order tbody tr').length === ${count + 1}`);
      expect(requests()).toContain("state");
      expect(requests()).not.toContain("events");
    } finally {
      for (const one of taken) one.abort();
    }
  });

  test("what is open stays open; the focus goes to the title of where a choice led", async () => {
    await go("?view=pod");
    await page.run("document.getElementById('pod').focus()");
    await page.press(podNames[2]!, "Enter");
    await page.until(`document.querySelector('h1.name')?.textContent === '${podNames[2]}'`);
    expect(await focused()).toBe("H1");
    await page.run(
      "[...document.querySelectorAll('#views a')].find((one) => one.innerText === 'Order').click()",
    );
    await page.until("document.querySelector('.order .lint details') !== null");
    await page.settled();
    expect(await focused()).toBe("H1");
    await page.run(`(() => {
      const details = document.querySelector('.order .lint details');
      details.open = true;
      details.querySelector('summary').focus();
    })()`);
    const rows = await page.run<number>("document.querySelectorAll('.order tbody tr').length");
    change(60);
    await page.until(`document.querySelectorAll('.order tbody tr').length === ${rows + 1}`);
    await page.settled();
    expect(await focused()).toBe("SUMMARY");
    expect(await page.run("document.querySelector('.order .lint details').open")).toBe(true);
  });
});
