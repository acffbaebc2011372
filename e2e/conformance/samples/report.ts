// `make conformance SAMPLES=yes`: a suite's run on a cluster is watched by `northgate observe`, and each dropped connection that it shows is
// judged. What is said at the end, and whether a name was wrong.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../cluster.ts";
import { History } from "./history.ts";
import type { Tally } from "./judged.ts";
import { judgeDropped } from "./judged.ts";
import type { SeenProbes } from "./probes.ts";
import { probedIn, seenProbes } from "./probes.ts";
import type { Watch } from "./watch.ts";
import { settled, watchDropped } from "./watch.ts";

/** Of `northgate run`. */
export const samplingFlag = "--observe=samples";
/** Connections of a kind that are printed; the file has all. */
const mostShown = 20;

export interface Report {
  readonly tally: Tally;
  readonly probes: SeenProbes;
  /** By what has become of them: northgate_samples_total. */
  readonly samples: ReadonlyMap<string, number>;
  /** What the follower has said on standard error. */
  readonly said: readonly string[];
}

export interface WatchedRun {
  /** Call it when the suite has ended. The folder gets a file with all that was dropped, and all that is wrong. */
  judged(): Promise<Report>;
  end(): Promise<void>;
}

/** Samples are taken when it resolves. The cluster's API server has `auditFlags`. `name` names the file. */
export async function watchRun(cluster: Cluster, folder: string, name: string): Promise<WatchedRun> {
  const history = await History.begin(cluster.kubeconfig);
  const watch = await watchDropped(cluster).catch(async (error: unknown) => {
    await history.end();
    throw error;
  });
  return {
    judged: async () => {
      await settled(watch);
      const report = reportOf(watch, history, cluster.dir);
      const { tally, probes } = report;
      const lines = [...watch.dropped, ...tally.wrong.map(wrongLine), ...probes.unseen.map(unseenLine)];
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      writeFileSync(join(folder, `${name}-dropped.ndjson`), text, { mode: 0o600 });
      return report;
    },
    end: async () => {
      await watch.end();
      await history.end();
    },
  };
}

function reportOf(watch: Watch, { changes }: History, dir: string): Report {
  const { dropped, said } = watch;
  const probes = seenProbes(probedIn(dir), dropped, changes);
  return { tally: judgeDropped(dropped, changes), probes, samples: watch.samples(), said };
}

const wrongLine = (wrong: string) => ({ wrong });
const unseenLine = (unseen: string) => ({ unseen });

/** Something was dropped, and every name was right. */
export function isNamedRight({ tally: { right, wrong } }: Report): boolean {
  return right > 0 && wrong.length === 0;
}

export function reportText(name: string, { tally, probes, samples, said }: Report): string {
  const { reported, connections, right, withinChange, wrong, notJudged } = tally;
  const others = [...notJudged.values()].reduce((sum, count) => sum + count, 0);
  const lost = ["lost", "unread", "malformed", "without_template", "over_limit"].map(
    (fate) => `${samples.get(fate) ?? 0} ${fate.replaceAll("_", " ")}`,
  );
  const inChange = `${withinChange} within a change, which states of the cluster name differently`;
  return [
    `${name}: ${reported} drops of ${connections} connections reported: ${right} named right (${inChange}), ${wrong.length} wrong, ${others} not judged`,
    ...Array.from(notJudged, ([why, count]) => `  not judged: ${count}, ${why}`),
    `  the suite tried ${probes.probes} connections; of those that the policies deny, ${probes.seen} of ${probes.denied} were reported`,
    `  of ${samples.get("read") ?? 0} samples: ${lost.join(", ")}`,
    ...said.map((line) => `  observe says: ${line}`),
    ...shown("wrong", wrong),
    ...shown("not reported", probes.unseen),
    "",
  ].join("\n");
}

function shown(kind: string, all: readonly string[]): readonly string[] {
  const more = all.length > mostShown ? [`  ${kind}: ${all.length - mostShown} more`] : [];
  return [...all.slice(0, mostShown).map((one) => `  ${kind}: ${one}`), ...more];
}
