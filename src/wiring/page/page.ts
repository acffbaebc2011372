// The page's server that the config wants, with its gate, over the world that it is given.

import type { PageConfig } from "../../config/page.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { UiServer } from "../../ui/serving/server.ts";
import { serveUi } from "../../ui/serving/server.ts";
import type { ShownWorld } from "../../ui/world.ts";
import { openGated } from "../gates.ts";

/** The nonresource URL that a token's user must be allowed to get. */
const reviewed = "/ui";

export interface PageParts {
  readonly world: ShownWorld;
  readonly logger: Logger;
  readonly rest: number;
}

/** Rejects with one line when a file, the kubeconfig or the address cannot be used. */
export async function openPage(config: PageConfig, parts: PageParts): Promise<UiServer> {
  const { host, port, basePath, hosts } = config;
  return openGated(config, reviewed, (access) =>
    serveUi({ host, port, basePath, hosts, ...access, clock: systemClock, ...parts }),
  );
}
