// All commands with their flags and texts: what the command line is parsed by, and what man pages are made of.

import { Command } from "commander";
import { addCan } from "./can.ts";
import { addCleanup } from "./cleanup.ts";
import { addDoctor } from "./doctor.ts";
import { addExplain } from "./explain.ts";
import { addGet } from "./get.ts";
import { addLint } from "./lint.ts";
import { addMatrix } from "./matrix.ts";
import { addMigrate } from "./migrate.ts";
import { addObserve } from "./observing/observe.ts";
import { addObserveNode } from "./observing/observe-node.ts";
import { addPlan } from "./plan.ts";
import { printUsageError } from "./print/print-error.ts";
import { addRecommend } from "./recommend/recommend.ts";
import { addRender } from "./render.ts";
import { addRun } from "./run.ts";
import { addCompletion } from "./shell/completion.ts";
import { addMan } from "./shell/man.ts";
import { addSupportBundle } from "./bundle/support-bundle.ts";
import { addUi } from "./ui.ts";
import { addVersion } from "./version.ts";

/** `name`: as it is called. */
export function programNamed(name: string): Command {
  const program = new Command(name)
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
  addRecommend(program);
  addGet(program);
  addLint(program);
  addUi(program);
  addDoctor(program);
  addSupportBundle(program);
  addObserve(program);
  addObserveNode(program);
  addCleanup(program);
  addCompletion(program);
  addMan(program);
  return program;
}
