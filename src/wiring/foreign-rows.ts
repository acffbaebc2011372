// The rows of kinds that are switched off: they stay in the database and in force, and nobody here follows them. They are
// counted once, at start, for the log. They may be OVN-Kubernetes' own, so that nothing here may ever write to them.

import type { RunConfig } from "../config/config.ts";
import { every, installed } from "../dialects.ts";
import type { Logger } from "../lib/logger.ts";
import { keys } from "../nbdb/rows/names.ts";
import { northbound } from "../nbdb/rows/schema.ts";
import type { Condition, TlsFiles } from "../ovsdb/index.ts";
import { openSession } from "../ovsdb/index.ts";

/** Logs how many port groups, one a policy at least, each kind that is switched off has, once the database answers. */
export function countForeignRows(
  { kinds, nb }: Pick<RunConfig, "kinds" | "nb">,
  tls: TlsFiles | null,
  logger: Logger,
): { readonly close: () => Promise<void> } {
  const followed = installed(kinds).owners;
  const off = new Map([...every.owners].filter(([type]) => !followed.has(type)));
  if (off.size === 0) return { close: () => Promise.resolve() };
  const session = openSession({
    ...{ remotes: nb, database: northbound, logger },
    monitors: { Port_Group: { columns: ["external_ids"], anyOf: [...off.keys()].map(ofOwnerType) } },
    ...(tls === null ? {} : { tls }),
  });
  const close = () => session.close();
  session.subscribe({
    ready: () => {
      const rows = session.cache.table("Port_Group").entries();
      const types = Array.from(rows, ([, row]) => row.external_ids.get(keys.ownerType));
      for (const [type, { kind }] of off) {
        const groups = types.filter((one) => one === type).length;
        if (groups > 0)
          logger.info("rows of a kind that is switched off stay as they are", { kind, portGroups: groups });
      }
      void close();
    },
    changed: () => undefined,
  });
  return { close };
}

function ofOwnerType(type: string): Condition {
  return { column: "external_ids", function: "includes", value: new Map([[keys.ownerType, type]]) };
}
