// The page as one file: opened by Chromium from the disk, without a server and without a network, it shows what the served page
// shows; its policy allows its own script and nothing else; names are text.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { violationsOn } from "../support/axe.ts";
import { Browser, chromiumOrSkip, type Page } from "../support/chromium.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";
import { drawWorlds, writeWorld } from "./world.ts";

jest.setTimeout(patience(120_000));

let folder: string;
let file: string;
let worlds: readonly string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
  const [now, old] = [join(folder, "now"), join(folder, "old")];
  const [one, other] = drawWorlds(18, 2);
  writeWorld(now, one!);
  writeWorld(old, other!);
  worlds = ["-f", now, "--plan-against", `dir:${old}`];
  file = join(folder, "page.html");
  expect(northgate("ui", ...worlds, "--export", file)).toMatchObject({ code: 0, stdout: "", stderr: "" });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("a file that cannot be written is an error with its name, and ends with 1", () => {
  const { code, stderr } = northgate("ui", ...worlds, "--export", join(folder, "none", "page.html"));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^northgate: .*none\/page\.html/);
});

test("it is one file: it names no other, and its policy has hashes alone", () => {
  const text = readFileSync(file, "utf8");
  expect(statSync(file).size).toBeLessThan(2_000_000);
  expect(text.match(/(?:src|href)="(?!\?|#|data:)[^"]*"/g)).toBeNull();
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'$/,
  );
  // No name ends the data that it is in.
  expect(text.split("</script>").length - 1).toBe(2);
});

const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("in a browser", () => {
  let ui: RunningUi;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    ui = await startUi(...worlds);
    browser = await Browser.start(program!);
    page = await browser.open();
    await page.look(1280, 900, "light");
  });
  afterAll(async () => {
    await browser.close();
    expect(await ui.end()).toBe(0);
  });

  const shown = async (address: string) => {
    await page.go(address);
    return page.run<string>("document.querySelector('main').innerText");
  };
  const inFile = (query: string) => shown(`${pathToFileURL(file).href}${query}`);
  const served = (query: string) => shown(`${ui.address}/${query}`);
  /** What the browser has refused, asked for or thrown since the events were emptied. */
  const bad = () =>
    page.events.filter(({ method, params }) => {
      if (method === "Runtime.exceptionThrown") return true;
      if (method === "Log.entryAdded") return true;
      const url = (params["request"] as { url?: string } | undefined)?.url ?? "";
      return method === "Network.requestWillBeSent" && !url.startsWith("file:") && !url.startsWith("data:");
    });

  test.each(["?view=order", "?view=plan", "?view=plan&becomes=deny"])(
    "%s is as it is served",
    async (query) => {
      const wanted = await served(query);
      page.events.length = 0;
      expect(await inFile(query)).toBe(wanted);
      expect(bad()).toEqual([]);
    },
  );

  test("home, a policy, a namespace and a workload are as they are served, with what comes later", async () => {
    const policy = "a[href*='view=policy']";
    const namespace = "a[href*='view=namespace']";
    const complete = async (address: string, isThere: string): Promise<readonly string[]> => {
      await page.go(address);
      await page.until(isThere);
      return page.run(
        `[document.querySelector('main').innerText, ...[${JSON.stringify(policy)}, ${JSON.stringify(namespace)}].map((one) => document.querySelector('main ' + one)?.getAttribute('href') ?? '')]`,
      );
    };
    const both = async (query: string, isThere: string): Promise<readonly string[]> => {
      const wanted = await complete(`${ui.address}/${query}`, isThere);
      page.events.length = 0;
      const found = await complete(`${pathToFileURL(file).href}${query}`, isThere);
      expect(found[0]).toBe(wanted[0]);
      expect(bad()).toEqual([]);
      return wanted;
    };
    const [, toPolicy = ""] = await both(
      "",
      "document.querySelector('#reach-body table') !== null && !document.getElementById('home-findings').innerText.includes('look')",
    );
    const [, , toNamespace = ""] = await both(
      toPolicy,
      "!document.querySelector('.found-here').matches(':empty')",
    );
    expect(toNamespace).toMatch(/view=namespace/);
    await both(
      toNamespace,
      "document.querySelector('#neighbours table') !== null && document.querySelector('#graph svg') !== null",
    );
    const workload = `?view=workload&end=${encodeURIComponent("red/[app=web]")}`;
    const [shown] = await both(workload, "document.querySelector('[data-way=out] li') !== null");
    expect(shown).toContain("red/[app=db]");
  });

  test("without a view it begins with home; links and filters lead on, and what it does not have it says", async () => {
    page.events.length = 0;
    expect(await inFile("")).toContain("What the policies say");
    expect(await page.run("[...document.querySelectorAll('#views a')].map((one) => one.innerText)")).toEqual([
      "Home",
      "Plan",
      "Order",
    ]);
    expect(await page.run("document.getElementById('world').innerText")).toMatch(
      /as of 20\d\d-\d\d-\d\d \d\d:\d\d UTC/,
    );
    await page.run("document.querySelector('#views a:nth-of-type(2)').click()");
    // Home has a matrix too, until the file has been loaded again.
    await page.until("location.search === '?view=plan' && document.querySelector('.matrix a') !== null");
    await page.run("document.querySelector('.matrix a').click()");
    await page.until("document.querySelector('.class') !== null");
    expect(await page.run("document.activeElement.id")).toBe("classes");
    expect(bad()).toEqual([]);
    expect(await inFile("?view=order&q=closed")).toContain(
      "this file has no answer to that: northgate ui has",
    );
    expect(await inFile("?view=pod&pod=red/absent")).toContain("this file has no answer to that");
  });

  test("axe finds nothing; hostile names are text", async () => {
    await inFile("?view=plan&from=red&to=blue");
    expect(await violationsOn(page)).toEqual([]);
    expect(await inFile("?view=order")).toContain("closed");
    expect(await page.run("document.querySelectorAll('main img, main script').length")).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("\\u003cimg src=x onerror");
  });

  test("over HTTP, from any server, it is the same; one letter of its script more, and nothing of it runs", async () => {
    let text = readFileSync(file, "utf8");
    const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(text));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    try {
      expect(await shown(`http://127.0.0.1:${port}/any/place?view=order`)).toBe(await served("?view=order"));
      text = text.replace('"use strict";', '"use strict"; ');
      await page.load(`http://127.0.0.1:${port}/`);
      expect(await page.run("document.querySelector('main').innerText")).toBe("The objects are being read…");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
