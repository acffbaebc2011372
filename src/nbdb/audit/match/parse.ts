// Reads an OVN match expression (ovn-sb(5), Logical_Flow.match) as OVN itself reads it, sets and groups included. Refuses
// what OVN refuses, since OVN leaves an ACL whose match it cannot read out without a word: unknown names, constants that do
// not fit a field, && beside || without parentheses, and tests of nominal fields other than equality.

import type { Comparison, Constant, Expression, Integer, Relation } from "./expression.ts";
import { MatchError, widthOf } from "./integers.ts";
import type { MatchSymbol } from "./symbols.ts";
import { symbolOf } from "./symbols.ts";
import type { Sign, Token } from "./tokens.ts";
import { tokensOf } from "./tokens.ts";

/** What the names behind `$` and `@` hold; undefined: there is no such row. */
export interface Scope {
  addresses(name: string): readonly Integer[] | undefined;
  ports(name: string): ReadonlySet<string> | undefined;
}

const relations: readonly Relation[] = ["==", "!=", "<", "<=", ">", ">="];
const turned: Readonly<Record<Relation, Relation>> = {
  ...{ "==": "==", "!=": "!=" },
  ...{ "<": ">", "<=": ">=", ">": "<", ">=": "<=" },
};
/** As OVN: what is nested deeper is refused, so that a match cannot use up the stack. */
const maxDepth = 100;

/** Throws MatchError. */
export function parseMatch(text: string, scope: Scope): Expression {
  const parser = new Parser(tokensOf(text), scope);
  const expression = parser.whole();
  parser.end();
  return expression;
}

type Field = Pick<Comparison, "symbol" | "bits">;
type Constants = Pick<Comparison, "constants" | "inBraces">;

/** `atomic`: it may follow `!` as it is. */
interface Primary {
  readonly expression: Expression;
  readonly atomic: boolean;
}

const zero: Integer = { kind: "integer", value: 0n, mask: null, format: "hexadecimal" };

class Parser {
  readonly #tokens: readonly Token[];
  readonly #scope: Scope;
  #at = 0;
  #depth = 0;
  /** Whether an odd number of `!` encloses what is read. */
  #inverted = false;

  constructor(tokens: readonly Token[], scope: Scope) {
    this.#tokens = tokens;
    this.#scope = scope;
  }

