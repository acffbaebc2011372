// A policy object → the policy that its dialect reads and the backend admits, with what was found on the way. Keeps which
// policies were refused for want of room.

import { invariant } from "../lib/invariant.ts";
import type { KindText, PolicyObject } from "../model/object.ts";
import { kindTextOf } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Backend } from "../policy/backend.ts";
import type { Compiled, Dialect } from "../policy/dialect.ts";
import { dialectsByKind } from "../policy/dialect.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { sampled } from "../policy/partition.ts";
import { reusing } from "../policy/reuse.ts";
import { Admissions } from "./admissions.ts";
import type { References } from "./references.ts";

export class Compiler {
  readonly admissions = new Admissions();
  readonly #dialects: ReadonlyMap<KindText, Dialect>;
  readonly #references: References;
  readonly #backend: Pick<Backend, "admit">;

  constructor(dialects: readonly Dialect[], references: References, backend: Pick<Backend, "admit">) {
    this.#dialects = dialectsByKind(dialects);
    this.#references = references;
    this.#backend = backend;
  }

  /** Whether the key is of a kind that a dialect reads. */
  covers(key: PolicyKey): boolean {
    return this.#dialects.has(kindTextOf(key));
  }

  /** `before`: the policy in force; what equals a part of it is the same object. */
  compile(key: PolicyKey, object: PolicyObject, before: Policy | null): Compiled {
    const dialect = this.#dialects.get(kindTextOf(key));
    invariant(dialect !== undefined, `no dialect for ${key}`);
    const compiled = this.#references.recording(key, dialect.references, ({ resolve, loggingOf }) =>
      dialect.compile(object, resolve, loggingOf),
    );
    const { policy, problems, outline = null } = compiled;
    const asked = policy === null ? outline : reusing(policy, before);
    invariant(asked === null || asked.key === key, `${key} is compiled to ${asked?.key ?? ""}`);
    const refusals = asked === null ? [] : this.#backend.admit(sampled(asked));
    // A policy that its dialect refuses waits for another version of its object, not for room.
    if (policy === null || refusals.length === 0) this.admissions.forget(key);
    else this.admissions.refused(key);
    const errors = refusals.map(({ code, part, message }): Problem => ({
      code,
      severity: "error",
      field: dialect.fieldOf(part),
      message,
    }));
    const admitted = policy !== null && refusals.length === 0 ? asked : null;
    return { policy: admitted, problems: [...errors, ...problems] };
  }
}
