// The rows of kinds that are switched off: they stay in the database and in force, and nobody here follows them. They are
// counted once, at start. Nothing here may ever write to them: those of a kind that OVN-Kubernetes has too may be its own, and
// are told as a fact. What only Northgate writes was left by an earlier run: it is told as a warning, and stays a note of /readyz.

import { everyDialect, installed, kindsNamed } from "../../dialects.ts";
import { counted } from "../../lib/counted.ts";
import type { Logger } from "../../lib/logger.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { ObjectKind } from "../../model/object.ts";
import type { Condition } from "../../ovsdb/index.ts";
import { openSession } from "../../ovsdb/index.ts";
import type { PolicyKindTraits } from "../../policy/contracts/dialect.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import type { WriteSettings } from "../../running-backend.ts";
import { keys } from "../rows/names.ts";
import { ownTypesOf } from "../rows/owners.ts";
import type { NorthboundRow } from "../rows/schema.ts";
import { northbound } from "../rows/schema.ts";

export interface ForeignRows {
  /** What an earlier run left, one line a kind; empty until the database has answered. */
  lines(): readonly string[];
  close(): Promise<void>;
}

const nothing: ForeignRows = { lines: () => [], close: () => Promise.resolve() };

/** What the database holds of a kind that the flags switch off. */
export interface KeptRows {
  readonly kind: PolicyKindTraits;
  /** As `--kind` of cleanup takes it. */
  readonly name: string;
  readonly portGroups: number;
  readonly acls: number;
  /** Only Northgate writes such rows: an earlier run left them. False: they may be another program's. */
  readonly isOurs: boolean;
}

type GroupRow = Pick<NorthboundRow<"Port_Group">, "external_ids" | "acls">;

/** By owner type, the kinds that the flags switch off. */
export function kindsOff(kindFlags: Flags): ReadonlyMap<string, PolicyKindTraits> {
  const followed = installed(kindFlags).owners;
  return new Map([...everyDialect.owners].filter(([type]) => !followed.has(type)));
}

/** One for each of the kinds that has rows. `groups`: the port groups of all owners, or of these kinds at least. */
export function keptRows(
  off: ReadonlyMap<string, PolicyKindTraits>,
  groups: readonly GroupRow[],
): readonly KeptRows[] {
  const of = (type: string) => groups.filter((row) => row.external_ids.get(keys.ownerType) === type);
  return [...off].flatMap(([type, kind]) => {
    const own = of(type);
    if (own.length === 0) return [];
    const acls = own.reduce((sum, row) => sum + row.acls.size, 0);
    const isOurs = ownTypesOf(type, kind).some((one) => of(one).length > 0);
    return [{ kind, name: nameOf(kind), portGroups: own.length, acls, isOurs }];
  });
}

/** Of rows that an earlier run left. */
export function keptText({ name, portGroups, acls }: KeptRows): string {
  return (
    `${name} is switched off: ${counted(portGroups, "port group")} with ${counted(acls, "ACL")} of an ` +
    "earlier run stay in force as they are, and follow no edit and no pod"
  );
}

export function remedyOf({ name }: KeptRows): string {
  return `switch it on again, or stop every run and remove them: northgate cleanup --kind ${name} --yes`;
}

/** Counts the port groups and ACLs of each kind that is switched off, once the database answers. */
export function countForeignRows(
  { kindFlags, remotes, tls }: Pick<WriteSettings, "kindFlags" | "remotes" | "tls">,
  logger: Logger,
): ForeignRows {
  const off = kindsOff(kindFlags);
  if (off.size === 0) return nothing;
  const types = new Set([...off].flatMap(([type, kind]) => [type, ...ownTypesOf(type, kind)]));
  const session = openSession({
    // The session of the rows that are followed tells what is wrong with the database.
    ...{ remotes, database: northbound, logger: silentLogger },
    monitors: { Port_Group: { columns: ["external_ids", "acls"], anyOf: [...types].map(ofOwnerType) } },
    ...(tls === null ? {} : { tls }),
  });
  const close = () => session.close();
  const lines: string[] = [];
  session.subscribe({
    ready: () => {
      const groups = Array.from(session.cache.table("Port_Group").entries(), ([, row]) => row);
      for (const kept of keptRows(off, groups)) {
        const { name: kind, portGroups, acls } = kept;
        const fields = { kind, portGroups, acls };
        if (kept.isOurs) {
          const remedy = remedyOf(kept);
          lines.push(`${keptText(kept)}; ${remedy}`);
          logger.warn("rows of a disabled kind stay in force and are no longer updated", {
            ...{ ...fields, remedy },
          });
        } else logger.info("rows of a disabled kind are kept", fields);
      }
      void close();
    },
    changed: () => undefined,
  });
  return { lines: () => lines, close };
}

function nameOf(kind: ObjectKind): string {
  return [...kindsNamed].find(([, named]) => named === kind)?.[0] ?? kind.kind;
}

function ofOwnerType(type: string): Condition {
  return { column: "external_ids", function: "includes", value: new Map([[keys.ownerType, type]]) };
}
