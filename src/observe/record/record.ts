// Connections that were seen, as a file: each distinct one once, with how often it was opened. The file has names of pods, addresses
// and ports, and nothing of what packets contain.

import { readFileSync } from "node:fs";
import { readAddress } from "../../model/address-field.ts";
import { printable } from "../../model/quote.ts";
import type { AskedProtocol } from "../../model/protocols.ts";
import { askedProtocols } from "../../model/protocols.ts";
import { Field, Problems, readAll } from "../../model/reader.ts";
import type { SeenEnd } from "../decode/event.ts";

export const flowsSchema = "northgate.flows/1";

const flowVerdicts = ["allow", "deny", "unknown"] as const;
/** `deny`: a rule dropped or rejected it at least once; `unknown`: only rules that pass, or none that is known, met it. */
export type FlowVerdict = (typeof flowVerdicts)[number];

export interface Flow {
  /** The client. */
  readonly from: SeenEnd;
  readonly to: SeenEnd;
  /** A number: another protocol of IP. */
  readonly protocol: AskedProtocol | number;
  /** Of the server; null: the protocol has none. */
  readonly port: number | null;
  /** How often it was opened, at least; 0: it was open before the record. A packet that was sent again counts again. */
  readonly connections: number;
  readonly verdict: FlowVerdict;
  /** ISO 8601, in UTC, of the first and the last packet. */
  readonly first: string;
  readonly last: string;
}

/** What a record does not have, in events. */
export interface MissedFlows {
  /** The reader of the node sent them and the recorder did not take them in time. */
  readonly lost: number;
  /** Of open connections of which it is not known which end is the client. */
  readonly undirected: number;
  /** Of connections beyond the most that a record keeps. */
  readonly beyondLimit: number;
}

export interface FlowRecord {
  readonly schema: typeof flowsSchema;
  /** ISO 8601, in UTC: from when to when was recorded. */
  readonly since: string;
  readonly until: string;
  /** Those whose readers have answered until the end; absent: the record is of one node. */
  readonly nodes?: readonly string[];
  /** Sentences about what is not seen, of the readers and of nodes that could not be asked. */
  readonly notes: readonly string[];
  readonly missed: MissedFlows;
  readonly connections: readonly Flow[];
}

/** Throws an Error of one sentence that names the file and the field. */
export function readFlowsFile(path: string): FlowRecord {
  const problems = new Problems();
  const record = readRecord(new Field(problems, "", parsed(path)));
  const [problem] = problems.list();
  if (record !== null && problem === undefined) return record;
  const { field = "", message = "is no record of connections" } = problem ?? {};
  throw new Error(`--flows ${path}: ${field === "" ? "" : `${field}: `}${message}`);
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const why = printable(error instanceof Error ? error.message : String(error));
    throw new Error(`--flows ${path}: ${why}`, { cause: error });
  }
}

function readRecord(root: Field): FlowRecord | null {
  if (!root.object()) return null;
  readWord(root.at("schema"), [flowsSchema]);
  const [since, until] = [root.at("since").string(), root.at("until").string()];
  const missed = root.at("missed");
  const [lost, undirected, beyondLimit] = missed.object()
    ? [count(missed.at("lost")), count(missed.at("undirected")), count(missed.at("beyondLimit"))]
    : [null, null, null];
  const notes = readTexts(root.at("notes"));
  const items = root.at("connections").list(0, Infinity);
  const connections = items && readAll(items, readFlow);
  const nodes = root.at("nodes").present ? readTexts(root.at("nodes")) : null;
  if (since === null || until === null || notes === null || connections === null) return null;
  if (lost === null || undirected === null || beyondLimit === null) return null;
  const times = { schema: flowsSchema, since, until, ...(nodes === null ? {} : { nodes }) } as const;
  return { ...times, notes, missed: { lost, undirected, beyondLimit }, connections };
}

function readTexts(field: Field): readonly string[] | null {
  const listed = field.list(0, Infinity);
  return listed && readAll(listed, (item) => item.string());
}

function readFlow(item: Field): Flow | null {
  if (!item.object()) return null;
  const [from, to] = [readEnd(item.at("from")), readEnd(item.at("to"))];
  const protocol = readProtocol(item.at("protocol"));
  const hasPort = protocol !== null && protocol !== "icmp" && typeof protocol !== "number";
  const port = hasPort ? item.at("port").integer(0, 65_535) : null;
  const connections = count(item.at("connections"));
  const verdict = readWord(item.at("verdict"), flowVerdicts);
  const [first, last] = [item.at("first").string(), item.at("last").string()];
  if (from === null || to === null || protocol === null || (hasPort && port === null)) return null;
  if (connections === null || verdict === null || first === null || last === null) return null;
  return { from, to, protocol, port, connections, verdict, first, last };
}

function readEnd(field: Field): SeenEnd | null {
  if (!field.object()) return null;
  const ip = readAddress(field.at("ip"));
  if (!field.at("pod").present) return ip === null ? null : { ip, pod: null };
  const pod = field.at("pod");
  if (!pod.object()) return null;
  const [namespace, name] = [pod.at("namespace").string(), pod.at("name").string()];
  return ip === null || namespace === null || name === null ? null : { ip, pod: { namespace, name } };
}

function readProtocol(field: Field): AskedProtocol | number | null {
  return typeof field.raw === "number" ? field.integer(0, 255) : readWord(field, askedProtocols);
}

function count(field: Field): number | null {
  return field.integer(0, Number.MAX_SAFE_INTEGER);
}

function readWord<W extends string>(field: Field, words: readonly W[]): W | null {
  const text = field.string();
  if (text === null) return null;
  const word = words.find((one) => one === text);
  return word ?? field.error(`must be one of ${words.join(", ")}, not ${field.quoted}`);
}
