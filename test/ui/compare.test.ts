// YAML that is pasted on the page: what it changes is what `northgate plan` says of the same edit, on random clusters; what is
// refused; and in Chromium, that it is dropped and pasted, and is in no address.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { matrixOf } from "../../src/plan/matrix.ts";
import type { PlanReport } from "../../src/plan/report.ts";
import type { ComparedShown, Making } from "../../src/ui/shown.ts";
import { violationsOn } from "../support/axe.ts";
import { Browser, chromiumOrSkip, type Page } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";
import { rawRequest } from "../support/raw-request.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";
import { drawWorlds, hostile, writeWorld } from "./world.ts";

jest.setTimeout(patience(120_000));

let folder: string;
let now: string;
let ui: RunningUi;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
  now = join(folder, "now");
  writeWorld(now, drawWorlds(18, 1)[0]!);
  ui = await startUi("-f", now);
});
afterAll(async () => {
  expect(await ui.end()).toBe(0);
  expect(ui.text()).toBe("");
  rmSync(folder, { recursive: true });
});

const yaml = { "content-type": "application/yaml" };
const send = (body: string, headers: Record<string, string> = yaml) =>
  fetch(`${ui.address}/api/compare`, { method: "POST", headers, body });
/** Of a text that is read: the plan, or why there is none. */
async function compared(text: string): Promise<ComparedShown | string> {
  const { id } = (await (await send(text)).json()) as { id: string };
  type Told = ComparedShown | Making | { readonly error: string };
  let told: Told = { isMaking: true };
  await eventually(async () => {
    told = (await (await fetch(`${ui.address}/api/compare?id=${id}`)).json()) as Told;
    expect("isMaking" in told && told.isMaking).toBe(false);
  });
  const answer = told as Told;
  if ("error" in answer) return answer.error;
  return answer.isMaking ? "it is never compared" : answer;
}
const policyFiles = (of: string) => readdirSync(of).filter((name) => name.startsWith("anp-"));
const textOf = (of: string) =>
  policyFiles(of)
    .map((name) => readFileSync(join(of, name), "utf8"))
    .join("\n---\n");

test("what it changes is what `plan` says of the same edit", async () => {
  let changed = 0;
  for (const [at, world] of drawWorlds(7, 4).entries()) {
    const [other, edited] = [join(folder, `other-${at}`), join(folder, `edited-${at}`)];
    writeWorld(other, world);
    cpSync(now, edited, { recursive: true });
    for (const name of policyFiles(other)) cpSync(join(other, name), join(edited, name));
    const wanted = JSON.parse(
      northgate("plan", "-f", edited, "--against", `dir:${now}`, "-o", "json").stdout,
    ) as PlanReport;
    const told = await compared(textOf(other));
    if (typeof told === "string") throw new Error(told);
    const cells = (all: readonly { from: string; to: string; changes: unknown }[]) =>
      all.map(({ from, to, changes }) => `${from} ${to} ${JSON.stringify(changes)}`).sort();
    expect(cells(told.matrix.cells)).toEqual(cells(matrixOf(wanted.verdicts).cells));
    expect(told.verdicts.total).toBe(wanted.verdicts.changes.length);
    expect(told.lines.total).toBe(wanted.verdicts.summary.length);
    expect([told.isOfNow, told.against]).toEqual([true, "what is shown"]);
    changed += told.verdicts.total;
  }
  expect(changed).toBeGreaterThan(20);
});

test.each([
  ["kind: [", /^\(pasted\):\d+:\d+: /],
  ["a: 1", /^\(pasted\):1: /],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", /has no object that is read here/],
  [
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: 'A b', namespace: red}\nspec: {podSelector: {}}\n",
    /metadata\.name/,
  ],
])("%j is refused with its place", async (text, reason) => {
  expect(await compared(text)).toMatch(reason);
});

