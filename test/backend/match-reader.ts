// Reads an OVN match expression and says whether a packet meets it (ovn-sb(5), Logical_Flow.match): comparisons, chains of
// them such as 1<=tcp.dst<=9, sets in braces, address sets, port groups, !, && and ||. A symbol it does not know throws:
// a judge that guesses is none.

import { contains } from "../../src/model/cidr.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { parseCidr, parseIp } from "../../src/model/ip.ts";

/** A packet as the expression's symbols see it. A field that the packet does not have is absent, a predicate false. */
export interface MatchPacket {
  readonly fields: Readonly<Record<string, string | number | undefined>>;
  readonly predicates: Readonly<Record<string, boolean>>;
  /** Elements of an address set (`$name`) or a port group (`@name`). */
  set(name: string): ReadonlySet<string>;
}

const token = /\s*(&&|\|\||<=|>=|==|!=|[(){}!<>,]|[$@]?[A-Za-z0-9_.:/"-]+)/y;
const relations = new Set(["==", "!=", "<", "<=", ">", ">="]);
/** Fields of the documented grammar; one that the packet lacks makes its comparison false. */
const known = new Set([
  ...["inport", "outport", "ip4.src", "ip4.dst", "ip6.src", "ip6.dst", "ip.proto"],
  ...["tcp.src", "tcp.dst", "udp.src", "udp.dst", "sctp.src", "sctp.dst"],
  ...["icmp4.type", "icmp4.code", "icmp6.type", "icmp6.code"],
]);

export function meetsMatch(match: string, packet: MatchPacket): boolean {
  const reader = new Reader(match, packet);
  const met = reader.disjunction();
  reader.end();
  return met;
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #packet: MatchPacket;
  readonly #text: string;
  #at = 0;

  constructor(text: string, packet: MatchPacket) {
    this.#text = text;
    this.#packet = packet;
    this.#tokens = tokensOf(text);
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#fail();
  }

  disjunction(): boolean {
    let met = this.#conjunction();
    while (this.#skip("||")) met = this.#conjunction() || met;
    return met;
  }

  #conjunction(): boolean {
    let met = this.#term();
    while (this.#skip("&&")) met = this.#term() && met;
    return met;
  }

  #term(): boolean {
    if (this.#skip("!")) return !this.#term();
    if (this.#skip("(")) {
      const met = this.disjunction();
      this.#expect(")");
      return met;
    }
    return this.#comparison();
  }

  /** A predicate, or operands with relations between them. */
  #comparison(): boolean {
    let left = this.#operand();
    let met: boolean | null = null;
    while (relations.has(this.#peek())) {
      const relation = this.#next();
      const right = this.#operand();
      met = this.#holds(left, relation, right) && met !== false;
      left = right;
    }
    if (met !== null) return met;
    const [name = ""] = left;
    if (name === "0" || name === "1") return name === "1";
    return this.#packet.predicates[name] ?? this.#fail();
  }

  #operand(): readonly string[] {
    if (!this.#skip("{")) return [this.#next()];
    const values: string[] = [];
    do values.push(this.#next());
    while (this.#skip(","));
    this.#expect("}");
    return values;
  }

  /** A set on the right is met by any of its values, and differs when it is met by none. */
  #holds(left: readonly string[], relation: string, right: readonly string[]): boolean {
    const [name = ""] = left;
    if (!known.has(name)) return this.#holdsReversed(left, relation, right);
    const value = this.#packet.fields[name];
    if (value === undefined) return false;
    const isEqual = () => right.some((constant) => this.#isEqual(value, constant));
    if (relation === "==") return isEqual();
    if (relation === "!=") return !isEqual();
    return right.some((constant) => compares(Number(value), relation, Number(constant)));
  }

  #holdsReversed(left: readonly string[], relation: string, right: readonly string[]): boolean {
    if (!known.has(right[0] ?? "")) this.#fail();
    const turned = relation.startsWith("<") ? relation.replace("<", ">") : relation.replace(">", "<");
    return this.#holds(right, turned, left);
  }

  #isEqual(value: string | number, constant: string): boolean {
    if (typeof value === "number") return value === Number(constant);
    if (constant.startsWith("$") || constant.startsWith("@"))
      return [...this.#packet.set(constant)].some((element) => isAddressIn(value, element));
    return isAddressIn(value, constant.replaceAll('"', ""));
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? this.#fail();
  }

  #skip(expected: string): boolean {
    if (this.#peek() !== expected) return false;
    this.#at++;
    return true;
  }

  #expect(expected: string): void {
    if (!this.#skip(expected)) this.#fail();
  }

  #fail(): never {
    throw new Error(`the judge cannot read ${this.#peek()} (${this.#at}) of the match ${this.#text}`);
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const at = token.lastIndex;
    const [, found] = token.exec(text) ?? [];
    if (found === undefined) throw new Error(`the judge cannot read the match ${text} from ${at} on`);
    tokens.push(found);
  }
  return tokens;
}

function compares(value: number, relation: string, constant: number): boolean {
  if (relation === "<") return value < constant;
  if (relation === "<=") return value <= constant;
  return relation === ">" ? value > constant : value >= constant;
}

/** Equal text, or an address in a network. */
function isAddressIn(value: string, element: string): boolean {
  if (value === element) return true;
  const network = parseCidr(element);
  const address: IpAddress | null = parseIp(value);
  return network !== null && address !== null && contains(network, address);
}
