// The words of a match expression (ovn-sb(5), "Logical_Flow.match", lexical conventions): names, numbers, quoted text, sets,
// groups and signs, with comments and white space between them. Refuses a character that begins none of them.

import type { Integer } from "./expression.ts";
import { endOfInteger, MatchError, readInteger } from "./integers.ts";

const signs = [
  ...["(", ")", "{", "}", "[", "]", ",", ".."],
  ...["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!"],
] as const;
export type Sign = (typeof signs)[number];

export type Token =
  | { readonly kind: "sign"; readonly sign: Sign; readonly text: string }
  | { readonly kind: "name" | "set" | "group" | "text"; readonly value: string; readonly text: string }
  | { readonly kind: "integer"; readonly integer: Integer; readonly text: string }
  | { readonly kind: "end"; readonly text: string };

const space = /(?:[ \t\n\r\v\f]+|\/\/[^\n]*|\/\*[^\n]*?\*\/)*/y;
/** Longer signs are first. */
const sign = /&&|\|\||==|!=|<=|>=|\.\.|[(){}[\],<>!]/y;
const reference = /([$@])([A-Za-z_.][A-Za-z0-9_.]*)/y;
const quoted = /"(?:[^"\\]|\\.)*"/sy;
const name = /[A-Za-z_][A-Za-z0-9_.]*/y;
const number = /[0-9]|::|[0-9a-fA-F]+:/y;

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skipSpace(text, at + token.text.length);
  }
  return tokens;
}

function skipSpace(text: string, at: number): number {
  return at + (found(space, text, at)?.[0].length ?? 0);
}

function tokenAt(text: string, at: number): Token {
  if (found(number, text, at) !== null) return integerAt(text, at);
  const ofSign = found(sign, text, at)?.[0];
  const known = signs.find((one) => one === ofSign);
  if (known !== undefined) return { kind: "sign", sign: known, text: known };
  const referred = found(reference, text, at);
  if (referred !== null) {
    const [whole, mark, value = ""] = referred;
    return { kind: mark === "$" ? "set" : "group", value, text: whole };
  }
  const named = found(name, text, at)?.[0];
  if (named !== undefined) return { kind: "name", value: named, text: named };
  const inQuotes = found(quoted, text, at)?.[0];
  if (inQuotes !== undefined) return { kind: "text", value: unquoted(inQuotes), text: inQuotes };
  throw new MatchError(`${JSON.stringify(text.charAt(at))} begins nothing that a match may hold`);
}

function integerAt(text: string, at: number): Token {
  let end = endOfInteger(text, at);
  if (text.charAt(end) === "/") end = endOfInteger(text, end + 1);
  const whole = text.slice(at, end);
  return { kind: "integer", integer: readInteger(whole), text: whole };
}

function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch {
    // Told below.
  }
  throw new MatchError("quoted text is not as JSON writes it");
}

function found(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
