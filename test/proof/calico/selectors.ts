// Random selectors in Calico's language: every operator, negation at every depth, and the labels that Calico gives to pods and
// namespaces. Few keys and values, so that most of them select somebody.

import fc from "fast-check";
import { spaces } from "../pods.ts";

/** Those that texts within texts tell apart. */
export const values = ["x", "y", "xy"] as const;
const keys = ["app", "tier"] as const;
/** The last is too long for a label of pods. */
export const accountNames = ["default", "runner", "a".repeat(63)] as const;

export const labels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), { maxKeys: 2 });

const key = fc.constantFrom(...keys);
const value = fc.constantFrom(...values);
const operand = fc.constantFrom("x", "y", "xy", "");
const blank = fc.constantFrom("", " ");
const set = fc
  .tuple(fc.uniqueArray(value, { maxLength: 2 }), fc.boolean())
  .map(
    ([list, isOpen]) =>
      `{${list.map((one) => `'${one}'`).join(", ")}${isOpen && list.length > 0 ? "," : ""}}`,
  );

const comparison = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, blank, value).map(([k, b, v]) => `${k}${b}==${b}"${v}"`) },
  { weight: 3, arbitrary: fc.tuple(key, value).map(([k, v]) => `${k} != '${v}'`) },
  {
    weight: 3,
    arbitrary: fc.tuple(key, fc.constantFrom("in", "not in", "notin"), set).map((parts) => parts.join(" ")),
  },
  { weight: 4, arbitrary: key.map((k) => `has(${k})`) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(key, fc.constantFrom("contains", "starts with", "startswith", "ends with", "endswith"), operand)
      .map(([k, word, v]) => `${k} ${word} '${v}'`),
  },
);

const space = fc.constantFrom(...spaces);
const own = fc.oneof(
  fc
    .tuple(fc.constantFrom("==", "!="), space)
    .map(([op, name]) => `projectcalico.org/namespace ${op} '${name}'`),
  fc.constantFrom(...accountNames).map((name) => `projectcalico.org/serviceaccount == '${name}'`),
  fc.constant("has(projectcalico.org/serviceaccount)"),
  fc.constant("projectcalico.org/orchestrator == 'k8s'"),
);

function composed(leaf: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const some = fc.oneof(
    leaf,
    leaf,
    leaf.map((one) => `!(${one})`),
    leaf.map((one) => `! ${one}`),
  );
  return fc.oneof(
    { weight: 6, arbitrary: some },
    { weight: 1, arbitrary: fc.tuple(some, some).map(([one, other]) => `${one} && ${other}`) },
    { weight: 2, arbitrary: fc.tuple(some, some).map(([one, other]) => `${one} || ${other}`) },
    { weight: 1, arbitrary: fc.tuple(some, some, some).map(([a, b, c]) => `(${a} || ${b}) && ${c}`) },
    { weight: 1, arbitrary: fc.tuple(some, some, some).map(([a, b, c]) => `${a} || ${b} && !(${c})`) },
  );
}

/** Over labels of pods and sets. */
export const selector = fc.oneof(
  { weight: 3, arbitrary: fc.constant("all()") },
  {
    weight: 8,
    arbitrary: composed(fc.oneof({ weight: 5, arbitrary: comparison }, { weight: 1, arbitrary: own })),
  },
);

/** Over labels of namespaces; `all()` of any. */
export const namespaceSelector = fc.oneof(
  { weight: 1, arbitrary: fc.constant("all()") },
  {
    weight: 5,
    arbitrary: composed(
      fc.oneof(
        { weight: 3, arbitrary: comparison },
        { weight: 1, arbitrary: space.map((name) => `projectcalico.org/name == '${name}'`) },
      ),
    ),
  },
);

/** Over labels of service accounts. */
export const accountSelector = composed(
  fc.oneof(
    { weight: 3, arbitrary: comparison },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...accountNames).map((name) => `projectcalico.org/name == '${name}'`),
    },
  ),
);
