// `make audit`: licences and known advisories of everything that a production install brings. Advisories need the registry;
// when it cannot be asked they are SKIPPED, which is a failure under CI=true. Exit codes: 0 nothing found, 1 something.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readAdvisories } from "./support/advisories.ts";
import type { LockedPackage } from "./support/licences.ts";
import { licencesOf } from "./support/licences.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const say = (text: string) => process.stdout.write(`${text}\n`);

function auditLicences(): boolean {
  say("== licences of production dependencies");
  const lock = JSON.parse(readFileSync(`${repository}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = licencesOf(lock.packages);
  const counts = new Map<string, number>();
  for (const { licence } of found) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const summary = [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${licence} ${count}`);
  say(`   ${found.length} packages: ${summary.join(", ")}`);
  const refused = found.filter(({ allowed }) => !allowed);
  for (const { name, licence } of refused) {
    say(`   NOT ALLOWED: ${name}: ${licence || "no licence"} (scripts/support/licences.ts has the list)`);
  }
  return refused.length === 0;
}

function auditAdvisories(): boolean {
  say("== advisories for production dependencies");
  const options = { cwd: repository, encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 26 } as const;
  const { stdout, stderr, error } = spawnSync("npm", ["audit", "--omit=dev", "--json"], options);
  const advisories = error === undefined ? readAdvisories(stdout || stderr) : null;
  if (advisories?.kind === "none") {
    say("   none");
    return true;
  }
  if (advisories?.kind === "found") {
    for (const line of advisories.lines) say(`   ${line}`);
    return false;
  }
  say(`   SKIPPED: the registry told no advisories: ${advisories?.why ?? String(error?.message)}`);
  return process.env["CI"] !== "true";
}

const licences = auditLicences();
const advisories = auditAdvisories();
process.exitCode = licences && advisories ? 0 : 1;
