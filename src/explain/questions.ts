// A list of connections as a user writes it → questions, each with the verdict that is expected or without. An entry that
// cannot be read is an error of its own, in one sentence; the others are answered.

import type { Field } from "../model/reader.ts";
import { Field as RootField, Problems } from "../model/reader.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import { askedProtocols } from "../model/protocols.ts";
import { isPortName } from "../model/syntax.ts";
import type { AnsweredVerdict } from "./answer.ts";
import type { Question } from "./question.ts";

export interface Expectation extends Question {
  /** Null: none. */
  readonly expect: AnsweredVerdict | null;
}

/** Null: the value is no list. */
export function readQuestions(value: unknown): readonly (Expectation | { readonly error: string })[] | null {
  if (!Array.isArray(value)) return null;
  const items: readonly unknown[] = value;
  return items.map((item, at) => {
    const problems = new Problems();
    const question = readQuestion(new RootField(problems, `[${at}]`, item));
    const [problem] = problems.list();
    if (question !== null && problem === undefined) return question;
    return { error: `${problem?.field ?? `[${at}]`}: ${problem?.message ?? "cannot be read"}` };
  });
}

const fields: readonly string[] = ["from", "to", "protocol", "port", "expect"];
const verdicts = ["allow", "deny", "unknown"] as const;

function readQuestion(root: Field): Expectation | null {
  if (!root.object()) return null;
  const unknown = root.names().find((name) => !fields.includes(name));
  if (unknown !== undefined) return root.at(unknown).error(`is none of ${fields.join(", ")}`);
  const [from, to] = [root.at("from").string(), root.at("to").string()];
  const protocol = readWord(root.at("protocol"), askedProtocols);
  if (from === null || to === null || protocol === null) return null;
  const port = readPort(root.at("port"), protocol);
  const expect = root.at("expect").present ? readWord(root.at("expect"), verdicts) : null;
  return port === undefined ? null : { from, to, protocol, port, expect };
}

/** null: none was given, as of a Service that says it. */
function namedPort(field: Field): string | null | undefined {
  if (!field.present) return null;
  const name = field.string();
  if (name !== null && isPortName(name)) return name;
  field.error(`${field.quoted} is not a port, 1 to 65535 or the name of a container port`);
  return undefined;
}

/** Undefined: it is none. */
function readPort(field: Field, protocol: AskedProtocol): number | string | null | undefined {
  if (protocol !== "icmp" && (typeof field.raw === "string" || !field.present)) return namedPort(field);
  if (protocol !== "icmp") return field.integer(1, 65535) ?? undefined;
  if (!field.present) return null;
  field.error("icmp has no ports");
  return undefined;
}

/** In any case. */
function readWord<W extends string>(field: Field, words: readonly W[]): W | null {
  const text = field.string();
  if (text === null) return null;
  const word = words.find((one) => one === text.toLowerCase());
  return word ?? field.error(`must be one of ${words.join(", ")}, not ${field.quoted}`);
}
