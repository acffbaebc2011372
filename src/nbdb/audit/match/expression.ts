// A match expression as a tree. Sets and groups stay references with what they held when the text was read, because OVN too
// reads them together: what a set holds decides whether the expression is allowed. `!` stays where it was written.

import type { MatchSymbol } from "./symbols.ts";

export type Relation = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Format = "decimal" | "hexadecimal" | "ipv4" | "ipv6" | "ethernet";

export interface Integer {
  readonly kind: "integer";
  readonly value: bigint;
  /** Bits of `value` that count; null: all. */
  readonly mask: bigint | null;
  readonly format: Format;
}

export interface Text {
  readonly kind: "text";
  readonly text: string;
}

/** `$name`. */
export interface AddressSetOf {
  readonly kind: "addresses";
  readonly name: string;
  readonly values: readonly Integer[];
}

/** `@name`. */
export interface PortGroupOf {
  readonly kind: "ports";
  readonly name: string;
  readonly ports: ReadonlySet<string>;
}

export type Constant = Integer | Text | AddressSetOf | PortGroupOf;

export interface Comparison {
  readonly kind: "comparison";
  readonly symbol: MatchSymbol;
  /** The bits that are compared, the lowest first and how many. */
  readonly bits: { readonly low: number; readonly count: number };
  readonly relation: Relation;
  readonly constants: readonly Constant[];
  readonly inBraces: boolean;
}

export type Expression =
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "not"; readonly of: Expression }
  | { readonly kind: "and" | "or"; readonly of: readonly Expression[] }
  | Comparison
  /** Whether a port is bound here: `is_chassis_resident("name")`. */
  | { readonly kind: "resident"; readonly port: string };

/** The port groups that it names. */
export function groupsIn(expression: Expression): readonly PortGroupOf[] {
  switch (expression.kind) {
    case "comparison":
      return expression.constants.filter((constant) => constant.kind === "ports");
    case "not":
      return groupsIn(expression.of);
    case "and":
    case "or":
      return expression.of.flatMap(groupsIn);
    case "boolean":
    case "resident":
      return [];
  }
}
