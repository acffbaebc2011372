// An offline model with what a backend would enforce of it. Only types: src/backends.ts makes one.

import type { EngineBackend } from "../controller/engine.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";
import type { OfflineModel } from "./model.ts";

/** A backend without the system that it writes to. */
export interface BackendPreview extends EngineBackend {
  /** The policy's named ports that no container port of its destinations has. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[];
}

export type RenderedModel = OfflineModel<BackendPreview>;
