// `northgate cleanup`: deletes every row of ours from the database and our conditions from the policies. Shows what it
// would do and does it only with --yes, and only as the one writer: it refuses beside a `run` that lives, which would write
// the rows again. Without our rows no policy is enforced.

import type { Command } from "commander";
import { tlsFiles } from "../wiring/assemble.ts";
import type { CleanupConfig } from "../config/config.ts";
import { readCleanupConfig } from "../config/config.ts";
import { UsageError } from "../config/values.ts";
import type { Installed } from "../dialects.ts";
import { dialectDefaults, every, installed, kindsNamed } from "../dialects.ts";
import { HttpApi, StatusWriter, listPolicies, noStatus, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import { counted } from "../lib/counted.ts";
import { endsWithin } from "../lib/deadline.ts";
import { silentLogger } from "../lib/logger.ts";
import { Actual, northboundMonitors } from "../nbdb/actual/actual.ts";
import { rowOwners } from "../nbdb/rows/owners.ts";
import { isPolicyUnit, policyOfUnit } from "../nbdb/rows/unit.ts";
import type { OwnedRows } from "../nbdb/write/cleanup.ts";
import { ownedRows, removeOwnedRows } from "../nbdb/write/cleanup.ts";
import { electionLock } from "../nbdb/write/election.ts";
import type { NorthboundView, NorthboundWriter } from "../nbdb/write/northbound-writer.ts";
import { northbound } from "../nbdb/rows/schema.ts";
import { openSession } from "../ovsdb/index.ts";
import type { ShownKey } from "../model/object.ts";
import { shownAmong } from "../model/object.ts";
import { printable } from "../model/quote.ts";
import { asWriter, successor } from "./as-writer.ts";
import { complain } from "./complain.ts";
import { declareFlags, precedence } from "./flags.ts";

type ShownRows = Omit<OwnedRows, "unit"> & { readonly policy: string };

export function addCleanup(program: Command): void {
  const command = program
    .command("cleanup")
    .summary("remove every row and condition of ours; shows them first, does it with --yes")
    .description(
      "Removes the Port_Group, Address_Set and ACL rows that Northgate owns from the Northbound database, and its " +
        "conditions from the policies: of the kinds that `run` follows by default, or of those that --kind names, because rows " +
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
  const { nb, tls, yes } = config;
  const { owners } = meant(config);
  const session = openSession({
    remotes: nb,
    database: northbound,
    // Rows of other kinds may refer to sets that several kinds share.
    monitors: northboundMonitors(rowOwners(every.owners)),
    leader: "first",
    ...(yes ? { lock: electionLock } : {}),
    ...(tls === null ? {} : { tls: tlsFiles(tls) }),
  });
  try {
    await opened(session.opened(), () => session.failure?.message);
    if (yes) {
      const code = await asWriter(session, (writer) => remove(session, writer, config));
      return (await isAlone(session)) ? code : 1;
    }
    show(new Actual(session.cache, rowOwners(owners)), config);
    return 0;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await session.close();
  }
}

/** Whether nobody writes the rows again. */
async function isAlone(session: NorthboundView): Promise<boolean> {
  const next = await successor(session);
  if (next !== null)
    complain(`an instance that stood by writes now: ${next}; stop it, and run the cleanup again`);
  return next === null;
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
  const whole = every.dialects.filter(({ kinds }) => kinds.every(({ ownerType }) => owners.has(ownerType)));
  const references = whole.flatMap((dialect) => dialect.references);
  return { policies, references, owners, shown: shownAmong([...policies, ...references]) };
}

async function remove(
  session: NorthboundView,
  writer: NorthboundWriter,
  config: CleanupConfig,
): Promise<number> {
  const { owners } = meant(config);
  // What was waited for may have changed rows.
  const actual = new Actual(session.cache, rowOwners(owners));
  show(actual, config);
  await removeOwnedRows(writer, actual);
  return config.conditions ? await withdrawConditions(config) : 0;
}

function show(actual: Actual, config: CleanupConfig): void {
  const { yes, output } = config;
  const owned = ownedRows(actual);
  const rows = shownRows(owned, meant(config).shown);
  const policies = owned.filter(({ unit }) => isPolicyUnit(unit)).length;
  const text = output === "json" ? `${JSON.stringify(rows, null, 2)}\n` : preview(rows, policies, yes);
  process.stdout.write(text);
}

async function opened(promise: Promise<void>, failure: () => string | undefined): Promise<void> {
  if (await endsWithin(systemClock, 15_000, promise)) return;
  throw new Error(`no Northbound database within 15 s: ${failure() ?? "no answer"}`);
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
    for (const { key, reason } of failed) complain(`${shown(key)}: its condition is left: ${reason}`);
    if (failed.length === 0)
      process.stdout.write(`conditions withdrawn from ${counted(policies.length, "policy", "policies")}\n`);
    return failed.length === 0 ? 0 : 1;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    complain(`the conditions are left (--no-conditions says that is meant): ${reason}`);
    return 1;
  }
}

function preview(rows: readonly ShownRows[], policies: number, yes: boolean): string {
  if (rows.length === 0) return "no rows of Northgate's are in the database\n";
  const lines = rows.map(
    ({ policy, portGroups, acls, addressSets }) =>
      `  ${printable(policy)}: ${counted(portGroups, "port group")}, ${counted(acls, "ACL")}, ${counted(addressSets, "address set")}\n`,
  );
  const last = yes ? "" : "nothing was removed; --yes removes them\n";
  return `${yes ? "removing" : "would remove"} the rows of ${counted(policies, "policy", "policies")}:\n${lines.join("")}${last}`;
}

/** In place of a policy's name. */
const sharedByPolicies = "(shared by policies)";

/** A line for each policy, and one for all that policies share. */
function shownRows(rows: readonly OwnedRows[], shown: ShownKey): readonly ShownRows[] {
  const shared = { policy: sharedByPolicies, portGroups: 0, acls: 0, addressSets: 0 };
  const policies: ShownRows[] = [];
  for (const { unit, ...counts } of rows) {
    const policy = policyOfUnit(unit);
    if (policy !== null) policies.push({ policy: shown(policy), ...counts });
    else for (const count of ["portGroups", "acls", "addressSets"] as const) shared[count] += counts[count];
  }
  return policies.length < rows.length ? [...policies, shared] : policies;
}
