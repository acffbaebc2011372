// Names and addresses of a cluster, replaced by keyed hashes: the same name by the same word everywhere in one bundle, and by another word
// in another bundle. A name is replaced wherever it stands between other characters than letters and digits, also where it is a word
// of ours. Learns names first; then replaces. What every cluster has (kube-system, kubernetes.io/…) and plain numbers stay.

import { createHmac } from "node:crypto";
import { isIP, isIPv6 } from "node:net";

/** What says nothing of a cluster. */
const common = new Set([
  ...[
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "northgate-system",
    "northgate",
    "kubernetes",
  ],
  ...[
    "true",
    "false",
    "Allow",
    "Deny",
    "Pass",
    "Log",
    "Accept",
    "Drop",
    "Reject",
    "Ingress",
    "Egress",
    "Both",
  ],
  ...["In", "NotIn", "Exists", "DoesNotExist", "TCP", "UDP", "SCTP", "ICMP", "ICMPv6"],
  ...["localhost", "global", "northgate", "json", "text", "root", ""],
]);
const isCommonKey = /^([\w.-]+\.)?(kubernetes|k8s)\.io\//;
const isPlain = /^[\d.]+$/;
/** Of one name: labels and host names have few parts. */
const mostParts = 40;

const ipv4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)/g;
const ipv6 = /(?<![\w:.])[\dA-Fa-f]{0,4}(?::[\dA-Fa-f]{0,4}){2,7}(?:\.\d{1,3}){0,3}(?![\w:])/g;
const mac = /(?<![\w:])[\dA-Fa-f]{2}(?::[\dA-Fa-f]{2}){5}(?![\w:])/g;
const ownAddresses = new Set(["127.0.0.1", "0.0.0.0", "::1", "::"]);

export class Names {
  readonly #key: string;
  /** By name, what stands for it. */
  readonly #words = new Map<string, string>();

  /** `key`: secret, and new for each bundle. */
  constructor(key: string) {
    this.#key = key;
  }

  /** By what stands for it, every name that was replaced or may have been. */
  get legend(): Readonly<Record<string, string>> {
    const words = [...this.#words].map(([name, word]) => [word, name] as const);
    return Object.fromEntries(words.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** `sort`: begins the word, as in `pod-1f0c…`. */
  learn(sort: string, name: string): void {
    if (common.has(name) || isCommonKey.test(name) || isPlain.test(name) || this.#words.has(name)) return;
    if (isIP(name) === 0) this.#words.set(name, this.#wordFor(sort, name));
  }

  /** Every string of a value, and the keys of its mappings of labels. */
  learnStrings(sort: string, value: unknown): void {
    if (typeof value === "string") this.learn(sort, value);
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) this.learnStrings(sort, inner);
  }

  text(text: string): string {
    return this.#known(this.#addresses(text));
  }

  /** Of JSON: its strings. Keys are words of ours. */
  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((one: unknown) => this.value(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.value(inner)]));
  }

  #wordFor(sort: string, name: string): string {
    return `${sort}-${createHmac("sha256", this.#key).update(name).digest("hex").slice(0, 10)}`;
  }

  #address(text: string): string {
    if (ownAddresses.has(text)) return text;
    const word = this.#wordFor("ip", text.toLowerCase());
    this.#words.set(text, word);
    return word;
  }

  #addresses(text: string): string {
    return text
      .replaceAll(mac, (found) => this.#wordFor("mac", found.toLowerCase()))
      .replaceAll(ipv4, (found) => (isIP(found) === 4 ? this.#address(found) : found))
      .replaceAll(ipv6, (found) => (isIPv6(found) ? this.#address(found) : found));
  }

  /** From left to right, the longest name that begins at each word. */
  #known(text: string): string {
    const pieces = text.split(/([^A-Za-z0-9]+)/);
    const said: string[] = [];
    for (let at = 0; at < pieces.length; at++) {
      const taken = at % 2 === 0 ? this.#longestAt(pieces, at) : null;
      said.push(taken?.word ?? pieces[at] ?? "");
      at += taken?.more ?? 0;
    }
    return said.join("");
  }

  #longestAt(pieces: readonly string[], at: number): { readonly word: string; readonly more: number } | null {
    let found: { readonly word: string; readonly more: number } | null = null;
    let name = pieces[at] ?? "";
    for (let more = 0; name !== "" && more <= mostParts; more += 2) {
      const word = this.#words.get(name);
      if (word !== undefined) found = { word, more };
      const [between, next] = [pieces[at + more + 1], pieces[at + more + 2]];
      if (between === undefined || next === undefined || !/^[-._/]+$/.test(between)) break;
      name += between + next;
    }
    return found;
  }
}
