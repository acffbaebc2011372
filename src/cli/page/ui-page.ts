// The thread that serves the page, of `northgate ui` and of `run --ui` alike: everything that a request can make it do happens
// here, and a failure here ends this thread and nothing else. It reports where it listens, or in one line why it cannot.

import type { MessagePort } from "node:worker_threads";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { createLogger } from "../../log.ts";
import type { ShownWorld } from "../../ui/world.ts";
import { FedWorld } from "../../wiring/page/fed-world.ts";
import { hearing } from "../../wiring/page/hearing.ts";
import type { FromThread, PageStart, ToThread } from "../../wiring/page/page-messages.ts";
import { isPageStart, isToThread } from "../../wiring/page/page-messages.ts";
import { openPage } from "../../wiring/page/page.ts";
import { inController, threadAnswers } from "./thread-answers.ts";
import { openShownWorld } from "./ui-world.ts";

/** As many times longer than an answer takes nothing is answered: the page of a controller takes a tenth of one processor. */
const rests = { fed: 9, followed: 0 };

interface Opened {
  readonly world: ShownWorld;
  readonly heard: (message: ToThread) => void;
  /** Rejects when the world cannot be followed any more. */
  readonly failed: Promise<never>;
  readonly close: () => Promise<void>;
}

async function open(start: PageStart["world"], say: (message: FromThread) => void): Promise<Opened> {
  if (start.kind === "followed") {
    return { ...(await openShownWorld(start.config)), heard: () => undefined };
  }
  const { mode, families, kinds } = start;
  let close = (): void => undefined;
  const world = new FedWorld(start, (followed, revision) => {
    const threaded = { world: followed, mode: { ...mode, families, kinds }, serviceNetworks: [], revision };
    const answers = threadAnswers(threaded, inController);
    close = answers.close;
    return answers;
  });
  return {
    world,
    heard: (message) => {
      if (message.kind === "objects") {
        world.change(message.changes);
        say({ kind: "absorbed" });
      } else if (message.kind === "synced") world.synced();
      else if (message.kind === "live") world.say(message.live);
    },
    failed: new Promise(() => undefined),
    close: () => {
      close();
      return Promise.resolve();
    },
  };
}

async function serve({ page, log, world: start }: PageStart, port: MessagePort): Promise<void> {
  const say = (message: FromThread): void => {
    port.postMessage(message);
  };
  const stopped = Promise.withResolvers<undefined>();
  const early: ToThread[] = [];
  let heard = (message: ToThread): void => void early.push(message);
  port.on("message", (message: unknown) => {
    if (!isToThread(message)) return;
    if (message.kind === "stop") stopped.resolve(undefined);
    else heard(message);
  });
  try {
    const { world, failed, close, ...opened } = await open(start, say);
    const logger = await createLogger(log.level, log.format);
    const server = await openPage(page, { world, logger, rest: rests[start.kind] });
    heard = hearing(opened.heard, server);
    for (const message of early) heard(message);
    if (start.kind === "followed") await server.rehearse();
    say({ kind: "listening", address: server.address });
    await Promise.race([stopped.promise, failed]);
    await server.close();
    await close();
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
  port.close();
}

const start: unknown = workerData;
if (!isMainThread && parentPort !== null && isPageStart(start)) await serve(start, parentPort);
