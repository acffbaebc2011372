// The command line. Only texts and exit codes; the commands themselves are in cli/.

import { CommanderError } from "commander";
import { printError } from "./cli/print/print-error.ts";
import { ignoreOtherSignals, outliveWriting } from "./cli/ends.ts";
import { pluginArguments } from "./cli/shell/kubectl-arguments.ts";
import { planFailed } from "./cli/plan-answer.ts";
import { programNamed } from "./cli/program.ts";
import { UsageError } from "./config/values.ts";
import { setV8Flags } from "./v8-flags.ts";

setV8Flags();
ignoreOtherSignals();
outliveWriting();
const isPlugin = process.argv[2] === "kubectl";
const program = programNamed(isPlugin ? "kubectl northgate" : "northgate");

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
