// What a run is asked for, from `make`'s variables. Refuses what it does not know, naming what there is.

import { SettingsError, Variables } from "../scripts/support/variables.ts";
import { apiKinds } from "./kinds/api.ts";
import { clusterKinds } from "./kinds/cluster.ts";
import { databaseKinds } from "./kinds/database.ts";
import type { FaultKind } from "./kinds/kind.ts";
import { programKinds } from "./kinds/program.ts";
import { sourceKinds } from "./kinds/source.ts";
import { writerKinds } from "./kinds/writers.ts";
import { zoneKinds } from "./kinds/zones.ts";

export const allKinds: readonly FaultKind[] = [
  ...programKinds,
  ...databaseKinds,
  ...clusterKinds,
  ...writerKinds,
  ...apiKinds,
  ...sourceKinds,
  ...zoneKinds,
];

export interface Settings {
  readonly kinds: readonly { readonly kind: FaultKind; readonly count: number }[];
  /** Most arenas at once. */
  readonly lanes: number;
  /** Where the results go as JSON; those that are there of other kinds are kept. */
  readonly out: string;
  /** The page whose table is written, null: none. */
  readonly page: string | null;
}

export const help = `make faults [COUNT=200] [ONLY=…] [LANES=10] [OUT=bench/results/faults.json] [PAGE=docs/reliability.md]

Does to the real program, and to what is around it, what goes wrong in life, and judges every state that the database
goes through. Writes the tables of docs/reliability.md.

  COUNT  how often the program is killed; other faults are done a part of that, two writers a quarter
  ONLY   faults whose line holds this text, or several, comma-separated
  LANES  most databases at once; fewer on a busy machine
  OUT    the results as JSON; results of other faults that are there are kept
  PAGE   whose table is written between its markers; none: no page

Faults:
${[...new Set(allKinds.map(({ group, name }) => `  ${group}: ${name}`))].join("\n")}

Exit codes: 0 all was right, 1 something was wrong, 2 an argument is wrong, 3 no OVN to be had.
`;

const most = 99_999;

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const variables = new Variables(env);
  const count = variables.number("COUNT", 200, most);
  const only = variables.list("ONLY", "");
  const chosen = allKinds.filter(({ group, name }) =>
    only.some((part) => `${group}: ${name}`.includes(part)),
  );
  if (chosen.length === 0)
    throw new SettingsError(`ONLY=${only.join()}: no fault is called so; HELP=1 names them`);
  return {
    kinds: chosen.map((kind) => ({ kind, count: Math.max(1, Math.round(count * kind.share)) })),
    lanes: variables.number("LANES", 10, most),
    out: variables.text("OUT", "bench/results/faults.json"),
    page: variables.page("docs/reliability.md"),
  };
}