test("a text comes from the page itself, is bounded, and is no form's", async () => {
  const status = async (body: string, headers: Record<string, string>) => (await send(body, headers)).status;
  expect(await status("a: 1", { "content-type": "text/plain" })).toBe(415);
  expect(await status("a: 1", { ...yaml, origin: "http://evil.example" })).toBe(403);
  expect(await status("a: 1", { ...yaml, "sec-fetch-site": "same-site" })).toBe(403);
  expect(await status("", yaml)).toBe(400);
  expect(await status(`#${"x".repeat(1024 * 1024)}`, yaml)).toBe(413);
  const head = "POST /api/compare HTTP/1.1\r\nContent-Type: application/yaml\r\n";
  const chunk = `${(512 * 1024).toString(16)}\r\n${"x".repeat(512 * 1024)}\r\n`;
  const chunked = `${head}Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`;
  expect(await rawRequest(ui.address, chunked)).toMatch(/^HTTP\/1\.1 413 /);
  expect(await rawRequest(ui.address, `${head}Host: evil.example\r\nContent-Length: 0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 421 /,
  );
  expect((await fetch(`${ui.address}/api/state`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${ui.address}/api/compare?id=none`)).status).toBe(404);
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(textOf(now))));
  expect(answers.map((one) => one.status).sort()).toEqual([202, 202, 503, 503]);
  await eventually(async () => {
    expect((await send("a: 1")).status).toBe(202);
  });
});

const program = chromiumOrSkip();

(program === null ? describe.skip : describe)("in a browser", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await Browser.start(program!);
    page = await browser.open();
    await page.look(1440, 900, "dark");
  });
  afterAll(() => browser.close());

  const deny = (name: string) => `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: { name: ${name} }
spec:
  priority: 0
  subject: { namespaces: {} }
  ingress: [{ name: ${JSON.stringify(hostile)}, action: Deny, from: [{ namespaces: {} }] }]
`;

  test("what is typed is compared; the address has the part that is shown, and neither text nor result", async () => {
    await page.go(`${ui.address}/?view=compare`);
    await page.run("document.getElementById('yaml').focus()");
    await page.press(deny("typed"), "Tab", "Enter");
    await page.until("document.querySelector('.matrix a.deny') !== null");
    expect(await page.run("location.search")).toBe("?view=compare");
    expect(await page.run("document.activeElement.type")).toBe("submit");
    await page.run("document.querySelector('.matrix a').click()");
    await page.until("document.querySelector('.class') !== null");
    expect(await page.run("location.search")).toMatch(/^\?view=compare&from=[\w+]+&to=[\w+]+$/);
    expect(await page.text()).toContain("<img src=x onerror=");
    expect(await page.run("document.querySelectorAll('main img, main script').length")).toBe(0);
    expect(await page.run("document.getElementById('yaml').value")).toBe(deny("typed"));
    expect(await violationsOn(page)).toEqual([]);
    // Another tab has the question alone.
    await page.go(await page.run<string>("location.href.replace('#classes', '')"));
    expect(
      await page.run("[document.getElementById('yaml').value, document.querySelector('.matrix')]"),
    ).toEqual(["", null]);
  });

  test("a file that is dropped anywhere and YAML that is pasted anywhere are compared; then the cluster changes", async () => {
    await page.go(`${ui.address}/?view=order`);
    await page.run(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(deny("dropped"))}], 'a.yaml'));
      document.querySelector('main').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    })()`);
    await page.until("document.querySelector('.matrix a.deny') !== null");
    expect(await page.run("document.getElementById('yaml').value")).toBe(deny("dropped"));
    expect(await page.text()).toContain("AdminNetworkPolicy dropped");
    await page.run(
      "[...document.querySelectorAll('#views a')].find((one) => one.innerText === 'Order').click()",
    );
    await page.until("document.querySelector('.order') !== null");
    await page.run(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify(deny("pasted"))});
      document.querySelector('main').dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    })()`);
    await page.until("document.querySelector('.edits')?.innerText.includes('AdminNetworkPolicy pasted')");
    expect(await page.text()).not.toContain("has changed since");
    writeFileSync(join(now, "new.yaml"), deny("other").replace("priority: 0", "priority: 1"));
    await page.until("document.body.innerText.includes('What is shown has changed since')");
    expect(await page.run("document.getElementById('yaml').value")).toBe(deny("pasted"));
    rmSync(join(now, "new.yaml"));
  });
});
