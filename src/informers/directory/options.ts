// What a source over files and directories is told when it is made.

import type { Clock } from "../../lib/clock.ts";
import type { ObjectKind } from "../../model/object.ts";
import type { Reading } from "../objects/kinds.ts";
import type { NamedText } from "./load.ts";
import type { KeptObject, Keeps } from "./manifest.ts";

export interface DirectoryOptions {
  readonly paths: readonly string[];
  readonly policies: readonly ObjectKind[];
  /** Kinds of objects that policies may refer to. */
  readonly references?: readonly ObjectKind[];
  readonly reading?: Reading;
  /** Whether folders may be those of a repository, with other YAML and JSON in it; false unless given. */
  readonly isRepository?: boolean;
  /** Patterns of paths in folders that are left out; none unless given. */
  readonly ignore?: readonly string[];
  /** Manifests beside those of the paths, which stay as they are; none unless given. */
  readonly texts?: readonly NamedText[];
  readonly clock: Clock;
  /** Quiet time after a file event before files are looked at: editors save in several steps. */
  readonly settleMs?: number;
  /** How long a file must stay unchanged, or away, before its new state is believed. */
  readonly quietMs?: number;
  /** The time of day, in ms since 1970: files have no other clock. */
  readonly today?: () => number;
  /** How often files are looked at without any event: some file systems have none. */
  readonly pollMs?: number;
  /** Told once, and again when it has changed, of objects that are left alone: one sentence. */
  readonly onIgnored?: (note: string) => void;
  /** Which objects of kinds that are not read are kept; none unless given. */
  readonly keeps?: Keeps;
  /** Called with all of them, at the first look and when they may have changed. */
  readonly onKept?: (kept: readonly KeptObject[]) => void;
}
