// IPFIX (RFC 7011) from one sender over UDP: messages of sets, templates of fields, records. Whatever comes, nothing is thrown and
// nothing is read past its end: what cannot be read is counted. What is kept is bounded, because any program of the machine may send.

import type { DataSet, Field, IpfixRecord, ReadRecords, Template } from "./records.ts";
import { fieldKey, readRecords } from "./records.ts";

/** What is kept of one sender, and read of one message, at most. */
export const limits = {
  /** Observation domains: one for each use of samples and logical switch. The one longest unused gives way. */
  domains: 4_096,
  templatesOfDomain: 512,
  /** That differ, of all domains: Open vSwitch has the same in each. */
  templates: 1_024,
  /** Those of Open vSwitch have 64. */
  fieldsOfTemplate: 128,
  /** Open vSwitch sends one. */
  recordsOfMessage: 256,
  /** Sets whose template has not come yet, and their bytes. */
  waitingSets: 64,
  waitingBytes: 262_144,
} as const;

/** What was read, and what was not, by its cause; all only grow. */
export interface ParseCounts {
  messages: number;
  records: number;
  /** Messages that are not of IPFIX, are cut, or have lengths that contradict each other; the sets before that are read. */
  malformed: number;
  /** Sets whose template did not come. */
  withoutTemplate: number;
  /** Templates and domains over the limits, and messages with more records, whose others are not read. */
  overLimit: number;
  /** Records that were sent and did not arrive, by the numbers that the sender gives them. */
  lost: number;
}

export function noCounts(): ParseCounts {
  return { messages: 0, records: 0, malformed: 0, withoutTemplate: 0, overLimit: 0, lost: 0 };
}

type Templates = Map<number, Template>;

interface Reading {
  readonly records: IpfixRecord[];
  /** Records of options. */
  passedOver: number;
  /** Everything so far was read. */
  isWhole: boolean;
}

function noReading(): Reading {
  return { records: [], passedOver: 0, isWhole: true };
}

const headerBytes = 16;
const setHeaderBytes = 4;
const setIds = { templates: 2, optionsTemplates: 3, firstData: 256 } as const;
const variable = 0xffff;
/** A larger step of the numbers is no loss, but a sender that has begun again. */
const mostLost = 1_000_000;

export class IpfixParser {
  readonly #counts: ParseCounts;
  readonly #domains = new Map<number, Templates>();
  /** By the bytes of their fields. */
  readonly #known = new Map<string, Template>();
  #waiting: DataSet[] = [];
  #waitingBytes = 0;
  /** What is read of the present message. */
  #reading = noReading();
  /** The number of the next record; null: not known. Open vSwitch numbers the records of all domains together. */
  #next: number | null = null;

  /** `counts`: are added to. */
  constructor(counts: ParseCounts) {
    this.#counts = counts;
  }

  /** The records of one datagram, whose bytes they share. */
  read(message: Buffer): readonly IpfixRecord[] {
    this.#counts.messages++;
    const length = message.length < headerBytes ? 0 : message.readUInt16BE(2);
    if (length < headerBytes || length > message.length || message.readUInt16BE(0) !== 10) {
      this.#counts.malformed++;
      return [];
    }
    this.#reading = noReading();
    const waiting = this.#waiting.length;
    if (!this.#readSets(message.subarray(0, length))) this.#stop("malformed");
    const { records, passedOver, isWhole } = this.#reading;
    this.#counts.records += records.length;
    // How many records wait, are malformed or were not read is not known.
    const isNumbered = isWhole && this.#waiting.length === waiting;
    this.#follow(message.readUInt32BE(8), isNumbered ? records.length + passedOver : null);
    return records;
  }

  /** What is kept: never more than `limits`. */
  get kept(): { readonly domains: number; readonly templates: number; readonly waiting: number } {
    return { domains: this.#domains.size, templates: this.#known.size, waiting: this.#waiting.length };
  }

  /** Whether the sets are as long as they say; what is before one that is not is read. */
  #readSets(message: Buffer): boolean {
    const [exportedAt, domain] = [message.readUInt32BE(4), message.readUInt32BE(12)];
    const templates = this.#templatesOf(domain);
    let rest = message.subarray(headerBytes);
    while (rest.length >= setHeaderBytes && this.#reading.isWhole) {
      const [id, length] = [rest.readUInt16BE(0), rest.readUInt16BE(2)];
      if (length < setHeaderBytes || length > rest.length) return false;
      const body = rest.subarray(setHeaderBytes, length);
      if (id >= setIds.firstData) {
        const template = templates.get(id);
        const set = { domain, template: id, exportedAt, body };
        if (template === undefined) this.#wait(set);
        else this.#stop(this.#readData(template, set));
      } else if (id === setIds.templates || id === setIds.optionsTemplates) {
        const learnt = this.#readTemplates(templates, body, id === setIds.optionsTemplates);
        if (learnt === null) return false;
        if (learnt && this.#waiting.length > 0) this.#readWaiting(domain, templates);
      }
      rest = rest.subarray(length);
    }
    return rest.length === 0 || !this.#reading.isWhole;
  }

  /** Why the rest of the set was not read; null: it was. */
  #readData(template: Template, set: DataSet): ReadRecords["stopped"] {
    const reading = this.#reading;
    const most = limits.recordsOfMessage - reading.records.length - reading.passedOver;
    const { records, passedOver, stopped } = readRecords(template, set, most);
    reading.records.push(...records);
    reading.passedOver += passedOver;
    return stopped;
  }

  /** null: it goes on. */
  #stop(why: ReadRecords["stopped"]): void {
    if (why === null) return;
    this.#reading.isWhole = false;
    if (why === "malformed") this.#counts.malformed++;
    else this.#counts.overLimit++;
  }

