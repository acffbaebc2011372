// The pictures of the page: node scripts/screenshots.ts writes those of the README and docs/ui.md into docs/images; with a
// folder, node scripts/screenshots.ts DIR, every view at three widths in light and dark, to be looked at.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, chromiumOrSkip } from "../test/support/chromium.ts";
import { startUi } from "../test/support/ui.ts";

const coredns = "kube-system/coredns-76f75df574-5sn7h";
const splunk = "splunk/splunk-5f8c6d9f7b-7jx2p";
const old = "examples/cluster-control";

const views = {
  home: "/",
  policy: "/?view=policy&policy=AdminNetworkPolicy.policy.networking.k8s.io/cluster-control&rule=ingress[2]",
  namespace: "/?view=namespace&namespace=splunk",
  workload: `/?view=workload&end=${encodeURIComponent("kube-system/[app=dns]")}`,
  search: "/?view=search&q=splunk",
  start: "/?view=pod",
  pod: `/?view=pod&pod=${coredns}`,
  tester: `/?view=tester&from=${splunk}&to=${coredns}&protocol=udp&port=5353`,
  plan: "/?view=plan",
  class: "/?view=plan&from=ingress-nginx&to=splunk",
  order: "/?view=order",
};

const [into] = process.argv.slice(2);
const program = chromiumOrSkip();
if (program === null) process.exit(3);
const edited = mkdtempSync(join(tmpdir(), "northgate-screenshots-"));
const policies = `${old}/policies/cluster-control.yaml`;
const text = readFileSync(policies, "utf8");
// An edit that mends DNS, by leaving what arrives to who sends it, and a slip in it: a port of Splunk's.
writeFileSync(
  join(edited, "cluster-control.yaml"),
  text.replace(/(# rule4\s+action: )"Deny"/, '$1"Pass"').replace("port: 8991", "port: 8990"),
);
writeFileSync(
  join(edited, "default-baseline.yaml"),
  readFileSync(`${old}/policies/default-baseline.yaml`, "utf8").replace('"Deny"', '"Allow"'),
);
const ui = await startUi("-f", edited, "--plan-against", `dir:${old}`);
const plain = await startUi("-f", old);
const browser = await Browser.start(program);

async function take(
  file: string,
  view: keyof typeof views,
  how: { width: number; height: number; scheme: "light" | "dark"; scale?: number },
): Promise<void> {
  const from = view === "plan" || view === "class" ? ui : plain;
  const page = await browser.open();
  await page.look(how.width, how.height, how.scheme, how.scale);
  await page.go(from.address + views[view]);
  writeFileSync(file, await page.screenshot());
  await page.close();
  process.stdout.write(`${file}\n`);
}

try {
  if (into === undefined) {
    mkdirSync("docs/images", { recursive: true });
    await take("docs/images/ui-home.png", "home", { width: 1200, height: 900, scheme: "light" });
    await take("docs/images/ui-policy.png", "policy", { width: 1200, height: 900, scheme: "light" });
    await take("docs/images/ui-workload.png", "workload", { width: 1200, height: 900, scheme: "light" });
    await take("docs/images/ui-pod.png", "pod", { width: 1200, height: 780, scheme: "light" });
    await take("docs/images/ui-tester.png", "tester", { width: 1200, height: 780, scheme: "dark" });
    await take("docs/images/ui-plan.png", "class", { width: 1200, height: 900, scheme: "light" });
  } else {
    mkdirSync(into, { recursive: true });
    const names = Object.keys(views) as (keyof typeof views)[];
    const sizes = [390, 900, 1440].flatMap((width) => [
      { width, scheme: "light" as const },
      { width, scheme: "dark" as const },
    ]);
    const all = names.flatMap((view) => sizes.map((size) => ({ view, ...size })));
    for (const { view, width, scheme } of all)
      await take(join(into, `${view}-${width}-${scheme}.png`), view, {
        ...{ width, height: width === 390 ? 1500 : 1300, scheme },
      });
  }
} finally {
  await browser.close();
  await ui.end();
  await plain.end();
  rmSync(edited, { recursive: true });
}
