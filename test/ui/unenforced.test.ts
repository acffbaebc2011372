// The page of a controller whose database enforces nothing, in Chromium: every view says so first, and no view calls a policy in
// force.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { Page } from "../support/chromium.ts";
import { Browser, chromiumOrSkip } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();
const lacking = "no policy is enforced: the Northbound database has no logical switch";

await describeWithOvn("run --ui", () => {
  (program === null ? describe.skip : describe)("in a browser", () => {
    let folder: string;
    let ovn: Ovn;
    let running: Running;
    let browser: Browser;
    let page: Page;
    let address = "";

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
      ovn = await startOvn({ northd: false });
      const own = ["--metrics-bind-address", "off", "--ui", "127.0.0.1:0"];
      running = startNorthgate(["--source", "dir:examples/cluster-control", "--nb", ovn.nb, ...own]);
      await eventually(() => {
        const line = running.log().find(({ message }) => message === "the page is served");
        expect(line?.["address"]).toMatch(/^http:/);
        address = String(line?.["address"]);
      });
      browser = await Browser.start(program!);
      page = await browser.open();
      await page.look(1280, 900, "light");
    });
    afterAll(async () => {
      await browser.close();
      await running.end();
      await ovn.stop();
      rmSync(folder, { recursive: true });
    });

    test.each([
      "",
      "?view=pod",
      "?view=pod&pod=kube-system/coredns-76f75df574-5sn7h",
      "?view=tester",
      "?view=tester&from=kube-system/coredns-76f75df574-5sn7h&to=192.0.2.7&protocol=tcp&port=80",
      "?view=order",
    ])("%s begins with it", async (view) => {
      await page.go(`${address}/${view}`);
      await page.until(`document.querySelector("#first p") !== null`);
      const first = await page.run<readonly [string, boolean, boolean]>(`(() => {
        const first = document.getElementById("first");
        const follows = first.compareDocumentPosition(document.getElementById("main")) & 4;
        return [first.innerText.trim(), first.getBoundingClientRect().height > 0, follows !== 0];
      })()`);
      expect(first).toEqual([lacking, true, true]);
    });

    test("home and its board call no policy in force", async () => {
      await page.go(`${address}/`);
      await page.until(`document.querySelector(".policy-card") !== null`);
      const shown = await page.run<readonly string[]>(
        `[...document.querySelectorAll(".health .status, .policy-card .status")].map((one) => one.innerText)`,
      );
      expect(shown).toContain("0 of 2 policies are in force as written");
      expect(shown.filter((text) => text === "in force")).toEqual([]);
      expect(shown.filter((text) => text === "not enforced")).toHaveLength(2);
      expect(shown).toContain("this instance writes");
    });

    test("the order calls no policy in force, and looks for nothing", async () => {
      await page.go(`${address}/?view=order`);
      await page.until(`document.querySelector(".order .state") !== null`);
      const text = await page.run<string>(`document.querySelector(".order").innerText`);
      expect(text).not.toContain("looking");
      expect(text).not.toContain("in force");
      expect(
        await page.run(`[...document.querySelectorAll(".order .state")].map((cell) => cell.innerText)`),
      ).toEqual(["not enforced", "not enforced"]);
    });
  });
});
