// The part of a run that differs from tool to tool.

import type { Clock } from "../../lib/clock.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import type { LiveFilter } from "../live/live-filter.ts";
import type { FilterLanguage } from "../live/language.ts";
import type { ToolsPlace } from "./tool-process.ts";
import type { ToolRun } from "./tool-runs.ts";

export interface NodeSideOptions {
  readonly place: ToolsPlace;
  /** Of the backend. */
  readonly flags: Flags;
  /** That rules are written for. */
  readonly families: readonly IpFamily[];
  readonly ran: (run: ToolRun) => void;
  readonly clock: Clock;
  /** Is called when another program has changed what is ours, where the node reports such changes. */
  readonly changed: () => void;
}

export interface NodeSide {
  readonly filter: LiveFilter;
  readonly language: FilterLanguage;
  /** What is amiss though rules can be written, one sentence each. */
  notes(): readonly string[];
  /** Ends the tools that run. */
  stop(): void;
}

export type OpenNodeSide = (options: NodeSideOptions) => NodeSide;
