// The log of a run, and its level while it runs: SIGUSR2 changes from the level of the settings to `debug`, and back. Whoever may send a
// signal to the process may do that, and nobody else. Both changes are in the log, whatever the level is.

import type { RunConfig } from "../config/config.ts";
import type { Logger } from "../lib/logger.ts";
import { createSwitchedLogger } from "../log.ts";

export async function logOfRun({
  logLevel,
  logFormat,
}: Pick<RunConfig, "logLevel" | "logFormat">): Promise<Logger> {
  const { logger, setLevel } = await createSwitchedLogger(logLevel, logFormat);
  let isDebugging = false;
  const change = () => {
    isDebugging = !isDebugging;
    const level = isDebugging ? "debug" : logLevel;
    // Said while every line is written.
    setLevel("debug");
    logger.info("the log level was changed by SIGUSR2", { to: level });
    setLevel(level);
  };
  // A process has one run; a test that starts several means the last.
  process.removeAllListeners("SIGUSR2").on("SIGUSR2", change);
  return logger;
}
