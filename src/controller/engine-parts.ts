// What an engine is made of, and what it says of a pass.

import type { Groups } from "../groups/index.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { ObjectKey } from "../model/object.ts";
import type { Backend } from "../policy/contracts/backend.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { JudgedReference } from "./judged-references.ts";
import type { FactFollower } from "./observed-facts.ts";

/** The part of a backend that the engine uses. */
export type EngineBackend = Pick<
  Backend,
  "serve" | "admit" | "upsert" | "remove" | "takeContested" | "freeze"
>;

export interface EngineOptions {
  readonly dialects: readonly Dialect[];
  /** The store of all facts; only the engine writes to it. */
  readonly facts: FactStore;
  /** Groups over the same facts. */
  readonly groups: Groups;
  readonly backend: EngineBackend;
  /** The IP families rows are written for; null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** The only node whose pods rows are written for; all unless given. */
  readonly zone?: string | null;
  /** The networks outside of which policies say nothing; none unless given: there is no outside. */
  readonly inside?: readonly Cidr[];
  readonly follower?: FactFollower | null;
}

/** The effects of everything observed since the last `settle`. */
export interface Settled {
  /** Policies that were compiled again though their objects did not change; each once. */
  readonly compiled: ReadonlySet<PolicyKey>;
  /** The new families that rows are written for; null: unchanged. */
  readonly families: readonly IpFamily[] | null;
  /** What is reported on objects that policies refer to, where it differs; null: the object was removed. */
  readonly judged: ReadonlyMap<ObjectKey, JudgedReference | null>;
}
