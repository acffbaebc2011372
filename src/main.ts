// The command line. Only texts and exit codes; the commands themselves are in cli/.

import { Command, CommanderError } from "commander";
import { addCan } from "./cli/can.ts";
import { addCleanup } from "./cli/cleanup.ts";
import { addCompletion } from "./cli/shell/completion.ts";
import { printError, printUsageError } from "./cli/print/print-error.ts";
import { ignoreOtherSignals, outliveReaders } from "./cli/ends.ts";
import { addExplain } from "./cli/explain.ts";
import { addGet } from "./cli/get.ts";
import { addLint } from "./cli/lint.ts";
import { addMatrix } from "./cli/matrix.ts";
import { pluginArguments } from "./cli/shell/kubectl-arguments.ts";
import { addMigrate } from "./cli/migrate.ts";
import { planFailed } from "./cli/plan-answer.ts";
import { addPlan } from "./cli/plan.ts";
import { addRender } from "./cli/render.ts";
import { addRun } from "./cli/run.ts";
import { addUi } from "./cli/ui.ts";
import { addVersion } from "./cli/version.ts";
import { UsageError } from "./config/values.ts";
import { setV8Flags } from "./v8-flags.ts";

setV8Flags();
ignoreOtherSignals();
outliveReaders();
const isPlugin = process.argv[2] === "kubectl";
const program = new Command(isPlugin ? "kubectl northgate" : "northgate")
  .description("A network-policy controller for OVN: cluster-wide policies in, Northbound rows out.")
  .exitOverride()
  .configureOutput({ outputError: printUsageError })
  .configureHelp({ showGlobalOptions: false })
  .showHelpAfterError("(see --help)");
addVersion(program);
addRun(program);
addRender(program);
addPlan(program);
addMigrate(program);
addExplain(program);
addCan(program);
addMatrix(program);
addGet(program);
addLint(program);
addUi(program);
addCleanup(program);
addCompletion(program);

// Of a plan, 2 says that something differs.
const wrongUsage = process.argv[isPlugin ? 3 : 2] === "plan" ? planFailed : 2;
try {
  await program.parseAsync(isPlugin ? await pluginArguments(process.argv.slice(3)) : process.argv.slice(2), {
    from: "user",
  });
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : wrongUsage;
  } else if (error instanceof UsageError) {
    printError(error.message);
    process.exitCode = wrongUsage;
  } else {
    throw error;
  }
}
