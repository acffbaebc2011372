// The text of a match expression's tree, in one form for equal trees.

import type { Comparison, Constant, Expression, Format } from "../../src/nbdb/audit/match/expression.ts";

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