  /** Whether there are new ones; null: the set is malformed. */
  #readTemplates(templates: Templates, set: Buffer, areOfOptions: boolean): boolean | null {
    let hasNew = false;
    // What is less than the header of a template is padding.
    for (let rest = set; rest.length >= 4;) {
      const [id, count] = [rest.readUInt16BE(0), rest.readUInt16BE(2)];
      const begin = count === 0 || !areOfOptions ? 4 : 6;
      if (rest.length < begin) return null;
      const end = count === 0 ? begin : endOfFields(rest, begin, count);
      if (end === null) return null;
      if (count === 0) withdraw(templates, id);
      else if (id < setIds.firstData) return null;
      else hasNew = this.#learn(templates, id, rest.subarray(begin, end), areOfOptions) || hasNew;
      rest = rest.subarray(end);
    }
    return hasNew;
  }

  #learn(templates: Templates, id: number, fields: Buffer, isOfOptions: boolean): boolean {
    const text = `${isOfOptions ? "o" : "d"}${fields.toString("latin1")}`;
    const known = this.#known.get(text) ?? this.#newTemplate(text, fields, isOfOptions);
    if (known === null || (!templates.has(id) && templates.size >= limits.templatesOfDomain)) {
      this.#counts.overLimit++;
      return false;
    }
    templates.set(id, known);
    return true;
  }

  /** null: over the limits. */
  #newTemplate(text: string, bytes: Buffer, isOfOptions: boolean): Template | null {
    const fields = fieldsIn(bytes);
    if (fields.length > limits.fieldsOfTemplate || this.#known.size >= limits.templates) return null;
    const template = { fields, isOfOptions };
    this.#known.set(text, template);
    return template;
  }

  /** The sets that have waited longest give way. */
  #wait(set: DataSet): void {
    // A copy: the rest of the datagram need not be kept.
    this.#waiting.push({ ...set, body: Buffer.from(set.body) });
    this.#waitingBytes += set.body.length;
    while (this.#waiting.length > limits.waitingSets || this.#waitingBytes > limits.waitingBytes) {
      this.#waitingBytes -= this.#waiting.shift()?.body.length ?? 0;
      this.#counts.withoutTemplate++;
    }
  }

  #readWaiting(domain: number, templates: Templates): void {
    const before = this.#waiting;
    this.#waiting = before.filter((set) => set.domain !== domain || !templates.has(set.template));
    if (this.#waiting.length === before.length) return;
    this.#waitingBytes = this.#waiting.reduce((sum, { body }) => sum + body.length, 0);
    for (const set of before) {
      const template = set.domain === domain ? templates.get(set.template) : undefined;
      const stopped = template === undefined ? null : this.#readData(template, set);
      // It came with an earlier message: the present one may be in order.
      if (stopped === "malformed") this.#counts.malformed++;
      else this.#stop(stopped);
    }
  }

  #templatesOf(domain: number): Templates {
    const templates = this.#domains.get(domain) ?? new Map<number, Template>();
    // The last in the order of the map is the one that was used last.
    this.#domains.delete(domain);
    this.#domains.set(domain, templates);
    const [oldest] = this.#domains.keys();
    if (this.#domains.size > limits.domains && oldest !== undefined) {
      this.#domains.delete(oldest);
      this.#counts.overLimit++;
    }
    return templates;
  }

  /** RFC 7011 section 3.1: the number of the first record of the message. `records`: that it has; null: not known. */
  #follow(first: number, records: number | null): void {
    const missing = this.#next === null ? 0 : (first - this.#next) >>> 0;
    if (missing < mostLost) this.#counts.lost += missing;
    this.#next = records === null ? null : (first + records) >>> 0;
  }
}

/** A template without fields ends that of its number; one with the number of a kind of set ends all. RFC 7011 section 8.1. */
function withdraw(templates: Templates, id: number): void {
  if (id < setIds.firstData) templates.clear();
  else templates.delete(id);
}

/** Where the list of so many fields ends; null: after the set. */
function endOfFields(set: Buffer, begin: number, count: number): number | null {
  let at = begin;
  for (let one = 0; one < count; one++) {
    if (at + 4 > set.length) return null;
    at += set.readUInt16BE(at) >= 0x8000 ? 8 : 4;
  }
  return at > set.length ? null : at;
}

/** Of a whole list. */
function fieldsIn(list: Buffer): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < list.length;) {
    const [element, length] = [list.readUInt16BE(at), list.readUInt16BE(at + 2)];
    const enterprise = element >= 0x8000 ? list.readUInt32BE(at + 4) : 0;
    fields.push({
      key: fieldKey(element & 0x7fff, enterprise),
      bytes: length === variable ? null : length,
    });
    at += element >= 0x8000 ? 8 : 4;
  }
  return fields;
}
