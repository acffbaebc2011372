// A command that lasts until a signal ends it, or a bug of ours.

import { SettingsRefusedError } from "../running-backend.ts";
import type { Controller } from "../wiring/assemble.ts";
import { askedToEnd, endThoughUnread } from "./ends.ts";
import { printError, printErrorLines } from "./print/print-error.ts";

/** The exit code: 0 ended by a signal, 1 could not start, 70 a bug, 78 the settings do not fit. `start` rejects with one line. */
export async function lastingCommand(
  start: (fatal: (error: unknown) => void) => Promise<Controller>,
): Promise<number> {
  const ended = new Promise<{ reason: string; exitCode: number }>((resolve) => {
    void askedToEnd().then((reason) => {
      resolve({ reason, exitCode: 0 });
    });
    const fatal = (error: unknown): void => {
      if (error instanceof SettingsRefusedError) {
        printError(error.message);
        resolve({ reason: "the settings do not fit the database", exitCode: 78 });
        return;
      }
      printError("this is a bug of Northgate's; it ends so as not to do harm");
      printErrorLines(error instanceof Error ? (error.stack ?? error.message) : String(error));
      resolve({ reason: "a bug", exitCode: 70 });
    };
    start(fatal).then(
      (controller) => {
        void ended.then(async ({ reason }) => {
          await controller.stop(reason);
          endThoughUnread();
        });
      },
      (error: unknown) => {
        printError(error instanceof Error ? error.message : String(error));
        resolve({ reason: "could not start", exitCode: 1 });
      },
    );
  });
  return (await ended).exitCode;
}
