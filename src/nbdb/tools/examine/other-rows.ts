// Rows that no run with these flags looks after: of kinds that are switched off, and those that exist twice because two programs have
// written them.

import type { Examination } from "../../../backend-kind.ts";
import type { Finding } from "../../../doctor/finding.ts";
import { fail, ok } from "../../../doctor/finding.ts";
import { counted } from "../../../lib/counted.ts";
import { excerptOf } from "../../../lib/text/few.ts";
import { printable } from "../../../model/quote.ts";
import type { Cache } from "../../../ovsdb/index.ts";
import { keys } from "../../rows/names.ts";
import { ownerOf, rowOwners } from "../../rows/owners.ts";
import type { Northbound } from "../../rows/schema.ts";
import { keptRows, keptText, kindsOff, remedyOf } from "../../run/foreign-rows.ts";

const check = "other-rows";

/** Rows that a finding names. */
const named = 3;

export function checkOtherRows(
  cache: Cache<Northbound>,
  { settings, owners }: Pick<Examination, "settings" | "owners">,
): readonly Finding[] {
  const groups = Array.from(cache.table("Port_Group").entries(), ([, row]) => row);
  const kept = keptRows(kindsOff(settings.kindFlags), groups);
  const faults = [
    ...twice(cache, owners),
    ...kept.filter(({ isOurs }) => isOurs).map((one) => fail(check, keptText(one), remedyOf(one))),
  ];
  if (faults.length > 0) return faults;
  const foreign = kept.map(({ name, portGroups }) => `${name}, ${counted(portGroups, "port group")}`);
  const said =
    foreign.length === 0
      ? "no rows of another program's policies"
      : `rows of kinds that another program enforces, and that are left alone: ${foreign.join("; ")}`;
  return [ok(check, said)];
}

/** A writer makes each ACL once. */
function twice(cache: Cache<Northbound>, owners: Examination["owners"]): readonly Finding[] {
  const own = rowOwners(owners);
  const counts = new Map<string, number>();
  for (const [, { external_ids: ids }] of cache.table("ACL").entries()) {
    const id = ids.get(keys.id);
    if (id !== undefined && ownerOf(ids, own) !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const doubled = [...counts].filter(([, count]) => count > 1).map(([id]) => printable(id));
  if (doubled.length === 0) return [];
  return [
    fail(
      check,
      `${counted(doubled.length, "ACL")} of policies that Northgate enforces exist more than once: ` +
        excerptOf(doubled.length, doubled.slice(0, named)),
      "stop the other program that enforces these kinds, ovnkube with --enable-admin-network-policy for one",
    ),
  ];
}
