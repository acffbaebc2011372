// The text of a selector → our selector. `!` binds before `&&`, and `&&` before `||`. Without the label `==`, `in`, `contains`,
// `starts with`, `ends with` and `has` are false, `!=` and `not in` true. Reads from left to right with a list of open brackets,
// so that no text overflows the stack. How long a text may be is the caller's to check.

import { invariant } from "../../lib/invariant.ts";
import { conjunctionOf, disjunctionOf, folded, negationOf } from "../../model/selectors/folding.ts";
import type { Selector } from "../../model/selector.ts";
import { everything } from "../../model/selector.ts";
import type { Fault, Operator, Token } from "./tokens.ts";
import { faultAt, tokensOf } from "./tokens.ts";

export interface ParsedSelector {
  /** `global()` counts as everything in it: of a text that has it, `global` says what to do. */
  readonly selector: Selector;
  /** Where `global()` stands: nowhere; it is the whole selector; or it is a part of it. */
  readonly global: "none" | "alone" | "inside";
  /** Whether `all()` is the whole selector. What else selects everything is no `all()`. */
  readonly isAll: boolean;
}

/** Brackets in brackets. */
const mostNested = 200;

/** The empty text selects everything. */
export function parseSelector(text: string): ParsedSelector | Fault {
  const tokens = tokensOf(text);
  if ("message" in tokens) return tokens;
  if (tokens.length === 1) return { selector: everything, global: "none", isAll: false };
  return new SelectorReader(tokens).read();
}

/** What stands inside one bracket, or outside all of them. */
interface Bracket {
  /** Of the bracket. */
  readonly at: number;
  readonly isNegated: boolean;
  /** Between `||`. */
  readonly alternatives: Selector[];
  /** Between `&&`, since the last `||`. */
  factors: Selector[];
}

/** The selectors of `global()` and `all()`, found again where they are the whole. */
const globalMark: Selector = { ...everything };
const allMark: Selector = { ...everything };

class SelectorReader {
  readonly #tokens: readonly Token[];
  #next = 0;
  readonly #open: Bracket[] = [];
  #current: Bracket = { at: 0, isNegated: false, alternatives: [], factors: [] };
  #hasGlobal = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  read(): ParsedSelector | Fault {
    for (;;) {
      const fault = this.#readOperand();
      if (fault !== null) return fault;
      const end = this.#readJoin();
      if (end !== null) return end;
    }
  }

  /** Any opening brackets and what stands behind them. */
  #readOperand(): Fault | null {
    for (;;) {
      const isNegated = this.#readNegations();
      const token = this.#take();
      if (token.kind !== "(") {
        const operand = this.#readTerm(token);
        if ("message" in operand) return operand;
        this.#current.factors.push(isNegated ? negationOf(operand) : operand);
        return null;
      }
      if (this.#open.length === mostNested)
        return faultAt(token.at, `brackets are nested deeper than ${mostNested}`);
      this.#open.push(this.#current);
      this.#current = { at: token.at, isNegated, alternatives: [], factors: [] };
    }
  }

  /** Any closing brackets and what joins the next operand; the answer at the end. */
  #readJoin(): ParsedSelector | Fault | null {
    for (;;) {
      const token = this.#take();
      if (token.kind === "&&") return null;
      if (token.kind !== "||" && token.kind !== ")" && token.kind !== "end")
        return faultAt(token.at, `"&&" or "||" must follow, found ${shown(token)}`);
      const { alternatives, factors, isNegated } = this.#current;
      alternatives.push(conjunctionOf(factors));
      this.#current.factors = [];
      if (token.kind === "||") return null;
      const selector = disjunctionOf(alternatives);
      const outer = this.#open.pop();
      if (token.kind === "end")
        return outer === undefined
          ? { selector, global: this.#globalIn(selector), isAll: selector === allMark }
          : faultAt(this.#current.at, "the bracket does not end; it begins");
      if (outer === undefined) return faultAt(token.at, 'there is no "(" for the ")"');
      outer.factors.push(isNegated ? negationOf(selector) : selector);
      this.#current = outer;
    }
  }

  #globalIn(selector: Selector): ParsedSelector["global"] {
    if (!this.#hasGlobal) return "none";
    return selector === globalMark ? "alone" : "inside";
  }

  #readNegations(): boolean {
    let isNegated = false;
    for (; this.#tokens[this.#next]?.kind === "!"; this.#next++) isNegated = !isNegated;
    return isNegated;
  }

  #readTerm(token: Token): Selector | Fault {
    switch (token.kind) {
      case "has":
        return folded({ operator: "Exists", key: token.value });
      case "all":
        return allMark;
      case "global":
        this.#hasGlobal = true;
        return globalMark;
      case "label":
        return this.#readComparison(token.value);
      default:
        return faultAt(token.at, `a label, has(), all() or "(" must stand here, found ${shown(token)}`);
    }
  }

  #readComparison(key: string): Selector | Fault {
    const token = this.#take();
    if (token.kind !== "operator")
      return faultAt(token.at, `an operator must follow the label, found ${shown(token)}`);
    if (token.operator === "in" || token.operator === "not in") {
      const values = this.#readSet();
      if ("message" in values) return values;
      return folded({ operator: token.operator === "in" ? "In" : "NotIn", key, values });
    }
    const operand = this.#take();
    return operand.kind === "string"
      ? comparison(key, token.operator, operand.value)
      : faultAt(operand.at, `a string in quotes must follow the operator, found ${shown(operand)}`);
  }

  /** `{}` is a set, and the last value may be followed by a comma. */
  #readSet(): readonly string[] | Fault {
    const start = this.#take();
    if (start.kind !== "{")
      return faultAt(start.at, `a set in braces must follow the operator, found ${shown(start)}`);
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === "}") return values;
      if (token.kind !== "string")
        return faultAt(token.at, `a string in quotes or "}" must stand here, found ${shown(token)}`);
      values.push(token.value);
      const end = this.#take();
      if (end.kind === "}") return values;
      if (end.kind !== ",") return faultAt(end.at, `"," or "}" must follow, found ${shown(end)}`);
    }
  }

  /** The end is taken once at most: every reader that finds it stops. */
  #take(): Token {
    const token = this.#tokens[this.#next++];
    invariant(token !== undefined, "a selector was read beyond its end");
    return token;
  }
}

function comparison(key: string, operator: Exclude<Operator, "in" | "not in">, value: string): Selector {
  switch (operator) {
    case "==":
      return folded({ operator: "In", key, values: [value] });
    case "!=":
      return folded({ operator: "NotIn", key, values: [value] });
    case "contains":
      return folded({ operator: "Contains", key, text: value });
    case "starts with":
      return folded({ operator: "StartsWith", key, text: value });
    case "ends with":
      return folded({ operator: "EndsWith", key, text: value });
  }
}

function shown(token: Token): string {
  if (token.kind === "end") return "the end";
  if (token.kind === "operator") return `"${token.operator}"`;
  if (token.kind === "has" || token.kind === "all" || token.kind === "global") return `${token.kind}()`;
  return token.kind === "label" || token.kind === "string" ? `a ${token.kind}` : `"${token.kind}"`;
}
