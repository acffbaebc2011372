// `make upgrade [BASE=<commit>]`: from the release before to this tree and back, on real parts, and what it took in docs/install.md.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtBase, git, releaseBefore } from "../../scripts/support/built-base.ts";
import { circumstances, load, measuring, telling, writeResults } from "../../scripts/support/measuring.ts";
import { placeBetween } from "../../scripts/support/page-part.ts";
import { Variables } from "../../scripts/support/variables.ts";
import { rollThrough } from "./roll.ts";
import { type UpgradeResults, upgradeTable } from "./table.ts";

const help = `make upgrade [BASE=<commit>] [OUT=bench/results/upgrade.json] [PAGE=docs/install.md]

Runs two instances of another commit's build on a real API server and a real Northbound database, replaces them one by
one by this tree's build, and back, and counts what is written. Writes the table of docs/install.md.

  BASE   the build before; the last tag, or without tags the commit 100 before this one on the main line
  OUT    the results as JSON
  PAGE   whose table is written between its markers; none: no page

Exit codes: 0 nothing was written on either way, 1 something was, 2 an argument is wrong, 3 no OVN to be had.
`;

const repository = fileURLToPath(new URL("../..", import.meta.url));

async function upgrade(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const base = variables.text("BASE", releaseBefore());
  const tell = telling((line) => process.stderr.write(line));
  tell(`building ${base}`);
  const old = { name: base.slice(0, 12), main: join(builtBase(base), "dist", "main.js"), args: [] };
  const here = git("rev-parse", "--short=12", "HEAD").toString().trim();
  const next = { name: here, main: join(repository, "dist", "main.js"), args: [] };
  tell(`from ${old.name} to ${next.name} and back`);
  const rolled = await rollThrough(old, [next, old]);
  const when = new Date().toISOString();
  const results: UpgradeResults = { when, ...(await circumstances()), load: load(), rolled };
  writeResults(variables.text("OUT", "bench/results/upgrade.json"), results);
  const page = variables.page("docs/install.md");
  if (page !== null) await placeBetween(page, "upgrade figures", upgradeTable(results));
  process.stdout.write(upgradeTable(results));
  return rolled.every(({ operations, changed, removed }) => operations + changed + removed === 0);
}

await measuring(help, upgrade);
