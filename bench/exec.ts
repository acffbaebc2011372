// `make bench FROM=exec`: the shipped program from its start until the rows are right, beside an API server that serves objects
// of real sizes over TLS, and what it holds after many changes. Settings and exit codes are those of `make bench`.

import { measuring, telling } from "../scripts/support/measuring.ts";
import { runExec } from "./exec/run.ts";
import { help, settingsOf } from "./settings.ts";

const print = (text: string): void => {
  process.stdout.write(text);
};

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const { runs, out, updates } = settingsOf(env);
  const options = runs.map((run) => ({ ...run, updates, replaced: run.largest }));
  await runExec(options, out.replace(/\.json$/, "-exec.json"), print, telling(print));
  return true;
}

await measuring(help, measure);
