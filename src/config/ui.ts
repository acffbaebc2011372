// The settings of `northgate ui`: the world that is shown, and the page's server.

import { invariant } from "../lib/invariant.ts";
import type { Cidr } from "../model/ip.ts";
import { parseSource } from "./config.ts";
import type { PageConfig } from "./page.ts";
import { parsePage } from "./page.ts";
import type { WorldConfig } from "./answers/questions.ts";
import { fileValues, parseNetworks, parseWorld, textsOf } from "./answers/questions.ts";
import type { ConfigInput, Value } from "./values.ts";
import { UsageError, valuesOf } from "./values.ts";

export interface UiConfig {
  readonly world: WorldConfig;
  readonly serviceNetworks: readonly Cidr[];
  /** A folder or a file of the world that is compared with; null: none. */
  readonly against: string | null;
  /** The file that the page is written to, in place of being served; null: it is served. */
  readonly exportTo: string | null;
  /** Files with counts of rules; none: none are shown. */
  readonly hits: readonly string[];
  readonly page: PageConfig;
}

export function readUiConfig(input: ConfigInput): UiConfig {
  const values = valuesOf("ui", input);
  const { value } = values;
  const world = parseWorld(values, fileValues(value, value("names-file")));
  const page = parsePage(value("listen"), value, world.source.kind === "kube" ? world.source : null);
  invariant(page !== null, "northgate ui always has a page");
  return Object.freeze({
    ...{ world, page },
    serviceNetworks: parseNetworks(value("service-cidr")),
    against: parseAgainst(value("plan-against")),
    exportTo: value("export").text || null,
    hits: textsOf(value("hits")),
  });
}

function parseAgainst(value: Value): string | null {
  if (value.text === "") return null;
  const source = parseSource(value, { kubeconfig: null });
  if (source.kind !== "directory") throw new UsageError(`${value.from}: only dir:PATH can be compared with`);
  return source.path;
}
