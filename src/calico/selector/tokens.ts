// The text of a selector → its tokens. Blanks are spaces and tabs. Strings have no escapes and end at the next quote of their own
// kind. Directly behind a label only an operator can stand, so a label may be called `in` or `has`. Each letter is looked at a
// bounded number of times.

import { quote } from "../../model/quote.ts";

export type Operator = "==" | "!=" | "in" | "not in" | "contains" | "starts with" | "ends with";

/** `at`: where it begins, in UTF-16 units from 0. */
export type Token = { readonly at: number } & (
  | { readonly kind: "(" | ")" | "{" | "}" | "," | "!" | "&&" | "||" | "all" | "global" | "end" }
  | { readonly kind: "operator"; readonly operator: Operator }
  | { readonly kind: "label" | "has" | "string"; readonly value: string }
);

/** Why the text is refused. The message names the place for people: the first character is 1. */
export interface Fault {
  readonly message: string;
}

export const mostLabelLength = 512;

const blanks = /[ \t]*/y;
const symbol = /[(){},]|&&|\|\||!=|==|!/y;
const text = /'([^']*)'|"([^"]*)"/y;
const word = /(contains|in|starts[ \t]*with|ends[ \t]*with|not[ \t]*in)(?![A-Za-z0-9_./-])/y;
const call = /(has|all|global)\(/y;
const label = /[A-Za-z0-9_./-]+/y;

/** The last token is the end; or the first fault. */
export function tokensOf(input: string): readonly Token[] | Fault {
  const tokens: Token[] = [];
  let at = skipBlanks(input, 0);
  while (at < input.length) {
    const read = nextToken(input, at, tokens.at(-1)?.kind === "label");
    if ("message" in read) return read;
    tokens.push(read.token);
    at = skipBlanks(input, read.end);
  }
  return [...tokens, { kind: "end", at }];
}

export function faultAt(at: number, message: string): Fault {
  return { message: `${message} at character ${at + 1}` };
}

interface Read {
  readonly token: Token;
  /** Behind it. */
  readonly end: number;
}

function nextToken(input: string, at: number, isBehindLabel: boolean): Read | Fault {
  const sign = matchAt(symbol, input, at)?.[0];
  if (sign !== undefined) return { token: signToken(sign, at), end: at + sign.length };
  const string = matchAt(text, input, at);
  if (string !== null)
    return {
      token: { kind: "string", value: string[1] ?? string[2] ?? "", at },
      end: at + string[0].length,
    };
  const letter = input.charAt(at);
  if (letter === "'" || letter === '"') return faultAt(at, "the string does not end; it begins");
  if (letter === "=" || letter === "&" || letter === "|")
    return faultAt(at, `"${letter}" must be "${letter}${letter}"`);
  if (isBehindLabel) return wordOperator(input, at);
  const called = matchAt(call, input, at);
  return called === null ? labelToken(input, at) : callToken(input, at, called);
}

/** One of the symbols. */
function signToken(sign: string, at: number): Token {
  switch (sign) {
    case "==":
    case "!=":
      return { kind: "operator", operator: sign, at };
    case "(":
    case ")":
    case "{":
    case "}":
    case ",":
    case "&&":
    case "||":
      return { kind: sign, at };
    default:
      return { kind: "!", at };
  }
}

function wordOperator(input: string, at: number): Read | Fault {
  const found = matchAt(word, input, at)?.[0];
  if (found === undefined) return faultAt(at, "an operator must follow the label; it is missing");
  return { token: { kind: "operator", operator: operatorOf(found), at }, end: at + found.length };
}

function operatorOf(found: string): Operator {
  if (found === "contains" || found === "in") return found;
  if (found.startsWith("not")) return "not in";
  return found.startsWith("starts") ? "starts with" : "ends with";
}

function labelToken(input: string, at: number): Read | Fault {
  const value = matchAt(label, input, at)?.[0];
  if (value === undefined) return faultAt(at, `${quote(characterAt(input, at))} is not allowed`);
  return tooLong(value, at) ?? { token: { kind: "label", value, at }, end: at + value.length };
}

/** `has(label)`, `all()`, `global()`: no blank before the bracket. */
function callToken(input: string, at: number, called: RegExpExecArray): Read | Fault {
  const name = called[1];
  const inside = skipBlanks(input, at + called[0].length);
  const value = name === "has" ? (matchAt(label, input, inside)?.[0] ?? "") : "";
  if (name === "has" && value === "") return faultAt(inside, "has() needs the name of a label");
  const close = skipBlanks(input, inside + value.length);
  if (input.charAt(close) !== ")") return faultAt(close, `the ")" of ${name}() is missing`);
  const token: Token =
    name === "has" ? { kind: name, value, at } : { kind: name === "all" ? name : "global", at };
  return tooLong(value, inside) ?? { token, end: close + 1 };
}

function tooLong(value: string, at: number): Fault | null {
  return value.length > mostLabelLength
    ? faultAt(at, `the name of the label is longer than ${mostLabelLength} characters`)
    : null;
}

function characterAt(input: string, at: number): string {
  return String.fromCodePoint(input.codePointAt(at) ?? 0);
}

function skipBlanks(input: string, at: number): number {
  return at + (matchAt(blanks, input, at)?.[0].length ?? 0);
}

/** The pattern is sticky. */
function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(input);
}
