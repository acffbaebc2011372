// A match expression as a tree, and its text again. Sets and groups stay references with what they held when the text was
// read, because OVN too reads them together: what a set holds decides whether the expression is allowed.
// Invariant: the text of a tree, read again, is an equal tree.

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

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case "boolean":
      return expression.value ? "1" : "0";
    case "not":
      return `!(${printExpression(expression.of)})`;
    case "and":
      return expression.of.map(printInside).join(" && ");
    case "or":
      return expression.of.map(printInside).join(" || ");
    case "resident":
      return `is_chassis_resident(${JSON.stringify(expression.port)})`;
    case "comparison":
      return printComparison(expression);
  }
}

function printInside(expression: Expression): string {
  const text = printExpression(expression);
  return expression.kind === "and" || expression.kind === "or" ? `(${text})` : text;
}

function printComparison({ symbol, bits, relation, constants, inBraces }: Comparison): string {
  const { low, count } = bits;
  const part = count === symbol.width ? "" : count === 1 ? `[${low}]` : `[${low}..${low + count - 1}]`;
  const texts = constants.map(printConstant).join(", ");
  return `${symbol.name}${part} ${relation} ${inBraces ? `{${texts}}` : texts}`;
}

function printConstant(constant: Constant): string {
  switch (constant.kind) {
    case "addresses":
      return `$${constant.name}`;
    case "ports":
      return `@${constant.name}`;
    case "text":
      return JSON.stringify(constant.text);
    case "integer": {
      const { value, mask, format } = constant;
      const text = printInteger(value, format);
      return mask === null ? text : `${text}/${printInteger(mask, format)}`;
    }
  }
}

function printInteger(value: bigint, format: Format): string {
  switch (format) {
    case "decimal":
      return value.toString();
    case "hexadecimal":
      return `0x${value.toString(16)}`;
    case "ipv4":
      return groups(value, 4, 8n)
        .map((group) => group.toString())
        .join(".");
    case "ipv6":
      return groups(value, 8, 16n)
        .map((group) => group.toString(16))
        .join(":");
    case "ethernet":
      return groups(value, 6, 8n)
        .map((group) => group.toString(16).padStart(2, "0"))
        .join(":");
  }
}

function groups(value: bigint, count: number, bits: bigint): readonly bigint[] {
  const mask = (1n << bits) - 1n;
  return Array.from({ length: count }, (_, at) => (value >> (bits * BigInt(count - 1 - at))) & mask);
}
