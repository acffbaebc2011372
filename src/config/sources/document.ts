// docs/flags.md: every flag with its environment variable, its key in a file and its value of the chart, made from the table
// of settings. A test holds the page to it.

import { chartKeyOf } from "../chart-schema.ts";
import type { Setting } from "../setting.ts";
import { variableOf } from "../setting.ts";
import { asked } from "../settings/asked.ts";
import { ofCluster } from "../settings/cluster.ts";
import { ofDialects } from "../settings/dialects.ts";
import { insisting } from "../settings/insist.ts";
import { ofNames } from "../settings/names.ts";
import { observing } from "../settings/observing.ts";
import { outputs } from "../settings/output.ts";
import { recommending } from "../settings/recommending.ts";
import { ofBackends, ofReadiness, ofRows } from "../settings/rows.ts";
import { ofService } from "../settings/service.ts";

const topics: readonly (readonly [string, readonly Setting[]])[] = [
  ["Which cluster, which database", ofCluster],
  [
    "Which rows, and when they count",
    [...ofRows, ...ofBackends, ...ofReadiness, ...ofDialects, ...insisting],
  ],
  ["Where names of domains lead", ofNames],
  ["A program that runs on", ofService],
  ["What packets meet", observing],
  ["What a command answers", [...asked, ...recommending]],
  ["How it prints", outputs],
];

const head = `# Flags

<!-- Made from src/config/settings/ by: node scripts/flags-doc.ts -->

Every flag of every command, with its environment variable, its key in a config file and the value of the
[chart](../manifests/chart/README.md) that sets it for \`run\`. \`--config FILE\` names the file,
which is YAML; every command below takes it, on the command line alone. A flag beats its variable, which beats the file, which beats the
default. One file serves every command: keys of other commands are passed over, an unknown key is refused. An empty
variable counts as none. Where no variable and no key is given, the command line alone counts, because the flag confirms
or asks something once. A flag of several meanings has several lines. \`northgate COMMAND --help\` shows the flags of a
command.

\`northgate run\` refuses a variable that begins with \`NORTHGATE_\` and is no setting's when at most two letters differ from
the variable of a setting, and one for a setting that only the command line takes: either would be ignored, and the program would run with
other settings than its user believes. It warns once of others. Variables that Kubernetes sets for Services named
\`northgate\` or \`northgate-…\`, and those of this repository's builds and tests, are silent. The other commands
ignore every variable that they do not know.
`;

/** The whole page, as Markdown. */
export function flagsPage(): string {
  return [head, ...topics.map(([title, settings]) => `## ${title}\n\n${table(settings)}\n`)].join("\n");
}

function table(settings: readonly Setting[]): string {
  const columns = [
    "flag",
    "commands",
    "meaning",
    "default",
    "environment",
    "key in a file",
    "value of the chart",
  ];
  const lines = [columns, columns.map(() => "---"), ...settings.map(row)];
  return lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
}

function row(setting: Setting): readonly string[] {
  const { flag, short, argument, commands, help, choices, fallback } = setting;
  const value = argument === null ? "" : ` ${argument}`;
  const isTold = choices === undefined || choices.every((choice) => help.includes(choice));
  const allowed = isTold ? "" : ` (${choices.map(code).join(", ")})`;
  const isElsewhere = setting.onLineOnly !== true;
  const chartKey = chartKeyOf(setting);
  return [
    `${short === undefined ? "" : `${code(`-${short}`)}, `}${code(`--${flag}${value}`)}`,
    commands.map(code).join(", "),
    `${help}${allowed}`,
    defaultOf(argument, fallback),
    isElsewhere ? code(variableOf(flag)) : none,
    isElsewhere ? code(flag) : none,
    chartKey === null ? none : code(chartKey),
  ];
}

const none = "–";

function defaultOf(argument: string | null, fallback: string | null): string {
  if (fallback === null) return "needed";
  if (argument === null) return "off";
  return fallback === "" ? none : code(fallback);
}

function code(text: string): string {
  return `\`${text}\``;
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
