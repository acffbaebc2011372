// The page in Chromium while what it shows changes every second: what did not change is not touched, what somebody types stays,
// and the focus goes where an action led.

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
      await new Promise((resolve) => setTimeout(resolve, 200));
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

  test("what is open stays open; the focus goes to the title of where a choice led", async () => {
    await go("");
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
