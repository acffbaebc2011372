// Text → YAML documents, for at most so much work as the text's length justifies. Parses one lexical token after the other
// and stops where the text is too dense or too deep, and after the first document with an error. Never throws.
// Invariant: time and memory grow with the length of the text, never with its square.

import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from "yaml";
import type { Document } from "yaml";

export interface YamlTree {
  /** The last one may have errors; what follows it was not read. */
  readonly documents: readonly Document.Parsed[];
  readonly counter: LineCounter;
}

export interface TextError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Levels of maps and lists. Objects of the Kubernetes API need some twenty. */
export const maxDepth = 100;
export const tooDeep = `is nested deeper than ${maxDepth} levels`;
/**
 * Lexical tokens: a name, a colon, a space, a line's end. One takes some 2 µs and 400 bytes of memory. Manifests have one
 * for each three or four characters, a text of brackets one for each character. The largest number is some 6 MB of YAML.
 */
const tokens = { atLeast: 500_000, perCharacter: 0.7, atMost: 2_000_000 };
/** Each document after a `%YAML 1.1` gets a copy of the tags' definitions. */
const maxTagDirectives = 10;
/** Their parsers compare each entry with each. JSON has nothing like them, so the plain map or list is meant. */
const slowTags: ReadonlySet<unknown> = new Set(
  ["omap", "set", "pairs"].map((name) => `tag:yaml.org,2002:${name}`),
);

const options = {
  merge: true,
  prettyErrors: false,
  logLevel: "error",
  // Keys are compared in yaml-faults.ts: the library compares each with each.
  uniqueKeys: false,
  resolveKnownTags: false,
  customTags: (tags: Tags): Tags => tags.filter((tag) => typeof tag === "string" || !slowTags.has(tag.tag)),
} as const;
type Tags = Extract<NonNullable<ConstructorParameters<typeof Composer>[0]>["customTags"], readonly unknown[]>;

export function parseTree(text: string): YamlTree | TextError {
  const counter = new LineCounter();
  const parser = new Parser(counter.addNewLine);
  counter.addNewLine(0);
  const { stackTraceLimit } = Error;
  try {
    // A text may have hundreds of thousands of errors, and their stack traces are not read.
    Error.stackTraceLimit = 0;
    const documents = [...documentsOf(text, parser)];
    return { documents, counter };
  } catch (error) {
    return errorAt(counter, parser.offset, firstLine(error));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Throws an error with the limit that the text exceeds. */
function* documentsOf(text: string, parser: Parser): Generator<Document.Parsed> {
  const composer = new Composer(options);
  for (const token of tokensOf(text, parser)) {
    for (const document of composer.next(token)) {
      yield document;
      if (document.errors.length > 0) return;
    }
  }
  yield* composer.end();
}

function* tokensOf(text: string, parser: Parser): ReturnType<Parser["parse"]> {
  const most = Math.min(
    tokens.atMost,
    Math.max(tokens.atLeast, Math.floor(text.length * tokens.perCharacter)),
  );
  let read = 0;
  let tagDirectives = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++read > most)
      throw new Error(`is too dense or too long: ${most} tokens of YAML are read; split it or use JSON`);
    if (lexeme.startsWith("%TAG") && ++tagDirectives > maxTagDirectives)
      throw new Error(`has more than ${maxTagDirectives} %TAG directives`);
    yield* parser.next(lexeme);
    // Beside the collections, the stack holds the document and the scalar at its end.
    if (parser.stack.length > maxDepth + 10) throw new Error(tooDeep);
  }
  yield* parser.end();
}

export function errorAt(counter: LineCounter, offset: number, message: string): TextError {
  const { line, col } = counter.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1), message };
}

/** What was thrown for the text's sake: its first line. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/call stack/i.test(message)) return tooDeep;
  return message.split("\n", 1)[0] ?? message;
}

export function offsetOf(node: unknown): number {
  const range = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range : null;
  return range?.[0] ?? 0;
}
