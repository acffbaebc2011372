// The page of a controller: the thread that serves it, the objects that it is fed, and each second what the controller says of
// itself, when that is another than before. Without --ui there is no thread and nothing is fed.

import { isDeepStrictEqual } from "node:util";
import type { RunConfig } from "../../config/config.ts";
import type { PageConfig } from "../../config/page.ts";
import type { Engine } from "../../controller/engine.ts";
import type { Loop } from "../../controller/loop.ts";
import type { Timer } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { every } from "../../lib/every.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Checks } from "../../metrics/server.ts";
import type { ObjectKey } from "../../model/object.ts";
import type { RunningBackend } from "../../running-backend.ts";
import type { Unenforced } from "../../policy/contracts/unenforced.ts";
import type { ReportedPolicies } from "../../status/reported.ts";
import type { PageFeed } from "./page-feed.ts";
import type { FedLive, ToThread } from "./page-messages.ts";
import { PageThread } from "./page-thread.ts";
import type { OpenedSource } from "../sources.ts";

export interface ControllerParts {
  readonly config: RunConfig;
  readonly engine: Engine;
  readonly loop: Loop;
  readonly source: OpenedSource;
  readonly feed: PageFeed;
  readonly running: Pick<RunningBackend, "totals" | "role">;
  readonly reported: ReportedPolicies;
  readonly checks: Checks;
  /** Why existing rows are not enforced, one line each. */
  readonly unenforced: () => readonly string[];
  /** What holds of every policy; null: nothing. */
  readonly everywhere: () => Unenforced | null;
}

export interface OpenedPage {
  close(): Promise<void>;
}

const liveMs = 1_000;
/** Policies that are shown with the reason why they are not in force: people read fewer. */
const mostReasons = 1_000;
const mostProblems = 200;

/** Rejects with one line when the page cannot be served. */
export async function openControllerPage(
  page: PageConfig,
  parts: ControllerParts,
  logger: Logger,
): Promise<OpenedPage> {
  const { config, feed } = parts;
  const { families, kinds, source } = config;
  const from = source.kind === "kube" ? "the cluster" : source.path;
  const { zone, backend, backendFlags } = config;
  let post: (message: ToThread) => void = () => undefined;
  let said: FedLive | null = null;
  const say = (): void => {
    const live = liveOf(parts);
    if (isDeepStrictEqual(live, said)) return;
    said = live;
    post({ kind: "live", live });
  };
  const thread = await PageThread.open({
    start: {
      ...{ page, log: { level: config.logLevel, format: config.logFormat } },
      world: {
        ...{ kind: "fed", families, kinds, from },
        mode: { zone, backend, backendFlags },
      },
    },
    ...{ clock: systemClock, logger },
    begun: (send) => {
      [post, said] = [send, null];
      feed.begin(send);
    },
    absorbed: () => {
      feed.absorbed();
    },
  });
  logger.info("the page is served", { address: thread.address });
  let review: Timer | null = null;
  // A message that cannot be sent is a defect of the page, and ends no controller.
  const broken = (error: unknown): void => {
    logger.error("the page no longer receives updates from the controller", { reason: String(error) });
  };
  review = every(systemClock, liveMs, say, broken);
  return {
    close: async () => {
      review.cancel();
      feed.stop();
      await thread.close();
    },
  };
}

function liveOf({
  engine,
  loop,
  running,
  reported,
  checks,
  source,
  unenforced,
  everywhere,
}: ControllerParts): FedLive {
  const inForce = Iterator.from(reported.inForce()).reduce((count) => count + 1, 0);
  const reasons: (readonly [ObjectKey, string])[] = [];
  let refused = 0;
  for (const record of engine.records()) {
    if (record.rejected) refused++;
    const reason = reasons.length < mostReasons ? reported.whyNotInForce(record) : null;
    if (reason !== null) reasons.push([record.key, reason]);
  }
  const { size, delayed } = loop.queue;
  const waiting =
    size === 0 ? [] : [`${size} ${size === 1 ? "object waits" : "objects wait"} for the next pass`];
  // What is held back is not written: no view says what the rows say then.
  const lines = [...(loop.heldBack === null ? [] : [loop.heldBack]), ...unenforced()];
  return {
    counts: [
      { name: "policies in force", value: inForce },
      { name: "policies refused", value: refused },
      ...running.totals(),
      { name: "objects waiting", value: size },
      { name: "objects tried again later", value: delayed },
    ],
    unenforced: lines,
    pending: [...checks.readiness(), ...checks.notes()]
      .filter((line) => !lines.includes(line))
      .concat(waiting),
    writer: { leads: running.role.leads, other: running.role.other },
    everywhere: everywhere()?.reason ?? (loop.reconciled ? null : "Pending"),
    notInForce: reasons,
    problems: source.problems().slice(-mostProblems),
  };
}
