// What the page answers from threads: the matrix of namespaces, who may reach an end, and what a pasted text changes. The page of
// `northgate ui` and that of a controller answer alike; a controller's has bounds, so that the controller keeps its processor and
// its memory.

import { parseEnd } from "../../analysis/end-query.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Cidr } from "../../model/ip.ts";
import type { LocationOf } from "../../model/object.ts";
import { BackgroundCaches } from "../../ui/background-cache.ts";
import type { FollowedWorld } from "../../ui/followed.ts";
import type { PageRevision } from "../../ui/page-revision.ts";
import type { Compared, EndReach, ThreadAnswers } from "../../ui/world.ts";
import type { Budget, Spent } from "./lane.ts";
import { Lane } from "./lane.ts";
import { ObjectLocations, placedPlan } from "./object-locations.ts";
import { megabytesLeft } from "./thread-memory.ts";
import type { ThreadBounds, ThreadMode } from "./ui-thread.ts";
import { compareInThread, copied, plain } from "./ui-thread.ts";
import { WorldThread } from "./world-thread.ts";

export interface ThreadedWorld {
  readonly world: FollowedWorld;
  readonly mode: ThreadMode;
  readonly serviceNetworks: readonly Cidr[];
  readonly revision: PageRevision;
}

export interface Manner {
  /** null: as much as is asked for. */
  readonly budget: Budget | null;
  /** Of the next thread that answers questions. Throws an Error of one sentence when there is no room for one. */
  readonly ofQuestions: () => ThreadBounds;
  /** Of the next thread that compares. Throws as `ofQuestions` does. */
  readonly ofText: () => ThreadBounds;
  /** A comparison waits for the questions, and they for it. */
  readonly isOneLane: boolean;
}

const patienceMs = 120_000;
const mostMegabytes = 1024;

export const ownProcess: Manner = {
  ...{ budget: null, isOneLane: false },
  ofQuestions: () => ({ ms: null, megabytes: null, isNice: false }),
  ofText: () => ({ ms: patienceMs, megabytes: mostMegabytes, isNice: false }),
};

const besideController = (): ThreadBounds => ({
  ...{ ms: patienceMs, megabytes: megabytesLeft(mostMegabytes), isNice: true },
});

export const inController: Manner = {
  ...{ isOneLane: true, ofQuestions: besideController, ofText: besideController },
  budget: { share: 0.1, burstMs: 5_000 },
};

export function threadAnswers(
  { world, mode, serviceNetworks, revision }: ThreadedWorld,
  manner: Manner,
): ThreadAnswers & { readonly close: () => void } {
  const lane = new Lane(systemClock, manner.budget);
  const thread = new WorldThread(
    () => revision.ofWorld,
    () => ({
      task: { kind: "questions", mode: plain(mode), world: copied(world), serviceNetworks },
      bounds: manner.ofQuestions(),
    }),
    lane,
  );
  const matrices = new BackgroundCaches(
    (namespace: string | null) => thread.matrix(namespace),
    revision.changed,
  );
  const reaches = new BackgroundCaches((end: string) => endReachOf(thread, end), revision.changed);
  return {
    matrix: (namespace) => revision.asOfNow(matrices.of(namespace, revision.ofWorld)),
    reach: (end) => revision.asOfNow(reaches.of(end, revision.ofWorld)),
    compare: (text) => {
      const work = (spent: Spent): Promise<Compared> =>
        compared({ world, mode, revision }, text, manner.ofText(), spent);
      return manner.isOneLane ? lane.take(work) : work(() => undefined);
    },
    close: () => {
      lane.stop();
      thread.close();
    },
  };
}

async function endReachOf(thread: WorldThread, end: string): Promise<EndReach> {
  const isService = parseEnd(end).kind === "service";
  return { in: await thread.can(null, end), out: isService ? null : await thread.can(end, null) };
}

async function compared(
  { world, mode, revision }: Omit<ThreadedWorld, "serviceNetworks">,
  text: string,
  bounds: ThreadBounds,
  spent: Spent,
): Promise<Compared> {
  const compared = revision.ofWorld;
  const { report, pasted } = await compareInThread(world, text, mode, bounds, spent);
  const isPasted = new Set(pasted);
  const places = (placeOf: LocationOf) => new ObjectLocations(world.dialects, placeOf);
  const placed = placedPlan(report, {
    old: places(world.placeOf),
    new: places((key, field) => (isPasted.has(key) ? null : world.placeOf(key, field))),
  });
  return { report: placed, isOfNow: () => revision.ofWorld === compared };
}
