// Every flag of every command, as data: its name, the commands that take it, its meaning, its possible values and its
// default. A new flag is one entry in a file of settings/, in the order of the help, or one option of a dialect; then
// `node scripts/flags-doc.ts` writes its page and `node scripts/chart-schema.ts` the chart's schema. values.ts reads them,
// cli/flags.ts declares and shows them. No value is a secret: those are in files that a flag names, because the first line of the
// log shows every value.

import type { CommandName, Setting } from "./setting.ts";
import { asked } from "./settings/asked.ts";
import { ofCluster } from "./settings/cluster.ts";
import { ofDialects } from "./settings/dialects.ts";
import { insisting } from "./settings/insist.ts";
import { ofNames } from "./settings/names.ts";
import { observing } from "./settings/observing.ts";
import { outputs } from "./settings/output.ts";
import { recommending } from "./settings/recommending.ts";
import { ofBackends, ofReadiness, ofRows } from "./settings/rows.ts";
import { ofService } from "./settings/service.ts";

export const settings: readonly Setting[] = [
  ...[...asked, ...ofCluster, ...ofRows, ...ofBackends, ...ofReadiness],
  ...[...ofDialects, ...ofNames],
  ...[...insisting, ...ofService, ...observing, ...recommending, ...outputs],
];

/** A setting of no dialect and no backend: code reads it by its name. */
type Named =
  | (typeof asked)[number]
  | (typeof ofCluster)[number]
  | (typeof ofRows)[number]
  | (typeof ofReadiness)[number]
  | (typeof ofNames)[number]
  | (typeof insisting)[number]
  | (typeof ofService)[number]
  | (typeof observing)[number]
  | (typeof recommending)[number]
  | (typeof outputs)[number];
type Taking<C extends CommandName, S extends Named = Named> = S extends Named
  ? C extends S["commands"][number]
    ? S
    : never
  : never;

/** The flags that a command takes: a name that it does not take is a type error. */
export type FlagOf<C extends CommandName> = Taking<C>["flag"];

export function settingsOf(command: CommandName): readonly Setting[] {
  return settings.filter(({ commands }) => commands.includes(command));
}
