// The settings of `northgate recommend`. Refuses wrong usage as config.ts does.

import { recommendFormats } from "../choices.ts";
import { parseBoolean, parseChoice } from "../config.ts";
import type { ConfigInput } from "../values.ts";
import { valuesOf } from "../values.ts";
import type { WorldConfig } from "./questions.ts";
import { fileValues, parseWorld, textsOf } from "./questions.ts";

export interface RecommendConfig {
  readonly world: WorldConfig;
  /** Path of a record of connections. */
  readonly flows: string;
  /** None: those in which a recorded connection has an end. */
  readonly namespaces: readonly string[];
  /** What was not judged is no failure. */
  readonly allowUnjudged: boolean;
  readonly output: (typeof recommendFormats)[number];
}

export function readRecommendConfig(input: ConfigInput): RecommendConfig {
  const values = valuesOf("recommend", input);
  const { value } = values;
  return Object.freeze({
    world: parseWorld(values, fileValues(value, value("names-file"))),
    flows: value("flows").text,
    namespaces: [...new Set(textsOf(value("namespace")))],
    allowUnjudged: parseBoolean(value("allow-unjudged")),
    output: parseChoice(value("output"), recommendFormats),
  });
}
