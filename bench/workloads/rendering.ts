// How the rows of a run are made: the one value that the controller's process, the model and the databases all take. An
// option of the product that changes rows, and is to be measured both ways, is one more field here and in settings.ts.

import type { RenderMode } from "../../src/nbdb/rows/render-mode.ts";
import { nodeName } from "./world.ts";

/** sets: central, with --named-ports sets; shared: central, with --address-sets shared; shared-sets: with both. */
export const modes = ["central", "node", "sets", "shared", "shared-sets"] as const;
export type Mode = (typeof modes)[number];

export type Rendering = RenderMode;

export function renderingOf(mode: Mode): Rendering {
  return {
    zone: mode === "node" ? nodeName(0) : null,
    namedPorts: mode === "sets" || mode === "shared-sets" ? "sets" : "list",
    addressSets: mode === "shared" || mode === "shared-sets" ? "shared" : "rule",
  };
}
