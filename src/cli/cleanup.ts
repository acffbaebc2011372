// `northgate cleanup`: takes every row of ours out of the database and our conditions off the policies. Shows what it
// would do and does it only with --yes. Without our rows nothing of the policies is enforced.

import type { Command } from "commander";
import { kinds, tlsFiles } from "../wiring/assemble.ts";
import { readNorthboundConfig, UsageError } from "../config/config.ts";
import { runSettings } from "../config/settings.ts";
import { dialects } from "../dialects.ts";
import { HttpApi, StatusWriter, listPolicies, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import { silentLogger } from "../lib/logger.ts";
import { Actual, northboundMonitors } from "../nbdb/actual/actual.ts";
import { policyOwners } from "../nbdb/rows/owners.ts";
import type { OwnedRows } from "../nbdb/write/cleanup.ts";
import { ownedRows, removeOwnedRows } from "../nbdb/write/cleanup.ts";
import { northbound } from "../nbdb/rows/schema.ts";
import { openSession } from "../ovsdb/index.ts";

interface CleanupFlags {
  readonly yes: boolean;
  readonly conditions: boolean;
  readonly kubeconfig?: string;
  readonly zone?: string;
  readonly output: string;
}

const nbFlags: readonly string[] = ["nb", "nb-private-key", "nb-certificate", "nb-ca-cert"];

export function addCleanup(program: Command): void {
  const command = program
    .command("cleanup")
    .summary("remove every row and condition of ours; shows them first, does it with --yes")
    .description(
      "Removes the Port_Group, Address_Set and ACL rows that Northgate owns from the Northbound database, and its " +
        "conditions from the policies. From then on no AdminNetworkPolicy and no BaselineAdminNetworkPolicy is enforced. " +
        "Stop `northgate run` first: it would write them again.",
    )
    .option("--yes", "do it; without this flag it only shows what it would remove", false)
    .option("--no-conditions", "leave the conditions on the policies (no cluster is asked)")
    .option("--kubeconfig <FILE>", "the cluster whose policies carry our conditions")
    .option("--zone <NODE>", "the zone whose conditions are withdrawn (as given to run)")
    .option("-o, --output <format>", "table or json", "table");
  for (const { flag, argument, help } of runSettings) {
    if (nbFlags.includes(flag)) command.option(`--${flag} <${argument}>`, help);
  }
  command
    .addHelpText("after", "\nExit codes: 0 done (or shown), 1 something is left, 2 wrong usage.\n")
    .action(async (flags: CleanupFlags & Readonly<Record<string, string>>) => {
      process.exitCode = await cleanup(flags);
    });
}

async function cleanup(flags: CleanupFlags & Readonly<Record<string, unknown>>): Promise<number> {
  if (flags.output !== "table" && flags.output !== "json") throw new UsageError("--output: table or json");
  const { nb, tls } = readNorthboundConfig({
    flags: {
      nb: text(flags["nb"]),
      "nb-private-key": text(flags["nbPrivateKey"]),
      "nb-certificate": text(flags["nbCertificate"]),
      "nb-ca-cert": text(flags["nbCaCert"]),
    },
    environment: process.env,
    file: null,
  });
  const session = openSession({
    remotes: nb,
    database: northbound,
    monitors: northboundMonitors(policyOwners(kinds)),
    ...(tls === null ? {} : { tls: tlsFiles(tls) }),
  });
  try {
    await opened(session.opened(), () => session.failure?.message);
    const actual = new Actual(session.cache, policyOwners(kinds));
    const rows = ownedRows(actual);
    process.stdout.write(
      flags.output === "json" ? `${JSON.stringify(rows, null, 2)}\n` : preview(rows, flags.yes),
    );
    if (!flags.yes) return 0;
    await removeOwnedRows(session, actual);
  } catch (error) {
    process.stderr.write(`northgate: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await session.close();
  }
  return flags.conditions ? await withdrawConditions(flags) : 0;
}

async function opened(promise: Promise<void>, failure: () => string | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no Northbound database within 15 s: ${failure() ?? "no answer"}`));
    }, 15_000);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function withdrawConditions(flags: CleanupFlags): Promise<number> {
  try {
    const api = new HttpApi({
      credentials: await openKubeconfig({ path: flags.kubeconfig ?? null }),
      clock: systemClock,
    });
    const fatal = (error: unknown): void => {
      throw error;
    };
    const writer = new StatusWriter({
      api,
      conditionsOf: () => [],
      zone: flags.zone ?? null,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      fatal,
    });
    const policies = await listPolicies(api, dialects);
    const failed = await writer.withdraw(policies);
    await writer.stop();
    api.close();
    for (const { key, reason } of failed)
      process.stderr.write(`northgate: ${key}: its condition is left: ${reason}\n`);
    if (failed.length === 0) process.stdout.write(`conditions withdrawn from ${policies.length} policies\n`);
    return failed.length === 0 ? 0 : 1;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `northgate: the conditions are left (--no-conditions says that is meant): ${reason}\n`,
    );
    return 1;
  }
}

function preview(rows: readonly OwnedRows[], yes: boolean): string {
  if (rows.length === 0) return "no rows of Northgate's are in the database\n";
  const lines = rows.map(
    ({ unit, portGroups, acls, addressSets }) =>
      `  ${unit}: ${portGroups} port group, ${acls} ACLs, ${addressSets} address sets\n`,
  );
  const last = yes ? "" : "nothing was removed; --yes removes them\n";
  return `${yes ? "removing" : "would remove"} the rows of ${rows.length} policies:\n${lines.join("")}${last}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
