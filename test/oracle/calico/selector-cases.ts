// Selectors with labels that they select, and with labels that they do not; and texts that are no selectors.

type Labels = Readonly<Record<string, string>>;

export interface SelectorCase {
  readonly text: string;
  readonly holds: readonly Labels[];
  readonly not: readonly Labels[];
}

const none: Labels = {};
const x: Labels = { a: "x" };
const y: Labels = { a: "y" };
const empty: Labels = { a: "" };

const of = (text: string, holds: readonly Labels[], not: readonly Labels[]): SelectorCase => ({
  text,
  holds,
  not,
});

export const selectorCases: readonly SelectorCase[] = [
  of("", [none, x], []),
  of(" \t ", [none, x], []),
  of("all()", [none, x], []),
  of("all( )", [none], []),
  of("a == 'x'", [x], [none, y, empty]),
  of('a=="x"', [x], [none, y]),
  of('a == "it\'s"', [{ a: "it's" }], [x]),
  of("a == 'say \"x\"'", [{ a: 'say "x"' }], [x]),
  of("a == 'x\\'", [{ a: "x\\" }], [x]),
  of("a != 'x'", [none, y, empty], [x]),
  of("a in {'x', 'y'}", [x, y], [none, empty]),
  of("a in {'x',}", [x], [y, none]),
  of("a in {}", [], [none, x]),
  of("a in{'x'}", [x], [y]),
  of("a not in {'x'}", [none, y], [x]),
  of("a notin {'x'}", [none, y], [x]),
  of("a not in {}", [none, x], []),
  of("a contains 'x'", [x, { a: "yxy" }], [none, y]),
  of("a contains ''", [x, empty], [none]),
  of("a contains'x'", [x], [y]),
  of("a starts with 'x'", [x, { a: "xy" }], [none, { a: "yx" }]),
  of("a startswith 'x'", [{ a: "xy" }], [none, y]),
  of("a starts with ''", [x, empty], [none]),
  of("a ends with 'x'", [x, { a: "yx" }], [none, { a: "xy" }]),
  of("a endswith 'x'", [{ a: "yx" }], [none, y]),
  of("has(a)", [x, empty], [none, { b: "x" }]),
  of("has( a )", [x], [none]),
  of("!has(a)", [none], [x]),
  of("!!has(a)", [x], [none]),
  of("! a == 'x'", [none, y], [x]),
  of("!a == 'x' && b == 'y'", [{ b: "y" }, { a: "z", b: "y" }], [{ a: "x", b: "y" }, none]),
  of("!(a == 'x' && b == 'y')", [none, { a: "x" }, { b: "y" }], [{ a: "x", b: "y" }]),
  of("a == 'x' || b == 'y' && c == 'z'", [x, { b: "y", c: "z" }], [{ b: "y" }, { c: "z" }]),
  of("(a == 'x' || b == 'y') && c == 'z'", [{ a: "x", c: "z" }], [x, { b: "y" }]),
  of("((a=='x'))", [x], [y]),
  of("a == ''", [empty], [none, x]),
  of("in == 'x'", [{ in: "x" }], [none]),
  of("all == 'x'", [{ all: "x" }], [none]),
  of("has != 'x'", [none], [{ has: "x" }]),
  of("contains contains 'x'", [{ contains: "x" }], [none]),
  of("not not in {'x'}", [none], [{ not: "x" }]),
  of("projectcalico.org/name == 'x'", [{ "projectcalico.org/name": "x" }], [none]),
  of("a-b_c.d/e == 'x'", [{ "a-b_c.d/e": "x" }], [none]),
  of(`${"a".repeat(512)} == 'x'`, [{ ["a".repeat(512)]: "x" }], [none]),
  of("\ta\t==\t'x'\t", [x], [none]),
];

export const noSelectors: readonly string[] = [
  ...[
    "a = 'x'",
    "a == 'x' & b == 'y'",
    "a == 'x' | b == 'y'",
    "'x' == a",
    "a",
    "a ==",
    "a == x",
    "()",
    "has()",
  ],
  ...["a == 'x", 'a == "x', "a == 'x'\n", "a\n== 'x'", "a in 'x'", "a in {'x'", "a in {,}", "a in {'x' 'y'}"],
  ...["has (a)", "all ()", "(a == 'x'", "a == 'x')", "a == 'x' b == 'y'", "a inx {'y'}", "a containsx 'y'"],
  ...["a == 'x' &&", "|| a == 'x'", "!", "ä == 'x'", `${"a".repeat(513)} == 'x'`, "a == 'x' ||", "a not 'x'"],
];
