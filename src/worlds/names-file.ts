// What DNS answered, as a file recorded it: `--names-file`. Refuses a file that is none, by the field that is wrong.

import { readFileSync } from "node:fs";
import type { HostNameFact } from "../model/facts.ts";
import { readAddress } from "../model/address-field.ts";
import { printable, quote } from "../model/quote.ts";
import { Field, Problems, readAll } from "../model/reader.ts";
import { canonicalHostName } from "../model/selectors/host-names.ts";

export interface RecordedNames {
  /** As the file has it. */
  readonly recordedAt: string;
  readonly facts: readonly HostNameFact[];
}

/** As `get names -o json` prints it: `{recordedAt, names: [{name, addresses}]}`. Throws an Error of one sentence. */
export function readNamesFile(path: string): RecordedNames {
  const problems = new Problems();
  const root = new Field(problems, "", parsed(path));
  const recordedAt = root.object() ? root.at("recordedAt").string() : null;
  const items = root.at("names").list(0, Infinity);
  const facts = items && readAll(items, readName);
  const [problem] = problems.list();
  if (problem !== undefined || recordedAt === null || facts === null)
    throw new Error(`--names-file ${path}: ${problem?.field ?? ""}: ${problem?.message ?? "is no record"}`);
  const texts = facts.map(({ name }) => name);
  const twice = texts.find((name, at) => texts.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Error(`--names-file ${path}: names: ${quote(twice)} is in the list twice`);
  return { recordedAt, facts };
}

interface NamesOptions {
  /** null: nothing is recorded. */
  readonly namesFile?: string | null;
}

/** Throws as `readNamesFile` does. */
export function recordedIn({ namesFile = null }: NamesOptions): readonly HostNameFact[] {
  return namesFile === null ? [] : readNamesFile(namesFile).facts;
}

/** As the file has it; null: nothing is recorded. */
export function recordedAtOf({ namesFile = null }: NamesOptions): string | null {
  return namesFile === null ? null : readNamesFile(namesFile).recordedAt;
}

/** For standard error: since when the answers may be others. */
export function recordedLines({ namesFile = null }: NamesOptions): readonly string[] {
  const recordedAt = recordedAtOf({ namesFile });
  return recordedAt === null ? [] : [`northgate: answers of DNS were recorded at ${printable(recordedAt)}`];
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(
      `--names-file ${path}: ${printable(error instanceof Error ? error.message : String(error))}`,
      { cause: error },
    );
  }
}

function readName(item: Field): HostNameFact | null {
  if (!item.object()) return null;
  const name = item.at("name").string();
  const addresses = item.at("addresses").list(0, Infinity);
  const ips = addresses && readAll(addresses, readAddress);
  if (name === null || ips === null) return null;
  return { kind: "HostName", name: canonicalHostName(name), ips };
}
