// The NORTHGATE_ variables of the environment that are no setting. Refuses, for a program that runs on, a variable whose
// name is near that of a setting, and one whose setting is taken from the command line alone: either would be ignored, and
// the program would run with other settings than its user believes. Variables that Kubernetes or this repository's own
// scripts set are silent; the rest is returned, for one warning. An empty variable counts as none.

import { nearest } from "../../lib/text/nearest.ts";
import type { CommandName, Setting } from "../setting.ts";
import { variableOf } from "../setting.ts";
import { settings } from "../settings.ts";
import { UsageError } from "../values.ts";

/** So many letters may be wrong in a name that is still taken for a setting's. */
const mostEdits = 2;

/** Every command takes it, and it is no setting itself. */
const config = "config";

/** What scripts, builds and tests of this repository read; test/cli/variables.test.ts compares it with them. */
export const ownVariables: ReadonlySet<string> = new Set([
  "NORTHGATE_BUILD_JOBS",
  "NORTHGATE_CHROMIUM",
  "NORTHGATE_COMMIT",
  "NORTHGATE_DIR",
  "NORTHGATE_FLAGS",
  "NORTHGATE_OBJECTION",
  "NORTHGATE_OVN_PREFIX",
  "NORTHGATE_PICTURES",
  "NORTHGATE_PROOF_JUDGES",
  "NORTHGATE_PROOF_WALKS",
  "NORTHGATE_PROOF_WORLDS",
  "NORTHGATE_PROCESSOR_TIMES",
  "NORTHGATE_TEST_PROGRAM",
  "NORTHGATE_TEST_SLOWNESS",
]);

/** Of Services whose names are `northgate` or begin with `northgate-`. */
const linkParts =
  /^NORTHGATE(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const linkOfService = /^NORTHGATE_[A-Z0-9_]+_PORT$/;
const linkValue = /^(tcp|udp|sctp):\/\//;

/** Returns the names that are neither a setting nor known otherwise, sorted; throws UsageError for what it refuses. */
export function unknownVariables(
  command: CommandName,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const taken = new Set(settings.filter(isTaken).map(({ flag }) => variableOf(flag)));
  const onLine = new Map(settings.filter((one) => !isTaken(one)).map(({ flag }) => [variableOf(flag), flag]));
  onLine.set(variableOf(config), config);
  const meant = settings.filter((one) => isTaken(one) || one.commands.includes(command));
  const flags = new Map([...meant.map(({ flag }) => flag), config].map((flag) => [variableOf(flag), flag]));
  const unknown: string[] = [];
  for (const [name, text = ""] of Object.entries(environment).sort()) {
    if (!name.startsWith("NORTHGATE_") || text === "") continue;
    if (taken.has(name) || ownVariables.has(name) || isServiceLink(name, text)) continue;
    refuseOnLine(name, onLine.get(name));
    const near = nearest(name.toUpperCase().replaceAll("-", "_"), flags.keys(), mostEdits);
    if (near !== null) {
      const flag = flags.get(near) ?? "";
      const hint = taken.has(near) ? `${near} (--${flag})` : `--${flag}, which only the command line takes`;
      throw new UsageError(`${name}: no such setting; did you mean ${hint}?`);
    }
    unknown.push(name);
  }
  return unknown;
}

function refuseOnLine(name: string, flag: string | undefined): void {
  if (flag === undefined) return;
  const reason = flag === config ? "it names the file with the other settings" : "it applies to a single run";
  throw new UsageError(`${name}: --${flag} is taken from the command line alone, because ${reason}`);
}

function isTaken({ onLineOnly }: Setting): boolean {
  return onLineOnly !== true;
}

/** Of a Service's own port, the value shows whether it is a link: NORTHGATE_METRICS_PORT=9477 is a user's. */
function isServiceLink(name: string, text: string): boolean {
  if (name === "NORTHGATE_PORT" || linkParts.test(name)) return true;
  return linkOfService.test(name) && linkValue.test(text);
}
