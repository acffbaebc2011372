// The contract of a policy frontend: one API kind's object in, IR or Problems out. Pure; never throws on user input.

import type { PolicyKind, PolicyObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Policy } from "./ir.ts";

export interface Compiled {
  /** null: rejected; at least one of the problems is an error. */
  readonly policy: Policy | null;
  readonly problems: readonly Problem[];
}

/** An object that was accepted, and what came of it. */
export interface Accepted {
  readonly object: PolicyObject;
  readonly policy: Policy;
  readonly problems: readonly Problem[];
}

export interface Dialect extends PolicyKind {
  /**
   * `before`: the object of the same key as it was accepted before this one. A rule, and what a rule has of its own, that
   * reads as it did then is the same JavaScript object in both policies, so that nobody has to look into it again; what
   * is compiled is equal with and without.
   */
  compile(object: PolicyObject, before?: Accepted | null): Compiled;
}
