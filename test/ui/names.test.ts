// Recorded answers of DNS on the page: a name as the destination of the tester, in Chromium. Its verdicts are those of `northgate explain`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { StateShown } from "../../src/ui/shown.ts";
import { chromiumOrSkip } from "../support/chromium.ts";
import { namespaceOf, nodeOf, podOf } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";
import { patience } from "../support/patience.ts";
import { expectNoComplaints } from "./complaints.ts";
import type { OpenedPage } from "./opened.ts";
import { openPage } from "./opened.ts";

jest.setTimeout(patience(120_000));

const program = chromiumOrSkip();
const all = { namespaces: {} };
const objects = [
  ...[namespaceOf("shop"), nodeOf("n"), podOf("shop", "web", "10.0.0.1")],
  {
    ...{
      apiVersion: "policy.networking.k8s.io/v1alpha1",
      kind: "AdminNetworkPolicy",
      metadata: { name: "p" },
    },
    spec: {
      ...{ priority: 1, subject: all },
      egress: [
        { action: "Deny", to: [{ networks: ["198.51.100.2/32"] }] },
        { action: "Allow", to: [{ domainNames: ["api.example.org", "www.example.org"] }] },
        { action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] },
      ],
    },
  },
];
const recorded = {
  recordedAt: "2026-11-28T09:00:00Z",
  names: [
    { name: "api.example.org", addresses: ["198.51.100.1", "198.51.100.2", "2001:db8::1"] },
    { name: "www.example.org", addresses: ["198.51.100.3"] },
  ],
};

(program === null ? describe.skip : describe)("names of domains", () => {
  let opened: OpenedPage;
  let file: string;
  const folder = mkdtempSync(join(tmpdir(), "northgate-names-"));

  beforeAll(async () => {
    file = join(folder, "names.json");
    writeFileSync(file, JSON.stringify(recorded));
    opened = await openPage(program!, objects, ["--names-file", file]);
  });
  afterAll(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => {
    expectNoComplaints(opened.page);
  });

  const ask = async (to: string) => {
    await opened.page.go(`${opened.ui.address}/?view=tester&from=shop/web&to=${to}&protocol=tcp&port=443`);
    return opened.page.run<string>("document.querySelector('main').innerText");
  };
  const verdictOf = (to: string): string => {
    const args = ["explain", "-f", opened.folder, "--names-file", file, "--from", "shop/web", "--to", to];
    const { stdout } = northgate(...args, "--protocol", "tcp", "--port", "443", "-o", "json");
    return (JSON.parse(stdout) as { readonly verdict: string }).verdict;
  };

  test("with several addresses have an answer for each that the source can reach", async () => {
    const text = await ask("api.example.org");
    expect(text).toContain("api.example.org leads to 3 addresses; each has its own answer.");
    expect(text).toMatch(/allowed\s+to\s+198\.51\.100\.1\n/i);
    expect(text).toMatch(/denied\s+to\s+198\.51\.100\.2\n/i);
    expect(text).not.toContain("2001:db8::1");
    expect(["198.51.100.1", "198.51.100.2"].map(verdictOf)).toEqual(["allow", "deny"]);
    await opened.page.run(
      "[...document.querySelectorAll('main a')].find((one) => one.textContent === '198.51.100.1').click()",
    );
    await opened.page.settled();
    expect(await opened.page.run("location.search")).toContain("to=198.51.100.1&");
  });

  test("with one address have its answer, and one without a record says so", async () => {
    expect(await ask("WWW.example.org.")).toMatch(/allowed/i);
    expect(verdictOf("www.example.org")).toBe("allow");
    expect(await ask("other.example.org")).toContain("nothing is recorded of what DNS answers");
  });

  test("are of the time that the page names", async () => {
    const response = await fetch(`${opened.ui.address}/api/state`);
    const { from } = (await response.json()) as StateShown;
    expect(from).toContain("answers of DNS of 2026-11-28T09:00:00Z");
  });
});
