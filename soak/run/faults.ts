// What goes wrong during a soak, one after the other: each fault ends with the world as it was before it, and the program
// that is measured lives on. Refuses to leave anything paused.

import { setTimeout as sleep } from "node:timers/promises";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import type { Folder } from "./folder.ts";
import { type Program, until } from "./program.ts";

export interface Stage {
  readonly ovn: Ovn;
  readonly folder: Folder;
  /** The one that is measured. */
  readonly program: Program;
  /** Starts another instance beside it. */
  readonly startSecond: () => Program;
}

export interface Fault {
  readonly name: string;
  inject(stage: Stage): Promise<void>;
}

const pauseMs = 4_000;
const downMs = 1_000;
const changesAtOnce = 20;
/** For a process to start or to take over, on a machine with other work. */
const patienceMs = 120_000;

export const faults: readonly Fault[] = [
  {
    name: "connections cut by the server",
    inject: async ({ ovn }) => {
      await ovn.appctl("nb", "ovsdb-server/reconnect");
    },
  },
  {
    name: "every file replaced at once",
    inject: ({ folder }) => {
      folder.replaceAll(changesAtOnce);
      return Promise.resolve();
    },
  },
  {
    name: "NB killed, and started again",
    inject: async ({ ovn }) => {
      await ovn.killNb();
      await sleep(downMs);
      await ovn.restartNb();
    },
  },
  {
    name: "NB paused",
    inject: async ({ ovn }) => {
      const pid = ovn.pids().get("nb");
      if (pid === undefined) throw new Error("the NB server does not run");
      process.kill(pid, "SIGSTOP");
      try {
        await sleep(pauseMs);
      } finally {
        process.kill(pid, "SIGCONT");
      }
    },
  },
  takeover("leader held until the standby led, which was then ended", "SIGTERM"),
  takeover("leader held until the standby led, which was then killed", "SIGKILL"),
];

/** Both directions of the election: the measured program loses the lead to a second one, and gets it back at its end. */
function takeover(name: string, signal: NodeJS.Signals): Fault {
  return {
    name,
    inject: async ({ program, startSecond }) => {
      const second = startSecond();
      try {
        await until("the second instance stands by", patienceMs, () => second.standsBy());
        program.hold();
        await until("the second instance leads", patienceMs, () => second.leads());
        program.release();
        await until("the measured one stands by", patienceMs, () => program.standsBy());
        await second.end(signal);
        await until("the measured one leads again", patienceMs, () => program.leads());
      } finally {
        program.release();
        await second.end("SIGKILL");
      }
    },
  };
}
