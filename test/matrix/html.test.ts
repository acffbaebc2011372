// The page of `northgate matrix -o html`, opened from disk in a browser: axe finds nothing, and nothing is loaded. Without a browser it
// says SKIPPED (test/support/chromium.ts).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { violationsOn } from "../support/axe.ts";
import type { Page } from "../support/chromium.ts";
import { Browser, chromiumOrSkip } from "../support/chromium.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));
const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("the page of a matrix", () => {
  let folder: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ng-matrix-"));
    browser = await Browser.start(program ?? "");
    page = await browser.open();
    await page.look(1280, 900, "light");
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["of namespaces", ["-f", "examples/cluster-control"]],
    ["of workloads", ["-f", "examples/cluster-control", "-n", "kube-system"]],
    ["without a change", ["-f", "examples/cluster-control", "--diff", "examples/cluster-control"]],
  ])("%s", async (_, args) => {
    const file = join(folder, "matrix.html");
    writeFileSync(file, northgate("matrix", ...args, "-o", "html").stdout);
    await page.load(pathToFileURL(file).href);
    expect(await violationsOn(page)).toEqual([]);
    const asked = page.events.filter(({ method }) => method === "Network.requestWillBeSent");
    const urls = new Set(asked.map(({ params }) => (params["request"] as { url: string }).url));
    expect([...urls]).toEqual([pathToFileURL(file).href]);
  });
});
