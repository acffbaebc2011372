// Selectors of Calico as trees, for tests of the parser: what they mean, in few lines, and their text in any of its spellings.

import fc from "fast-check";

const comparisons = {
  "==": (value: string, text: string) => value === text,
  contains: (value: string, text: string) => value.includes(text),
  "starts with": (value: string, text: string) => value.startsWith(text),
  "ends with": (value: string, text: string) => value.endsWith(text),
};
type Comparison = keyof typeof comparisons;

export type SelectorTree =
  | { readonly kind: "has"; readonly key: string }
  | { readonly kind: "all" }
  | { readonly kind: "compare"; readonly key: string; readonly by: Comparison | "!="; readonly text: string }
  | { readonly kind: "in" | "not in"; readonly key: string; readonly values: readonly string[] }
  | { readonly kind: "&&" | "||"; readonly operands: readonly SelectorTree[] }
  | { readonly kind: "!"; readonly operand: SelectorTree };

/** Words of the grammar are labels too. */
export const keys = ["a", "in", "has", "not"] as const;
const words = ["x", "y", "xy", "", `"`, "&& b"];

const leaf: fc.Arbitrary<SelectorTree> = fc
  .tuple(fc.constantFrom(...keys), fc.constantFrom(...words), fc.subarray(words, { maxLength: 3 }))
  .chain(([key, text, values]) =>
    fc.constantFrom<SelectorTree>(
      { kind: "has", key },
      { kind: "all" },
      ...(["==", "!=", "contains", "starts with", "ends with"] as const).map((by) => ({
        ...{ kind: "compare" as const, key, by, text },
      })),
      { kind: "in", key, values },
      { kind: "not in", key, values },
    ),
  );

export const { selectorTree } = fc.letrec<{ selectorTree: SelectorTree }>((tie) => ({
  selectorTree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({
      kind: fc.constantFrom("&&" as const, "||" as const),
      operands: fc.array(tie("selectorTree"), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("!" as const), operand: tie("selectorTree") }),
  ),
}));

export function meaning(tree: SelectorTree, labels: ReadonlyMap<string, string>): boolean {
  const value = "key" in tree ? labels.get(tree.key) : undefined;
  switch (tree.kind) {
    case "has":
      return value !== undefined;
    case "all":
      return true;
    case "compare":
      if (tree.by === "!=") return value !== tree.text;
      return value !== undefined && comparisons[tree.by](value, tree.text);
    case "in":
      return value !== undefined && tree.values.includes(value);
    case "not in":
      return value === undefined || !tree.values.includes(value);
    case "&&":
      return tree.operands.every((operand) => meaning(operand, labels));
    case "||":
      return tree.operands.some((operand) => meaning(operand, labels));
    case "!":
      return !meaning(tree.operand, labels);
  }
}

/** Some labels of the first two keys, with none of them among these. */
export const labelMaps: readonly ReadonlyMap<string, string>[] = [undefined, ...words, "yx"].flatMap((a) =>
  [undefined, "x", "xy"].map(
    (other) =>
      new Map([
        ...(a === undefined ? [] : [["a", a] as const]),
        ...(other === undefined ? [] : [["in", other] as const]),
      ]),
  ),
);

/** How tightly an operator binds: an operand that binds less needs brackets. */
const strength = { "||": 0, "&&": 1, "!": 2 } as const;

/** `choose(n)`: one of n ways to write what can be written in several. */
export function spelled(tree: SelectorTree, choose: (ways: number) => number): string {
  const blank = () => ["", " ", "\t", "  \t "][choose(4)] ?? "";
  const gap = () => [" ", "\t", "  \t "][choose(3)] ?? " ";
  const quoted = (text: string) => {
    const mark = text.includes('"') || choose(2) === 0 ? "'" : '"';
    return mark + text + mark;
  };
  const bracketed = (text: string) => `(${blank()}${text}${blank()})`;

  function set(values: readonly string[]): string {
    const list = values.map((value) => blank() + quoted(value) + blank()).join(",");
    return `{${list}${values.length > 0 && choose(3) === 0 ? "," : ""}${blank()}}`;
  }

  function word(by: string): string {
    return by.split(" ").join(blank());
  }

  function plain(of: SelectorTree): string {
    switch (of.kind) {
      case "has":
        return `has(${blank()}${of.key}${blank()})`;
      case "all":
        return `all(${blank()})`;
      case "compare": {
        const before = /^\w/.test(of.by) ? gap() : blank();
        return of.key + before + word(of.by) + blank() + quoted(of.text);
      }
      case "in":
      case "not in":
        return of.key + gap() + word(of.kind) + blank() + set(of.values);
      case "!":
        return `!${blank()}${operand(of.operand, "!")}`;
      case "&&":
      case "||":
        return of.operands.map((one) => operand(one, of.kind)).join(blank() + of.kind + blank());
    }
  }

  function operand(of: SelectorTree, inside: keyof typeof strength): string {
    const isLoose = of.kind in strength && strength[of.kind as keyof typeof strength] < strength[inside];
    return isLoose ? bracketed(plain(of)) : any(of);
  }

  function any(of: SelectorTree): string {
    return choose(5) === 0 ? bracketed(any(of)) : plain(of);
  }

  return blank() + any(tree) + blank();
}
