// The page of a controller answers who may reach whom and what a text changes as `northgate ui` answers of the same objects; in
// Chromium it shows them.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { Browser, chromiumOrSkip } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import type { Running } from "../support/program.ts";
import { startNorthgate } from "../support/program.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();
const manifests = "examples/cluster-control";
const dns = "kube-system/[app=dns]";
/** What is denied is allowed. */
const text = readFileSync(`${manifests}/policies/cluster-control.yaml`, "utf8").replaceAll(
  '"Deny"',
  '"Allow"',
);

await describeWithOvn("run --ui", () => {
  let ovn: Ovn;
  let running: Running;
  let ui: RunningUi;
  let browser: Browser | null = null;
  let address = "";

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    ui = await startUi("-f", manifests);
    const own = ["--metrics-bind-address", "off", "--ui", "127.0.0.1:0"];
    running = startNorthgate(["--source", `dir:${manifests}`, "--nb", ovn.nb, ...own]);
    await eventually(() => {
      const line = running.log().find(({ message }) => message === "the page is served");
      expect(line?.["address"]).toMatch(/^http:/);
      address = String(line?.["address"]);
    });
  });
  afterAll(async () => {
    await browser?.close();
    await running.end();
    await ui.end();
    await ovn.stop();
  });

  /** Without what differs: the revision, and what a controller does not follow. */
  async function answered(origin: string, path: string): Promise<unknown> {
    let told: unknown;
    await eventually(async () => {
      const answer = await fetch(`${origin}/api/${path}`);
      const whole = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, whole["isMaking"] ?? false]).toEqual([200, false]);
      told = { ...whole, revision: "", caveats: null };
    });
    return told;
  }

  test.each([
    "matrix",
    "matrix/cell?from=splunk&to=kube-system",
    "matrix/of?namespace=splunk",
    "namespace/graph?namespace=kube-system",
    `end/reach?end=${encodeURIComponent(dns)}`,
  ])("%s", async (path) => {
    const told = await answered(address, path);
    expect(told).toEqual(await answered(ui.address, path));
    expect(JSON.stringify(told).length).toBeGreaterThan(100);
  });

  test("a text is compared alike", async () => {
    const compared = async (origin: string): Promise<unknown> => {
      const headers = { "content-type": "application/yaml" };
      const sent = await fetch(`${origin}/api/compare`, { method: "POST", headers, body: text });
      const { id } = (await sent.json()) as { id: string };
      return answered(origin, `compare?id=${id}`);
    };
    const told = (await compared(address)) as { verdicts: { total: number }; isOfNow: boolean };
    expect(told.verdicts.total).toBeGreaterThan(0);
    expect(told.isOfNow).toBe(true);
    expect(told).toEqual(await compared(ui.address));
  });

  (program === null ? test.skip : test)("in Chromium", async () => {
    browser = await Browser.start(program!);
    const page = await browser.open();
    await page.look(1280, 900, "light");
    await page.go(`${address}/`);
    await page.until(`document.querySelector("#reach-body table") !== null`);
    expect(await page.run(`document.querySelector("#views").innerText`)).toContain("Compare");
    await page.go(`${address}/?view=workload&end=${encodeURIComponent(dns)}`);
    await page.until(`document.querySelector("#reach-of h2") !== null`);
    await page.go(`${address}/?view=namespace&namespace=kube-system`);
    await page.until(`document.querySelector("#neighbours table") !== null`);
    await page.until(`document.querySelector("main svg") !== null`);
  });
});