  end(): void {
    if (this.#peek().kind !== "end") this.#fail("is not expected here");
  }

  whole(): Expression {
    const first = this.#negatable();
    const sign = this.#peek();
    if (sign.text !== "&&" && sign.text !== "||") return first;
    const of = [first];
    while (this.#skip(sign.text)) of.push(this.#negatable());
    const next = this.#peek().text;
    if (next === "&&" || next === "||") throw new MatchError("&& and || together need parentheses");
    return { kind: sign.text === "&&" ? "and" : "or", of };
  }

  #negatable(): Expression {
    if (!this.#skip("!")) return this.#primary().expression;
    this.#inverted = !this.#inverted;
    const { expression, atomic } = this.#primary();
    this.#inverted = !this.#inverted;
    if (!atomic) throw new MatchError("a comparison behind ! needs parentheses");
    return { kind: "not", of: expression };
  }

  #primary(): Primary {
    if (this.#skip("(")) return this.#parenthesized();
    const token = this.#peek();
    if (token.kind !== "name") return this.#fromConstant();
    const next = this.#tokens[this.#at + 1];
    if (next?.text === "(") return { expression: this.#function(token.value), atomic: true };
    const field = this.#field();
    const relation = this.#relation();
    if (relation === null) return { expression: this.#bare(field), atomic: true };
    return { expression: this.#comparison(field, relation, this.#constants()), atomic: false };
  }

  #parenthesized(): Primary {
    if (++this.#depth > maxDepth) throw new MatchError(`more than ${maxDepth} parentheses inside each other`);
    const expression = this.whole();
    this.#depth--;
    this.#expect(")");
    return { expression, atomic: true };
  }

  #function(name: string): Expression {
    if (name !== "is_chassis_resident") this.#fail("is no function");
    this.#at += 2;
    const token = this.#next();
    if (token.kind !== "text") throw new MatchError("is_chassis_resident needs a quoted name");
    this.#expect(")");
    return { kind: "resident", port: token.value };
  }

  /** 0, 1, or a comparison with its constants first; such a one may have two relations: 1 <= tcp.dst <= 9. */
  #fromConstant(): Primary {
    const left = this.#constants();
    const relation = this.#relation();
    if (relation === null) return { expression: this.#boolean(left), atomic: true };
    const field = this.#field();
    const second = this.#relation();
    const lower = this.#comparison(field, turned[relation], left);
    if (second === null) return { expression: lower, atomic: false };
    const isRange = /[<>]/.test(relation) && second.startsWith(relation.slice(0, 1));
    if (!isRange) throw new MatchError("a range has the form x < field < y or x > field > y");
    const upper = this.#comparison(field, second, this.#constants());
    return { expression: { kind: "and", of: [lower, upper] }, atomic: false };
  }

  #boolean({ constants, inBraces }: Constants): Expression {
    const [constant] = constants;
    const isBoolean =
      constant?.kind === "integer" &&
      constant.format === "decimal" &&
      constant.mask === null &&
      constant.value <= 1n;
    if (!isBoolean || inBraces) this.#fail("stands where a relation is expected");
    return { kind: "boolean", value: constant.value === 1n };
  }

  #bare(field: Field): Expression {
    const { symbol, bits } = field;
    if (symbol.width === 0) throw new MatchError(`${symbol.name} is a name, not a condition`);
    if (bits.count > 1 && !this.#inverted) throw new MatchError(`${symbol.name} needs a comparison`);
    return this.#comparison(field, "!=", { constants: [zero], inBraces: false });
  }

  #field(): Field {
    const token = this.#next();
    const symbol = token.kind === "name" ? symbolOf(token.value) : undefined;
    if (symbol === undefined) this.#fail("is no field", token);
    if (!this.#skip("[")) return { symbol, bits: { low: 0, count: symbol.width } };
    if (symbol.width === 0) throw new MatchError(`${symbol.name} has no bits`);
    const low = this.#bit();
    const high = this.#skip("..") ? this.#bit() : low;
    this.#expect("]");
    if (low > high || high >= symbol.width)
      throw new MatchError(`${symbol.name} has no bits ${low} to ${high}`);
    const count = high - low + 1;
    if (symbol.level === "nominal" && count !== symbol.width)
      throw new MatchError(`bits of ${symbol.name} cannot be selected`);
    return { symbol, bits: { low, count } };
  }

  #bit(): number {
    const token = this.#next();
    if (token.kind !== "integer" || token.integer.format !== "decimal" || token.integer.mask !== null)
      this.#fail("is no number of a bit", token);
    return token.integer.value > 1024n ? 1024 : Number(token.integer.value);
  }

  #relation(): Relation | null {
    const { kind, text } = this.#peek();
    const relation = kind === "sign" ? relations.find((one) => one === text) : undefined;
    if (relation === undefined) return null;
    this.#at++;
    return relation;
  }

  /** Commas are optional. */
  #constants(): Constants {
    if (!this.#skip("{")) return { constants: [this.#constant()], inBraces: false };
    const constants: Constant[] = [];
    do {
      constants.push(this.#constant());
      this.#skip(",");
    } while (!this.#skip("}"));
    return { constants, inBraces: true };
  }

  #constant(): Constant {
    const token = this.#next();
    switch (token.kind) {
      case "integer":
        return token.integer;
      case "text":
        return { kind: "text", text: token.value };
      case "set": {
        const values = this.#scope.addresses(token.value);
        if (values === undefined) throw new MatchError(`there is no address set ${token.value}`);
        return { kind: "addresses", name: token.value, values };
      }
      case "group": {
        const ports = this.#scope.ports(token.value);
        if (ports === undefined) throw new MatchError(`there is no port group ${token.value}`);
        return { kind: "ports", name: token.value, ports };
      }
      default:
        return this.#fail("is no constant", token);
    }
  }

  #comparison(field: Field, relation: Relation, constants: Constants): Comparison {
    const comparison = { kind: "comparison", ...field, relation, ...constants } as const;
    refuseWrongTypes(field.symbol, constants.constants);
    if (relation !== "==" && relation !== "!=") refuseOrder(comparison);
    else if (field.symbol.level === "nominal") refuseInequality(comparison, this.#inverted);
    return comparison;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", text: "the end" };
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #skip(sign: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== "sign" || text !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: Sign): void {
    if (!this.#skip(sign)) this.#fail(`stands where ${sign} is expected`);
  }

  #fail(why: string, { text }: Token = this.#peek()): never {
    throw new MatchError(`${text} ${why}`);
  }
}

const isName = (constant: Constant): boolean => constant.kind === "text" || constant.kind === "ports";

/** A set or a group that holds nothing. */
export function isEmpty(constant: Constant): boolean {
  if (constant.kind === "addresses") return constant.values.length === 0;
  return constant.kind === "ports" && constant.ports.size === 0;
}

/** A set or group that holds nothing has any type, unless it is last. */
function refuseWrongTypes(symbol: MatchSymbol, constants: readonly Constant[]): void {
  const wanted = symbol.width === 0;
  const wrong = constants.some(
    (constant, at) => isName(constant) !== wanted && (at === constants.length - 1 || !isEmpty(constant)),
  );
  if (wrong) throw new MatchError(`${symbol.name} is compared with ${wanted ? "a number" : "a name"}`);
  if (wanted) return;
  const widest = constants.flatMap(integersOf).find((integer) => widthOf(integer) > symbol.width);
  if (widest !== undefined)
    throw new MatchError(`${symbol.name} has ${symbol.width} bits and a constant ${widthOf(widest)}`);
}

export function integersOf(constant: Constant): readonly Integer[] {
  if (constant.kind === "integer") return [constant];
  return constant.kind === "addresses" ? constant.values : [];
}

function refuseOrder({ symbol, constants, inBraces }: Comparison): void {
  if (inBraces) throw new MatchError("only == and != compare with a set");
  if (symbol.level !== "ordinal") throw new MatchError(`only == and != compare ${symbol.name}`);
  const [first, second] = constants.flatMap(integersOf);
  if (first === undefined) throw new MatchError("only == and != compare with an empty set");
  if (first.mask !== null) throw new MatchError("only == and != compare with a mask");
  // OVN reads it in a way that no writer intends.
  if (second !== undefined) throw new MatchError("an order between a field and several constants");
}

/** Nominal: OVN cannot say in its flows what a port or a protocol is not. */
function refuseInequality({ symbol, relation, constants }: Comparison, inverted: boolean): void {
  if (symbol.kind === "field") {
    if (relation !== (inverted ? "!=" : "=="))
      throw new MatchError(`${symbol.name} may only be tested for equality`);
    return;
  }
  const isPositive = ({ value }: Integer): boolean =>
    [(value & 1n) === 1n, relation === "!=", inverted].filter(Boolean).length % 2 === 1;
  if (!constants.flatMap(integersOf).every(isPositive))
    throw new MatchError(`${symbol.name} may only be tested positively`);
}
