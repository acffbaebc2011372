// `northgate cleanup`: deletes every row of ours from the database and our conditions from the policies. Shows what it
// would do and does it only with --yes, and only as the one writer: it refuses beside a `run` that lives, which would write
// the rows again. Without our rows no policy is enforced.

import type { Command } from "commander";
import { tlsFiles } from "../config/remotes.ts";
import type { OwnedPolicy } from "../backend-kind.ts";
import { backendNamed } from "../backends.ts";
import type { CleanupConfig } from "../config/config.ts";
import { readCleanupConfig } from "../config/config.ts";
import { UsageError } from "../config/values.ts";
import type { Installed } from "../dialects.ts";
import { dialectDefaults, everyDialect, installed, kindsNamed } from "../dialects.ts";
import { HttpApi, StatusWriter, listPolicies, noStatus, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import { counted } from "../lib/counted.ts";
import { silentLogger } from "../lib/logger.ts";
import type { ShownKey } from "../model/object.ts";
import { shownAmong } from "../model/object.ts";
import { printable } from "../model/quote.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import { printError } from "./print/print-error.ts";
import { declareFlags, precedence } from "./flags.ts";

export function addCleanup(program: Command): void {
  const command = program
    .command("cleanup")
    .summary("remove every row and condition of ours; shows them first, does it with --yes")
    .description(
      "Removes the Port_Group, Address_Set and ACL rows that Northgate owns from the Northbound database, what run --observe " +
        "samples ACLs with, and its conditions from the policies: of the kinds that `run` follows by default, or of those that --kind names, because rows " +
        "of the others may be another program's. From then on no policy of these kinds is enforced. " +
        "Stop every `northgate run` first: while one writes, --yes is refused after 15 s. One that stood by writes them " +
        "again, and is named.",
    );
  const given = declareFlags(command, "cleanup");
  command
    .addHelpText(
      "after",
      `\n${precedence}Exit codes: 0 done (or shown), 1 something is left, 2 wrong usage.\n`,
    )
    .action(async () => {
      process.exitCode = await cleanup(readCleanupConfig(given()));
    });
}

async function cleanup(config: CleanupConfig): Promise<number> {
  const { backend, nb, tls, yes } = config;
  const { owners, shown } = meant(config);
  let code = 0;
  try {
    const isAlone = await backendNamed(backend).live.cleanUp({
      ...{ remotes: nb, tls: tls && tlsFiles(tls), owners, removes: yes, warn: printError },
      show: (owned) => process.stdout.write(text(owned, shown, config)),
      removed: async () => {
        if (config.conditions) code = await withdrawConditions(config);
      },
    });
    return isAlone ? code : 1;
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** Kinds that `run` does not follow by default by name only: another program may have rows of them that look like ours. */
function meant({
  kinds: names,
}: CleanupConfig): Pick<Installed, "policies" | "references" | "owners" | "shown"> {
  if (names.length === 0) return installed(dialectDefaults);
  const policies = names.map((name) => {
    const kind = kindsNamed.get(name);
    if (kind !== undefined) return kind;
    throw new UsageError(`--kind: ${JSON.stringify(name)} is not ${[...kindsNamed.keys()].join(", ")}`);
  });
  const owners = new Map(policies.map((kind) => [kind.ownerType, kind]));
  // Conditions of a group are taken when no kind is left whose policies may name it.
  const whole = everyDialect.dialects.filter(({ kinds }) =>
    kinds.every(({ ownerType }) => owners.has(ownerType)),
  );
  const references = whole.flatMap((dialect) => dialect.references);
  return { policies, references, owners, shown: shownAmong([...policies, ...references]) };
}

function text(owned: readonly OwnedPolicy[], shown: ShownKey, config: CleanupConfig): string {
  const rows = owned.map(({ policy, rows: counts }) => ({
    ...{ policy: policy === null ? sharedByPolicies : shown(policy), ...counts },
  }));
  if (config.output === "json") return `${JSON.stringify(rows, null, 2)}\n`;
  return preview(owned, shown, config);
}

async function withdrawConditions(config: CleanupConfig): Promise<number> {
  const { kubeconfig, zone } = config;
  const { shown, policies: kinds, references } = meant(config);
  try {
    const api = new HttpApi({
      credentials: await openKubeconfig({ path: kubeconfig }),
      clock: systemClock,
    });
    const fatal = (error: unknown): void => {
      throw error;
    };
    const writer = new StatusWriter({
      api,
      statusOf: () => noStatus,
      zone,
      shown,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      fatal,
    });
    const policies = await listPolicies(
      api,
      kinds.filter(({ conditions }) => conditions !== null),
    );
    const others = await listPolicies(
      api,
      references.filter(({ status }) => status !== undefined),
    );
    const failed = await writer.withdraw([...policies, ...others]);
    await writer.stop();
    api.close();
    for (const { key, reason } of failed) printError(`${shown(key)}: its condition is left: ${reason}`);
    if (failed.length === 0)
      process.stdout.write(`conditions withdrawn from ${counted(policies.length, "policy", "policies")}\n`);
    return failed.length === 0 ? 0 : 1;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    printError(`the conditions are kept (--no-conditions confirms this): ${reason}`);
    return 1;
  }
}

function preview(owned: readonly OwnedPolicy[], shown: ShownKey, { yes, backend }: CleanupConfig): string {
  if (owned.length === 0) return `${backendNamed(backend).live.nothingOwned}\n`;
  const lines = owned.map(({ policy, rows }) => {
    const counts = Object.entries(rows).map(([sort, count]) => counted(count, nouns[sort] ?? sort));
    return `  ${policy === null ? sharedByPolicies : printable(shown(policy))}: ${counts.join(", ")}\n`;
  });
  const policies = owned.filter(({ policy }) => policy !== null && !isOwnPolicy(policy)).length;
  const last = yes ? "" : "nothing was removed; --yes removes them\n";
  return `${yes ? "removing" : "would remove"} the rows of ${counted(policies, "policy", "policies")}:\n${lines.join("")}${last}`;
}

/** In place of a policy's name. */
const sharedByPolicies = "(shared by policies)";
const nouns: Readonly<Record<string, string>> = {
  ...{ portGroups: "port group", acls: "ACL", addressSets: "address set", rules: "rule", sets: "set" },
  samplingRows: "sampling row",
};
