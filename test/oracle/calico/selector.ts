// Calico's selector language as a reader of recursive descent, written from its documentation and its grammar and not from the
// product's reader: a text in, a question about labels out. Refuses what Calico refuses, with a SelectorError.

export type LabelTable = ReadonlyMap<string, string>;

export interface Selector {
  readonly holds: (labels: LabelTable) => boolean;
  /** Whether it is one of the two texts that mean something of their own as a namespaceSelector. */
  readonly alone: "all" | "global" | null;
}

type Test = Selector["holds"];

export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/** The empty text selects everything. */
export function parseSelector(text: string): Selector {
  const reader = new Reader(text);
  reader.blanks();
  if (reader.isAtEnd()) return { holds: () => true, alone: "all" };
  const holds = either(reader);
  if (!reader.isAtEnd()) throw reader.refused("the end");
  const whole = /^[ \t]*(all|global)\([ \t]*\)[ \t]*$/.exec(text)?.[1];
  return { holds, alone: whole === "all" || whole === "global" ? whole : null };
}

/** Every read leaves the position behind the blanks that follow. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  blanks(): void {
    this.take(/[ \t]*/y);
  }

  /** The groups of the pattern when it stands here, and then the position is behind it; null: it does not. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at += found[0].length;
    const blanks = /[ \t]*/y;
    blanks.lastIndex = this.#at;
    this.#at += blanks.exec(this.#text)?.[0].length ?? 0;
    return found;
  }

  expect(pattern: RegExp, what: string): RegExpExecArray {
    const found = this.take(pattern);
    if (found === null) throw this.refused(what);
    return found;
  }

  refused(wanted: string): SelectorError {
    return new SelectorError(`${JSON.stringify(this.#text)}: ${wanted} is wanted at ${this.#at}`);
  }
}

function either(reader: Reader): Test {
  const tests = [both(reader)];
  while (reader.take(/\|\|/y) !== null) tests.push(both(reader));
  return (labels) => tests.some((test) => test(labels));
}

function both(reader: Reader): Test {
  const tests = [negated(reader)];
  while (reader.take(/&&/y) !== null) tests.push(negated(reader));
  return (labels) => tests.every((test) => test(labels));
}

/** A `!` is that of the next term alone. */
function negated(reader: Reader): Test {
  if (reader.take(/!/y) === null) return term(reader);
  const test = negated(reader);
  return (labels) => !test(labels);
}

function term(reader: Reader): Test {
  if (reader.take(/\(/y) !== null) {
    const inner = either(reader);
    reader.expect(/\)/y, "a closing bracket");
    return inner;
  }
  if (reader.take(/all\([ \t]*\)/y) !== null) return () => true;
  // Of what has no namespace; only a namespaceSelector knows what that is.
  if (reader.take(/global\([ \t]*\)/y) !== null) return () => false;
  const has = reader.take(/has\([ \t]*([A-Za-z0-9_./-]{1,512})[ \t]*\)/y)?.[1];
  if (has !== undefined) return (labels) => labels.has(has);
  return comparison(reader);
}

/** What needs the label's value is false without it, the negations of that are true. */
function comparison(reader: Reader): Test {
  const label = reader.expect(/[A-Za-z0-9_./-]{1,512}/y, "a label")[0];
  const word = reader.expect(
    /==|!=|(?:not[ \t]*in|in|contains|starts[ \t]*with|ends[ \t]*with)(?![A-Za-z0-9_./-])/y,
    "an operator",
  )[0];
  const operator = word.replace(/[ \t]/g, "");
  if (operator === "in" || operator === "notin") {
    const values = setOf(reader);
    const isIn: Test = (labels) => values.some((value) => labels.get(label) === value);
    return operator === "in" ? isIn : (labels) => !isIn(labels);
  }
  const operand = stringOf(reader);
  const ofValue = (test: (value: string) => boolean): Test => {
    return (labels) => {
      const value = labels.get(label);
      return value !== undefined && test(value);
    };
  };
  switch (operator) {
    case "==":
      return ofValue((value) => value === operand);
    case "!=":
      return (labels) => labels.get(label) !== operand;
    case "contains":
      return ofValue((value) => value.includes(operand));
    case "startswith":
      return ofValue((value) => value.startsWith(operand));
    default:
      return ofValue((value) => value.endsWith(operand));
  }
}

function setOf(reader: Reader): readonly string[] {
  reader.expect(/\{/y, "a set");
  const values: string[] = [];
  while (reader.take(/\}/y) === null) {
    values.push(stringOf(reader));
    if (reader.take(/,/y) !== null) continue;
    reader.expect(/\}/y, "a comma or the end of the set");
    break;
  }
  return values;
}

function stringOf(reader: Reader): string {
  const [, single, double] = reader.expect(/'([^'\n]*)'|"([^"\n]*)"/y, "a text in quotes");
  return single ?? double ?? "";
}
