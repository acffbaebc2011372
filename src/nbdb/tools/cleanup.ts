// Removes our rows from a Northbound database, as the one writer: refuses beside a `run` that lives, which would write the rows
// again.

import type { Cleanup, OwnedPolicy } from "../../backend-kind.ts";
import { everyDialect } from "../../dialects.ts";
import { systemClock } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import { openSession } from "../../ovsdb/index.ts";
import { Actual, northboundMonitors } from "../actual/actual.ts";
import { ownerOf, rowOwners } from "../rows/owners.ts";
import { northbound } from "../rows/schema.ts";
import { policyOfUnit } from "../rows/unit.ts";
import { ownedRows, removeOwnedRows } from "../write/cleanup.ts";
import { electionLock } from "../write/election.ts";
import type { NorthboundView } from "../write/northbound-writer.ts";
import { NorthboundWriter } from "../write/northbound-writer.ts";
import type { FoundSampling, SampledAcl } from "../write/sampling-removal.ts";
import { findSampling, planRemoval } from "../write/sampling-removal.ts";
import { asWriter, successor } from "./as-writer.ts";

/** Resolves with whether no instance writes the rows again; rejects with an Error of one sentence. */
export async function cleanUp(cleanup: Cleanup): Promise<boolean> {
  const { remotes, tls, owners, removes, show, warn, removed } = cleanup;
  const session = openSession({
    remotes,
    database: northbound,
    // Rows of other kinds may refer to sets that several kinds share.
    monitors: northboundMonitors(rowOwners(everyDialect.owners)),
    leader: "first",
    ...(removes ? { lock: electionLock } : {}),
    ...(tls === null ? {} : { tls }),
  });
  try {
    await opened(session.opened(), () => session.failure?.message);
    const isMeant = ({ externalIds }: SampledAcl) => ownerOf(externalIds, rowOwners(owners)) !== null;
    const shown = async (writer: NorthboundWriter, actual: Actual) =>
      owned(actual, samplingRows(await findSampling(writer), isMeant));
    if (!removes) {
      show(await shown(new NorthboundWriter({ session }), new Actual(session.cache, rowOwners(owners))));
      return true;
    }
    await asWriter(session, warn, async (writer) => {
      // What was waited for may have changed rows.
      const actual = new Actual(session.cache, rowOwners(owners));
      show(await shown(writer, actual));
      await removeOwnedRows(writer, actual);
      const left = await findSampling(writer);
      if (left?.acls.length === 0) await writer.transact(planRemoval(left));
      await removed();
    });
    return await isAlone(session, warn);
  } finally {
    await session.close();
  }
}

/** How many rows that Samples need are left without the ACLs that are meant. */
function samplingRows(found: FoundSampling | null, isMeant: (acl: SampledAcl) => boolean): number {
  if (found?.acls.every(isMeant) !== true) return 0;
  return found.collectors.length + (found.isShared ? 0 : found.apps.length);
}

/** A line for each policy, and at the end one for all that policies share. `ofSampling`: see samplingRows. */
function owned(actual: Actual, ofSampling: number): readonly OwnedPolicy[] {
  const shared = { portGroups: 0, acls: 0, addressSets: 0 };
  const policies: OwnedPolicy[] = [];
  const rows = ownedRows(actual);
  for (const { unit, ...counts } of rows) {
    const policy = policyOfUnit(unit);
    if (policy !== null) policies.push({ policy, rows: counts });
    else for (const count of ["portGroups", "acls", "addressSets"] as const) shared[count] += counts[count];
  }
  if (ofSampling > 0) return [...policies, { policy: null, rows: { ...shared, samplingRows: ofSampling } }];
  return policies.length < rows.length ? [...policies, { policy: null, rows: shared }] : policies;
}

/** Whether no instance writes the rows again. */
async function isAlone(session: NorthboundView, warn: (line: string) => void): Promise<boolean> {
  const next = await successor(session);
  if (next !== null)
    warn(`an instance that stood by writes now: ${next}; stop it, and run the cleanup again`);
  return next === null;
}

async function opened(promise: Promise<void>, failure: () => string | undefined): Promise<void> {
  if (await endsWithin(systemClock, 15_000, promise)) return;
  throw new Error(`no Northbound database within 15 s: ${failure() ?? "no answer"}`);
}
