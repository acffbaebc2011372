// Each view of the page in Chromium, opened once: at three widths, in light and dark, axe finds nothing and nothing is wider than the
// window. NORTHGATE_PICTURES=DIR writes what was seen there: `make pictures` takes the pictures of the documentation from it, each with
// the text that it shows. Every other run compares that text with what the page shows now: pixels differ with the fonts of a machine.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { violationsOn } from "../support/axe.ts";
import type { Page } from "../support/chromium.ts";
import { Browser, chromiumOrSkip } from "../support/chromium.ts";
import { writeJson } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";
import { expectNoComplaints } from "./complaints.ts";
import { troubled } from "./troubled.ts";
import { hostile } from "./world.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();
const pictures = process.env["NORTHGATE_PICTURES"];

const images = "docs/images";
const documented = "examples/cluster-control";
const coredns = "kube-system/coredns-76f75df574-5sn7h";
const splunk = "splunk/splunk-5f8c6d9f7b-7jx2p";
const policy = (name: string) => `?view=policy&policy=AdminNetworkPolicy.policy.networking.k8s.io/${name}`;
const app = encodeURIComponent("splunk/[app=splunk]");

const pasted = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: { name: pasted }
spec:
  priority: 0
  subject: { namespaces: {} }
  ingress: [{ name: ${JSON.stringify(hostile)}, action: Deny, from: [{ namespaces: {} }] }]
`;

/** By the names of their pictures. */
const views: Readonly<Record<"documented" | "troubled", Readonly<Record<string, string>>>> = {
  documented: {
    home: "",
    policy: `${policy("cluster-control")}&rule=ingress[2]`,
    namespace: "?view=namespace&namespace=splunk",
    graph: `?view=namespace&namespace=splunk&node=${app}&from=${app}&to=${encodeURIComponent("(outside)")}`,
    workload: `?view=workload&end=${encodeURIComponent("kube-system/[app=dns]")}`,
    search: "?view=search&q=splunk",
    "pod-none": "?view=pod",
    pod: `?view=pod&pod=${coredns}`,
    "tester-none": "?view=tester",
    tester: `?view=tester&from=${splunk}&to=${coredns}&protocol=udp&port=5353`,
    plan: "?view=plan",
    "plan-cell": "?view=plan&from=ingress-nginx&to=splunk#classes",
    order: "?view=order",
    "compare-none": "?view=compare",
    compare: "?view=compare",
  },
  troubled: {
    "home-troubled": "",
    "policy-hostile": `${policy("rules")}&rule=ingress[0]`,
    "policy-refused": policy("refused"),
    service: "?view=service&end=shop/svc/web",
  },
};

(program === null ? describe.skip : describe)("each view", () => {
  const folder = mkdtempSync(join(tmpdir(), "northgate-looks-"));
  const shown: Record<string, RunningUi> = {};
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const before = join(folder, "before");
    cpSync(documented, before, { recursive: true });
    const edit = (name: string, from: RegExp, to: string) => {
      const file = join(before, "policies", name);
      writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
    };
    edit("cluster-control.yaml", /(# rule4\s+action: )"Deny"/, '$1"Pass"');
    edit("cluster-control.yaml", /port: 8991/, "port: 8990");
    edit("default-baseline.yaml", /"Deny"/, '"Allow"');
    mkdirSync(join(folder, "troubled"));
    writeJson(join(folder, "troubled", "all.yaml"), troubled);
    shown["documented"] = await startUi("-f", documented, "--plan-against", `dir:${before}`);
    shown["troubled"] = await startUi("-f", join(folder, "troubled"));
    browser = await Browser.start(program!);
    page = await browser.open();
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  });
  afterAll(async () => {
    await browser.close();
    for (const ui of Object.values(shown)) expect(await ui.end()).toBe(0);
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    expectNoComplaints(page);
  });

  const sizes = [1440, 900, 390].flatMap((width) => [[width, "light"] as const, [width, "dark"] as const]);

  /** The styles alone know how wide the window is and what is liked, so one opening shows all. */
  async function expectToLookRight(name: string): Promise<void> {
    for (const [width, scheme] of sizes) {
      await page.look(width, 900, scheme);
      expect([name, width, scheme, await violationsOn(page)]).toEqual([name, width, scheme, []]);
      const [wide, inner] = await page.run<readonly number[]>(
        "[document.documentElement.scrollWidth, innerWidth]",
      );
      expect([inner, wide! <= inner!]).toEqual([width, true]);
      await expectToBePictured(`ui-${name}-${width}-${scheme}`);
    }
  }

  /** Of a picture that the documentation has, what it shows is what the page shows. */
  async function expectToBePictured(picture: string): Promise<void> {
    if (pictures === undefined && !existsSync(join(images, `${picture}.png`))) return;
    const seen = await page.run<string>("document.body.innerText");
    const text = `${seen.replaceAll(folder, "…").replaceAll(/[ \t]+$/gm, "")}\n`;
    if (pictures === undefined) {
      const kept = readFileSync(join(images, `${picture}.txt`), "utf8");
      expect({ picture, "made again by: make pictures W=page": text }).toEqual({
        ...{ picture, "made again by: make pictures W=page": kept },
      });
      return;
    }
    writeFileSync(join(pictures, `${picture}.txt`), text);
    writeFileSync(join(pictures, `${picture}.png`), await page.screenshot());
  }

  const all = Object.entries(views).flatMap(([world, own]) =>
    Object.entries(own).map(([name, query]) => [name, world, query] as const),
  );
  test.each(all)("%s", async (name, world, query) => {
    await page.look(1440, 900, "light");
    await page.go(`${shown[world]!.address}/${query}`);
    if (name === "compare") {
      await page.run("document.getElementById('yaml').focus()");
      await page.press(pasted, "Tab", "Enter");
      await page.until("document.querySelector('.matrix a') !== null");
    }
    await expectToLookRight(name);
  });

  test("is every view that the page has", () => {
    const source = readFileSync("src/ui/page/main.js", "utf8");
    const known = [...source.matchAll(/^ {2}(\w+): \{ title: .*draw: /gm)].map(([, name]) => name);
    const opened = all.map(([, , query]) => new URLSearchParams(query).get("view") ?? "home");
    expect([...new Set(opened)].sort()).toEqual(known.sort());
    expect(known.length).toBeGreaterThan(10);
  });
});
