// What is wrong with single values of a policy: of a kind that no code knows, or a number that its field cannot hold. Every backend
// refuses them, so that no part of a policy is silently left out. Each function returns one sentence without a full stop; null: the
// value has a meaning. Pure; never throws.

import { quote } from "../model/quote.ts";
import type { Direction, EndPorts, Peer, Policy, PortMatch, Rule } from "./ir.ts";

export function unmatchedFault(unmatched: Policy["unmatched"][Direction]): string | null {
  switch (unmatched) {
    case "next":
    case "deny":
      return null;
    default:
      return unknown(unmatched);
  }
}

export function actionFault(action: Rule["action"]): string | null {
  switch (action) {
    case "allow":
    case "deny":
    case "pass":
    case "reject":
      return null;
    default:
      return unknown(action);
  }
}

export function peerFault(peer: Peer, direction: Direction): string | null {
  switch (peer.kind) {
    case "pods":
    case "nodes":
    case "narrowed":
    case "others":
    case "network":
    case "everything":
      return null;
    case "hostNames":
      return direction === "egress"
        ? null
        : "DNS answers where a connection leads to, not where it comes from";
    case "sameNamespaces":
      return "a peer that depends on the subject's namespace must be made into one rule for each value first";
    default:
      return unknown(peer);
  }
}

export function portFault(port: PortMatch): string | null {
  switch (port.kind) {
    case "port":
      return outside([port.port, ...ends(port.source)], 65535);
    case "range":
      return outside([port.start, port.end, ...ends(port.source)], 65535);
    case "named":
      return outside(ends(port.source), 65535);
    case "declared":
      return outside([port.from, port.to].flatMap(numbersOf), 65535);
    case "protocol":
      return outside([port.number], 255);
    case "protocols":
      return outside(port.numbers, 255);
    case "icmp":
    case "otherIcmp":
      return outside([port.type ?? 0, port.code ?? 0], 255);
    default:
      return unknown(port);
  }
}

function numbersOf(ports: EndPorts | null): readonly number[] {
  return ports === null ? [] : [...ports.ranges, ...ports.except.ranges].flatMap(ends);
}

function ends(range: { readonly start: number; readonly end: number } | undefined): readonly number[] {
  return range === undefined ? [] : [range.start, range.end];
}

function outside(values: readonly number[], most: number): string | null {
  const bad = values.find((value) => !Number.isInteger(value) || value < 0 || value > most);
  return bad === undefined ? null : `${bad} is not a number from 0 to ${most}`;
}

/** The type excludes such a value; a dialect compiled elsewhere may still pass one. */
function unknown(value: never): string {
  return `${quote(kindOf(value))} is not known here`;
}

function kindOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "kind" in value ? value.kind : value;
}
