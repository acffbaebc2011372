// A policy object → the policy that its dialect reads and the backend admits, with what was found on the way. Of a kind that
// asks for it, rules that are refused are closed. Keeps which policies, or rules of them, were refused for want of room.

import { isDeepStrictEqual } from "node:util";
import { invariant } from "../lib/invariant.ts";
import type { KindText, PolicyObject } from "../model/object.ts";
import { kindText, kindTextOf } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Backend, Refusal } from "../policy/contracts/backend.ts";
import { withClosedRules, withPasses } from "../policy/closed-rules.ts";
import type { Compiled, Dialect } from "../policy/contracts/dialect.ts";
import { dialectsByKind } from "../policy/contracts/dialect.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { representative } from "../policy/partition.ts";
import { reusing } from "../policy/reuse.ts";
import { stagedIn } from "../policy/staged.ts";
import { Admissions } from "./admissions.ts";
import type { References } from "./references.ts";

/** What is to be in force of an object. */
export interface Admitted extends Compiled {
  /** The backend refused the policy or some of its rules, and may not do so when it holds other policies. */
  readonly waits: boolean;
  /** The object is staged: nothing of it is to be in force. */
  readonly isStaged: boolean;
}

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
  compile(key: PolicyKey, object: PolicyObject, before: Policy | null): Admitted {
    const dialect = this.#dialects.get(kindTextOf(key));
    invariant(dialect !== undefined, `no dialect for ${key}`);
    const kind = dialect.kinds.find((one) => kindText(one) === kindTextOf(key));
    const compiled = this.#references.recording(key, dialect.references, ({ resolve, loggingOf }) =>
      dialect.compile(object, resolve, loggingOf),
    );
    const staged = stagedIn(object, dialect.isOthers);
    const { policy, outline = null } = compiled;
    const problems = [...staged.problems, ...compiled.problems];
    if (staged.isStaged) {
      this.admissions.forget(key);
      return { policy: null, problems, waits: false, isStaged: true };
    }
    const asked = policy === null ? outline : reusing(policy, before);
    invariant(asked === null || asked.key === key, `${key} is compiled to ${asked?.key ?? ""}`);
    const { admitted, refusals } = this.#asked(asked, policy !== null && kind?.closesRules === true);
    // A policy that its dialect refuses waits for another version of its object, not for room.
    const waits = policy !== null && refusals.length > 0;
    if (waits) this.admissions.refused(key);
    else this.admissions.forget(key);
    const isClosed = waits && admitted !== null;
    const errors = refusals.map(({ code, part, message }): Problem => ({
      ...{ code, severity: "error", field: dialect.fieldOf(part) },
      message: isClosed ? `${message}; ${insteadOf(part)}` : message,
    }));
    return {
      policy: policy === null ? null : admitted,
      problems: [...errors, ...problems],
      waits,
      isStaged: false,
    };
  }

  /** Of a policy in force: with the rules closed that the backend does not admit any more, and those open again that it does. */
  kept(policy: Policy): Policy {
    return this.#asked(withPasses(policy), true).admitted ?? policy;
  }

  /** What the backend admits of the policy, and its refusals. Each question is about rules closed further, so that asking ends. */
  #asked(policy: Policy | null, closesRules: boolean): Asked {
    const refusals: Refusal[] = [];
    for (let asked = policy; asked !== null;) {
      const found = this.#backend.admit(representative(asked));
      if (found.length === 0) return { admitted: asked, refusals };
      refusals.push(...(refusals.length === 0 ? found : found.filter((one) => !isAmong(one, refusals))));
      asked = closesRules ? withClosedRules(asked, found) : null;
    }
    return { admitted: null, refusals };
  }
}

interface Asked {
  /** null: no policy, or none that the backend admits. */
  readonly admitted: Policy | null;
  readonly refusals: readonly Refusal[];
}

function isAmong(refusal: Refusal, others: readonly Refusal[]): boolean {
  return others.some((other) => isDeepStrictEqual(other, refusal));
}

/** What is in force of a rule that is closed. */
function insteadOf(part: Refusal["part"]): string {
  if (part.kind !== "rule") return "the rules that lead to it deny instead";
  return part.field === "logging" ? "the rule is not logged" : "the rule denies instead";
}
