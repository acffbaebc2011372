// Whether a packet meets an expression. An unknown field of the packet leaves the answer open, unless the rest
// decides it. `!` is taken to the comparisons before prerequisites are added, as OVN does: !(tcp.dst == 80) is met by TCP to
// another port and not by UDP; a comparison with an empty set has no prerequisite at all.

import type { Comparison, Expression, Integer, Relation } from "./expression.ts";
import { integersOf, isEmpty, parseMatch } from "./parse.ts";
import { symbols } from "./symbols.ts";

/** null: it depends on what is not known. */
export type MatchResult = boolean | null;

/** A number that no expression names: a source port of which nothing is known but that. */
export const unnamed = Symbol("unnamed");

/** Of a field that is text: the names of which it has one. null: not known. */
export type FieldValue = bigint | readonly string[] | typeof unnamed | null;

export interface Packet {
  valueOf(field: string): FieldValue;
}

const noNames = { addresses: () => undefined, ports: () => undefined };
/** By symbol, what it needs or means. */
const implied: ReadonlyMap<string, Expression> = new Map(
  [...symbols()].flatMap((symbol) => {
    const text = symbol.kind === "predicate" ? symbol.expansion : symbol.needs;
    return text === null ? [] : [[symbol.name, parseMatch(text, noNames)] as const];
  }),
);

export function meets(packet: Packet, expression: Expression): MatchResult {
  return evaluate(packet, expression, true);
}

/** Without `positive`, of the expression's opposite. */
function evaluate(packet: Packet, expression: Expression, positive: boolean): MatchResult {
  switch (expression.kind) {
    case "boolean":
      return expression.value === positive;
    case "not":
      return evaluate(packet, expression.of, !positive);
    case "resident":
      return null;
    case "comparison":
      return compare(packet, expression, positive);
    case "and":
    case "or":
      return combine((expression.kind === "and") === positive, expression.of, (part) =>
        evaluate(packet, part, positive),
      );
  }
}

/** All of them, or any; what is open stays open unless another part decides. */
function combine<T>(all: boolean, parts: Iterable<T>, test: (part: T) => MatchResult): MatchResult {
  let met: MatchResult = all;
  for (const part of parts) {
    const one = test(part);
    if (one === !all) return !all;
    if (one === null) met = null;
  }
  return met;
}

const opposite: Readonly<Record<Relation, Relation>> = {
  ...{ "==": "!=", "!=": "==" },
  ...{ "<": ">=", "<=": ">", ">": "<=", ">=": "<" },
};

function compare(packet: Packet, comparison: Comparison, positive: boolean): MatchResult {
  const { symbol } = comparison;
  const relation = positive ? comparison.relation : opposite[comparison.relation];
  const { constants } = comparison;
  if (constants.every(isEmpty)) return relation === "!=";
  if (symbol.kind === "predicate") {
    // 1 and 0 mean true and false.
    return combine(relation !== "==", constants.flatMap(integersOf), ({ value }) => {
      const wanted = ((value & 1n) === 1n) === (relation === "==");
      return meetsImplied(packet, symbol.name, wanted);
    });
  }
  const value = packet.valueOf(symbol.name);
  const needed = symbol.needs === null ? true : meetsImplied(packet, symbol.name, true);
  if (needed === false || value === null) return needed === false ? false : null;
  const met =
    typeof value === "object"
      ? isNamed(value, namesOf(comparison), relation)
      : holds(value, comparison, relation);
  return met && needed === null ? null : met;
}

function meetsImplied(packet: Packet, symbol: string, positive: boolean): MatchResult {
  const expression = implied.get(symbol);
  if (expression === undefined) return positive;
  const met = meets(packet, expression);
  return met === null ? null : met === positive;
}

type Names = readonly { has(name: string): boolean }[];

function namesOf({ constants }: Comparison): Names {
  return constants.flatMap((constant): Names => {
    if (constant.kind === "text") return [new Set([constant.text])];
    return constant.kind === "ports" ? [constant.ports] : [];
  });
}

/** Open where some of the possible values are named and some are not. */
function isNamed(values: readonly string[], names: Names, relation: Relation): MatchResult {
  const met = new Set(values.map((value) => names.some((some) => some.has(value)) === (relation === "==")));
  return met.size === 1 ? met.has(true) : null;
}

/** Of several constants, == needs one of them and every other relation all. */
function holds(value: bigint | typeof unnamed, comparison: Comparison, relation: Relation): boolean {
  if (value === unnamed) return relation === "!=";
  const { low, count } = comparison.bits;
  const all = (1n << BigInt(count)) - 1n;
  const part = (value >> BigInt(low)) & all;
  const test = (integer: Integer): boolean => ordered(part, integer, all, relation);
  return relation === "=="
    ? comparison.constants.some((constant) => integersOf(constant).some(test))
    : comparison.constants.every((constant) => integersOf(constant).every(test));
}

function ordered(part: bigint, { value, mask }: Integer, all: bigint, relation: Relation): boolean {
  const constant = value & all;
  const seen = mask === null ? part : part & mask;
  switch (relation) {
    case "==":
      return seen === constant;
    case "!=":
      return seen !== constant;
    case "<":
      return part < constant;
    case "<=":
      return part <= constant;
    case ">":
      return part > constant;
    case ">=":
      return part >= constant;
  }
}
