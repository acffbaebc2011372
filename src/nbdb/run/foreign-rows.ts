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
import type { WriteSettings } from "../../running-backend.ts";
import { keys } from "../rows/names.ts";
import { ownTypesOf } from "../rows/owners.ts";
import { northbound } from "../rows/schema.ts";

export interface ForeignRows {
  /** What an earlier run left, one line a kind; empty until the database has answered. */
  lines(): readonly string[];
  close(): Promise<void>;
}

const nothing: ForeignRows = { lines: () => [], close: () => Promise.resolve() };

/** Counts the port groups and ACLs of each kind that is switched off, once the database answers. */
export function countForeignRows(
  { kindFlags, remotes, tls }: Pick<WriteSettings, "kindFlags" | "remotes" | "tls">,
  logger: Logger,
): ForeignRows {
  const followed = installed(kindFlags).owners;
  const off = new Map([...everyDialect.owners].filter(([type]) => !followed.has(type)));
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
      const of = (type: string) => groups.filter((row) => row.external_ids.get(keys.ownerType) === type);
      for (const [type, kind] of off) {
        const own = of(type);
        if (own.length === 0) continue;
        const acls = own.reduce((sum, row) => sum + row.acls.size, 0);
        const fields = { kind: nameOf(kind), portGroups: own.length, acls };
        if (ownTypesOf(type, kind).some((one) => of(one).length > 0)) {
          const remedy = remedyOf(kind);
          lines.push(
            `${nameOf(kind)} is switched off: ${counted(own.length, "port group")} with ${counted(acls, "ACL")} of an ` +
              `earlier run stay in force as they are, and follow no edit and no pod; ${remedy}`,
          );
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

function remedyOf(kind: ObjectKind): string {
  return `switch it on again, or stop every run and remove them: northgate cleanup --kind ${nameOf(kind)} --yes`;
}

function ofOwnerType(type: string): Condition {
  return { column: "external_ids", function: "includes", value: new Map([[keys.ownerType, type]]) };
}
