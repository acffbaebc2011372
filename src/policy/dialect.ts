// The contract of a policy frontend: one API kind's object in, IR or Problems out. Pure; never throws on user input.

import type { PolicyKind, PolicyObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Policy } from "./ir.ts";

export interface Compiled {
  /** null: rejected; at least one of the problems is an error. */
  readonly policy: Policy | null;
  readonly problems: readonly Problem[];
}

export interface Dialect extends PolicyKind {
  compile(object: PolicyObject): Compiled;
}
