// The world that `northgate lint` is asked about, and what it finds there. Only reads.

import type { LintConfig } from "../../config/answers/lint.ts";
import { hitsAsked } from "../../hits/files.ts";
import type { Hits } from "../../hits/hits.ts";
import { installed, kindsOfOthers } from "../../dialects.ts";
import { formatSourceProblem } from "../../informers/index.ts";
import type { Beside, LintInput, RowFault } from "../../lint/context.ts";
import type { Report } from "../../lint/finding.ts";
import type { Choice } from "../../lint/lint.ts";
import { lint } from "../../lint/lint.ts";
import { hitsNotes } from "../../lint/rules/unhit.ts";
import { kindText } from "../../model/object.ts";
import { readService, serviceKind } from "../../model/service.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import { aroundOf } from "../../policy/contracts/tier-layout.ts";
import { isAllRead } from "../../unknowns/foreign.ts";
import { referenceFindings } from "../../worlds/reference-findings.ts";
import type { LoadedWorld } from "../../worlds/world.ts";
import { loadWorld } from "../../worlds/world.ts";
import { readExistingOrPrintError } from "./existing-rows.ts";
import { sayMany } from "../print/progress.ts";

export interface Linted {
  readonly report: Report;
  readonly world: LoadedWorld;
  /** What could not be read, for standard error. */
  readonly lines: readonly string[];
  /** A part could not be read: the report is not of all that there is. */
  readonly isUnread: boolean;
}

/** Throws an Error of one sentence when the world cannot be read. */
export async function lintedWorld(config: LintConfig, choice: Choice): Promise<Linted> {
  const { source, ...mode } = config.world;
  const hits = hitsAsked(config.hits);
  const many = config.quiet ? () => undefined : sayMany;
  const world = await loadWorld(source, { ...mode, alsoRead: [serviceKind], mayMiss: true, many });
  const references = referenceFindings(world);
  const standing = config.rows === null ? "not asked" : await readExistingOrPrintError(mode, config.rows);
  const rows = standing === null || standing === "not asked" ? [] : standing.faults(world.model);
  const unread = world.problems.filter(({ problem }) => problem.severity === "error");
  return {
    world,
    report: lint({ ...inputOf(world, config, rows), hits, unread: [...unread, ...references] }, choice),
    lines: [...world.lines, ...references.map(formatSourceProblem), ...linesAbout(hits, world)],
    isUnread: [!isWhole(world), references.length > 0, standing === null].includes(true),
  };
}

function linesAbout(hits: Hits | null, { judged }: LoadedWorld): readonly string[] {
  return hits === null ? [] : hitsNotes(hits, judged.policies()).map((note) => `northgate: ${note}`);
}

/** All policies were read: those of kinds that Northgate does not read may do what no finding knows. */
function isWhole({ refused, notRead }: LoadedWorld): boolean {
  return !refused && isAllRead(notRead);
}

function inputOf(
  { judged: model, dialects, placeOf, notRead, others, workloads, cni }: LoadedWorld,
  { dns, apiServer, monitoring, world: { kinds } }: LintConfig,
  rows: readonly RowFault[],
): LintInput {
  return {
    ...{ policies: model.policies(), records: [...model.records()], facts: model.facts, rows, workloads },
    ...{ dialects, placeOf, needs: { dns, apiServer, monitoring }, foreign: notRead.policies },
    ...{ cni, notAsked: notRead.sentences },
    services: others.map(readService),
    beside: besideOf(kinds),
  };
}

/** null: no other program's rows stand among those of the policies. */
function besideOf(kinds: Flags): Beside | null {
  const around = aroundOf(installed(kinds).tierLayout);
  return around === null ? null : { around, kinds: new Set(kindsOfOthers(kinds).map(kindText)) };
}
