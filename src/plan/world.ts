// A world of a plan: what verdicts follow from.

import type { PolicyWorld } from "../verdicts/worlds.ts";

export type PlanWorld = PolicyWorld;
