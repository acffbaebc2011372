// The first line of the log: which program this is and with which settings, so that a log can be read without asking for
// either. Holds no secret: settings are names and paths, and of a kubeconfig only the server is named. A variable that looks
// like a setting and is none has a second line.

import type { RunConfig } from "../config/config.ts";
import type { Logger } from "../lib/logger.ts";
import { version } from "../version.ts";

/** `server`: of the kubeconfig; null: there is none. */
export function announce(
  logger: Logger,
  { effective, unknownVariables: variables }: RunConfig,
  server: string | null,
): void {
  const runtime = { version: version(), node: process.versions.node };
  logger.info("Northgate starts", { ...runtime, ...(server === null ? {} : { server }), ...effective });
  if (variables.length > 0)
    logger.warn("environment variables were ignored: no setting has these names", { variables });
}
