// What asks a running program to end in good order: a signal, or the death of the launcher that started it under another
// Node (bin/northgate.js). Without the latter, `kill -9` of the launcher would leave an unknown writer. And what does not end it.

import { printError } from "./print/print-error.ts";

/** Resolves once, with the reason. SIGHUP is no reason: changed files are read again without it. */
export function askedToEnd(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve(signal);
      });
    }
    // The launcher holds the other end of the channel and sends nothing; the system closes it when the launcher dies.
    process.once("disconnect", () => {
      resolve("the launcher has ended");
    });
    process.channel?.unref();
    if (!process.connected && process.channel !== undefined) resolve("the launcher has ended");
  });
}

/**
 * A program that reads the output may end early, as `head` does. What a command does and answers is the same then: it runs to its
 * end, and its exit code keeps its meaning. A disk that is full is another matter where the answer is written: the exit code is 1.
 * Where only the log is, its lines are lost and all else goes on: policies are kept in force.
 */
export function outliveWriting(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isReported) return;
    isReported = true;
    printError(`standard output cannot be written: ${error.message}`);
    process.once("exit", () => {
      process.exitCode = 1;
    });
  });
  process.stderr.on("error", () => undefined);
}

let isReported = false;

/** A program that was to read the log and does not is waited for a second, when everything else has ended. */
export function endThoughUnread(): void {
  setTimeout(() => process.exit(), 1_000).unref();
}

/** SIGHUP would end the process, and SIGUSR1 would open Node's debugger to anyone that can connect to its port. */
export function ignoreOtherSignals(): void {
  for (const signal of ["SIGHUP", "SIGUSR1"] as const) process.on(signal, () => undefined);
}
