// How the rows of a run are made: the one value that the controller's process, the model and the databases all take. An
// option of the product that changes rows, and is to be measured both ways, is one more field here and in settings.ts.

import type { RenderMode } from "../../src/nbdb/rows/render-mode.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import type { PolicyKind } from "./catalogue.ts";
import { nodeName } from "./world.ts";

/** sets: central, with --named-ports sets; shared: central, with --address-sets shared; shared-sets: with both. */
export const modes = ["central", "node", "sets", "shared", "shared-sets"] as const;
export type Mode = (typeof modes)[number];

export type Rendering = RenderMode;

/** The flags by which `run` reads the workload's kinds and owns their rows; the others are as by default. */
export function kindFlags(kind: PolicyKind | undefined): Readonly<Record<string, string>> {
  return {
    "policy-model": kind === "calico" ? "calico" : "kubernetes",
    "enable-network-policy": String(kind === "np" || kind === "many" || kind === "calico"),
    "enable-antrea-policy": String(kind === "self"),
  };
}

/** `kind`: of the workload; many ANPs need more priorities than are documented, and Calico's model has another layout. */
export function renderingOf(mode: Mode, kind?: PolicyKind): Rendering {
  return {
    anpPriorities: kind === "many" ? "all" : "documented",
    zone: mode === "node" ? nodeName(0) : null,
    namedPorts: mode === "sets" || mode === "shared-sets" ? "sets" : "list",
    addressSets: mode === "shared" || mode === "shared-sets" ? "shared" : "rule",
    tierLayout: kind === "calico" ? stack : "threeTiers",
  };
}
