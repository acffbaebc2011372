// What follows where the asker may not list a kind, or a Namespace was not read. A policy that names an object of such a kind, or asks
// for labels of such a Namespace, is not judged as if there were none: it is one that cannot be read, with a warning, so that an answer
// that depends on it is open.

import type { KindText, ObjectKind } from "../model/object.ts";
import { kindText } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Compiled, Dialect } from "../policy/contracts/dialect.ts";
import { resolveBy } from "../policy/contracts/resolve.ts";
import type { Policy } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";

/**
 * The dialects, of which a policy is rejected without an error when it misses an object of one of these kinds, or depends on a Namespace
 * that was not read.
 */
export function withUnread(dialects: readonly Dialect[], unread: readonly ObjectKind[]): readonly Dialect[] {
  const kinds = new Set(unread.map(kindText));
  return dialects.map((dialect) => ({
    ...dialect,
    compile(object, resolve, loggingOf) {
      const [asked, askedByLabels] = [new Set<KindText>(), new Set<KindText>()];
      const unreadNamespaces = new Set<string>();
      const asking = resolveBy(
        (kind, namespace, name) => {
          const found = resolve(kind, namespace, name);
          if (found === null) asked.add(kindText(kind));
          return found;
        },
        (kind, namespace, selector) => {
          askedByLabels.add(kindText(kind));
          return resolve.labelled(kind, namespace, selector);
        },
        (name) => {
          const found = resolve.namespace(name);
          if (found?.isUnread === true) unreadNamespaces.add(name);
          return found;
        },
      );
      const compiled = dialect.compile(object, asking, loggingOf);
      const missing = compiled.problems.filter(({ code }) => code === "MissingReference");
      // A dialect may ask for what need not be there; which objects have the labels is unknown.
      if (missing.length > 0 && !kinds.isDisjointFrom(asked))
        return compiledAsUnknown(compiled, missing, dialect);
      const whole: Missing = { code: "MissingReference", field: "spec" };
      if (!kinds.isDisjointFrom(askedByLabels)) return compiledAsUnknown(compiled, [whole], dialect);
      const [namespace] = unreadNamespaces;
      if (namespace === undefined) return compiled;
      return compiledAsUnknown(compiled, [whole], dialect, `Namespace ${namespace} was not read`);
    },
  }));
}

/** The field that refers to what was not read. */
type Missing = Pick<Problem, "code" | "field">;

function compiledAsUnknown(
  compiled: Compiled,
  missing: readonly Missing[],
  dialect: Dialect,
  cause = "it could not be listed",
): Compiled {
  const known = compiled.policy ?? compiled.outline ?? null;
  const message = `${cause}: what the policy does is not known, and it is left out`;
  return {
    policy: null,
    problems: missing.map(({ code, field }) => ({ code, severity: "warning", field, message })),
    ...(known === null ? {} : { outline: outlineOf(known, missing, dialect) }),
  };
}

/** About everyone, unless its subject is known: rules with subjects of their own may be about others than the policy's. */
function outlineOf(policy: Policy, missing: readonly Missing[], dialect: Dialect): Policy {
  const subject = dialect.fieldOf({ kind: "subject" });
  const isMissing = missing.some(({ field }) => field.startsWith(subject));
  const hasOwn = directions.some((direction) =>
    policy.rules[direction].some(({ subject }) => subject !== null),
  );
  return {
    ...policy,
    subject: isMissing || hasOwn ? [] : policy.subject,
    rules: { ingress: [], egress: [] },
  };
}

/** One sentence: what is unknown without the kind. */
export function unreadText(kind: ObjectKind, dialects: readonly Dialect[]): string {
  const isPolicy = dialects.some(({ kinds }) => kinds.some((one) => kindText(one) === kindText(kind)));
  const text = kindText(kind);
  return isPolicy
    ? `${text} objects could not be listed: the answer is as if there were none`
    : `${text} objects could not be listed: policies that name one are left out, as if they could not be read`;
}
