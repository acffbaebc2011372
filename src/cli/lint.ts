// `northgate lint`: what is wrong with policies, before they are applied or in a live cluster. Only reads. Reports objects
// that cannot be read on standard error and looks at the rest.

import type { Command } from "commander";
import type { LintConfig } from "../config/lint.ts";
import { readLintConfig } from "../config/lint.ts";
import { UsageError } from "../config/values.ts";
import { catalogue, ruleIds } from "../lint/catalogue.ts";
import { isAllRead } from "../unknowns/foreign.ts";
import { formatSourceProblem } from "../informers/index.ts";
import { installed, kindsOfOthers } from "../dialects.ts";
import { kindText } from "../model/object.ts";
import type { Flags } from "../policy/contracts/flags.ts";
import { aroundOf } from "../policy/contracts/tier-layout.ts";
import type { Beside, LintInput, RowFault } from "../lint/context.ts";
import type { Finding, Report } from "../lint/finding.ts";
import { isAtLeast } from "../lint/finding.ts";
import { lint } from "../lint/lint.ts";
import { formatJunit } from "../lint/output/junit.ts";
import { formatMarkdown } from "../lint/output/markdown.ts";
import { formatSarif } from "../lint/output/sarif.ts";
import { formatTable } from "../lint/output/table.ts";
import { version } from "../version.ts";
import { printError } from "./print/print-error.ts";
import { sayMany } from "./print/progress.ts";
import { formatData } from "./print/data.ts";
import { declareFlags, precedence } from "./flags.ts";
import { readExistingOrPrintError } from "./existing-rows.ts";
import { referenceFindings } from "../worlds/reference-findings.ts";
import type { LoadedWorld } from "../worlds/world.ts";
import { loadWorld } from "../worlds/world.ts";

/** The rule that needs a database. */
const ofRows = "NG018";

export function addLint(program: Command): void {
  const command = program
    .command("lint")
    .summary(
      "find what is wrong with policies: rules that never decide, ties, pods without DNS; needs no database",
    )
    .description(
      "Looks for mistakes in policies of every kind, in manifests (-f) or in the cluster: rules that never decide, policies whose " +
        "order is open, selectors that nothing has, pods that cannot reach DNS. The more of the cluster's Namespaces, Pods and " +
        "Nodes it is given, the more it can say. A policy suppresses a finding with the annotation " +
        '`northgate/lint-ignore: "NG001@egress[2]: why; NG004: why"`.',
    );
  const given = declareFlags(command, "lint");
  command.addHelpText("after", helpText).action(async () => {
    process.exitCode = await lintWorld(readLintConfig(given()));
  });
}

const helpText = () =>
  `\nThe catalogue (docs/lint.md tells more of each):\n${catalogue
    .map(({ id, name, severities }) => `  ${id}  ${severities.join(" or ").padEnd(16)}  ${name}`)
    .join("\n")}\n\n${precedence}` +
  "Exit codes: 0 nothing at or above --fail-on, 1 something is, or a part could not be read, 2 wrong usage.\n\n" +
  "Examples:\n" +
  "  northgate lint -f examples/cluster-control\n" +
  "  northgate lint --fail-on warning --monitoring monitoring\n" +
  "  northgate lint --rule NG018 --nb unix:/var/run/ovn/ovnnb_db.sock\n" +
  "  northgate lint -f policies/ -f cluster.yaml -o sarif > northgate.sarif\n";

async function lintWorld(config: LintConfig): Promise<number> {
  const only = known(config.rules, "--rule");
  const choice = { only: only.size === 0 ? null : only, skip: known(config.skip, "--skip") };
  if (only.has(ofRows) && config.rows === null) throw new UsageError(`--rule ${ofRows} needs --nb`);
  try {
    const { source, ...mode } = config.world;
    const world = await loadWorld(source, { ...mode, many: sayMany });
    const references = referenceFindings(world);
    for (const line of [...world.lines, ...references.map(formatSourceProblem)])
      process.stderr.write(`${line}\n`);
    const standing = config.rows === null ? "not asked" : await readExistingOrPrintError(mode, config.rows);
    const isUnread = [!isWhole(world), references.length > 0, standing === null].includes(true);
    const rows = standing === null || standing === "not asked" ? [] : standing.faults(world.model);
    const unread = world.problems.filter(({ problem }) => problem.severity === "error");
    const report = lint({ ...inputOf(world, config, rows), unread: [...unread, ...references] }, choice);
    const fails = (finding: Finding): boolean => isAtLeast(finding.severity, config.failOn);
    process.stdout.write(print(report, config.output, fails));
    const isFound = report.findings.some((one) => one.suppressed === null && fails(one));
    return isFound || isUnread ? 1 : 0;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    printError(error.message);
    return 1;
  }
}

/** All policies were read: those of kinds that Northgate does not read may do what no finding knows. */
function isWhole({ refused, notRead }: LoadedWorld): boolean {
  return !refused && isAllRead(notRead);
}

function inputOf(
  { judged: model, dialects, placeOf, notRead, workloads }: LoadedWorld,
  { dns, apiServer, monitoring, world: { kinds } }: LintConfig,
  rows: readonly RowFault[],
): LintInput {
  return {
    ...{ policies: model.policies(), records: [...model.records()], facts: model.facts, rows, workloads },
    ...{ dialects, placeOf, needs: { dns, apiServer, monitoring }, foreign: notRead.policies },
    notAsked: notRead.sentences,
    beside: besideOf(kinds),
  };
}

/** null: no other program's rows stand among those of the policies. */
function besideOf(kinds: Flags): Beside | null {
  const around = aroundOf(installed(kinds).tierLayout);
  return around === null ? null : { around, kinds: new Set(kindsOfOthers(kinds).map(kindText)) };
}

function known(ids: readonly string[], flag: string): ReadonlySet<string> {
  const wrong = ids.find((id) => !ruleIds.has(id));
  if (wrong !== undefined)
    throw new UsageError(
      `${flag}: ${JSON.stringify(wrong)} is not in the catalogue, ${[...ruleIds].at(0)} to ${[...ruleIds].at(-1)}`,
    );
  return new Set(ids);
}

function print(report: Report, format: LintConfig["output"], fails: (finding: Finding) => boolean): string {
  switch (format) {
    case "table":
      return formatTable(report);
    case "json":
      return formatData(report, "json");
    case "sarif":
      return formatSarif(report, version());
    case "junit":
      return formatJunit(report, fails);
    case "markdown":
      return formatMarkdown(report);
  }
}
