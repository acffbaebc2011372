// The first line of the log: which program this is and what it has been told, so that a log can be read without asking for
// either. Holds no secret: settings are names and paths, and of a kubeconfig only the server is told.

import type { RunConfig } from "../config/config.ts";
import type { Logger } from "../lib/logger.ts";
import { version } from "../version.ts";

/** `server`: of the kubeconfig; null: there is none. */
export function announce(logger: Logger, { effective }: RunConfig, server: string | null): void {
  const runtime = { version: version(), node: process.versions.node };
  logger.info("Northgate begins", { ...runtime, ...(server === null ? {} : { server }), ...effective });
}
