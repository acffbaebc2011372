// Ways to say which pods a rule is about, and the events that a pod brings in each: what is measured is northd's share.

import type { WireOperation } from "../floor/operations.ts";
import { uuidOf } from "../floor/uuid.ts";

export interface Size {
  readonly switches: number;
  /** Pods' ports of each switch. */
  readonly ports: number;
  readonly groups: number;
  /** ACLs of each group. */
  readonly rules: number;
  /** Switches on which a group has its ports. */
  readonly span: number;
}

export interface Event {
  readonly name: string;
  /** The `round`-th time. */
  readonly operations: (round: number) => readonly WireOperation[];
}

export interface Form {
  readonly name: string;
  readonly groups: readonly Group[];
  readonly events: readonly Event[];
}

export interface Group {
  readonly name: string;
  readonly ports: readonly string[];
  readonly matches: readonly string[];
}

export const portName = (on: number, at: number): string => `pod-${on}-${at}`;
/** Of no pod: nothing is ever plugged into it. */
export const restingName = (on: number): string => `resting-${on}`;
export const groupName = (at: number): string => `g${at}`;
export const subjectSet = (at: number): string => `s${at}`;
export const peerSets = 20;
export const peerSet = (at: number): string => `peer${at % peerSets}`;

export const range = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

/** Switches of a group, and those that it is not on. */
export function switchesOf(group: number, { switches, span }: Size): readonly number[] {
  return range(span).map((step) => (group * 7 + step) % switches);
}

/** Each group has a port of each of its switches. */
export function portsOf(group: number, size: Size): readonly string[] {
  return switchesOf(group, size).map((on) => portName(on, group % size.ports));
}

function matchesOf(subject: string, group: number, { rules }: Size): readonly string[] {
  return range(rules).map(
    (rule) => `${subject} && ip4.dst == $${peerSet(group + rule)} && tcp.dst == ${8000 + rule}`,
  );
}

const element = (table: string, name: string, column: string, value: unknown): WireOperation => ({
  ...{ op: "mutate", table, where: [["name", "==", name]] },
  mutations: [[column, "insert", value]],
});
const port = (group: string, name: string) => element("Port_Group", group, "ports", ["uuid", uuidOf(name)]);
const address = (set: string, round: number) =>
  element("Address_Set", set, "addresses", `10.250.0.${round + 1}`);

/** The last port of a switch is in no group. */
const spare = (on: number, { ports }: Size) => portName(on, ports - 1);

export function formsOf(size: Size): readonly Form[] {
  const groups = (more: readonly string[] = []): readonly Group[] =>
    range(size.groups).map((at) => ({
      name: groupName(at),
      ports: [...portsOf(at, size), ...more],
      matches: matchesOf(`inport == @${groupName(at)}`, at, size),
    }));
  const every = range(size.switches).flatMap((on) => range(size.ports - 1).map((at) => portName(on, at)));
  const known = (round: number) => switchesOf(0, size)[round % size.span] ?? 0;
  const other = (round: number) => (size.span + round) % size.switches;
  return [
    {
      name: "a group of ports",
      groups: groups(),
      events: [
        {
          name: "a port, on a switch of the group",
          operations: (r) => [port(groupName(0), spare(known(r), size))],
        },
        { name: "a port, on another switch", operations: (r) => [port(groupName(0), spare(other(r), size))] },
        { name: "an address of a set", operations: (r) => [address(peerSet(0), r)] },
      ],
    },
    {
      name: "a group with a resting port on every switch",
      groups: groups(range(size.switches).map(restingName)),
      events: [
        { name: "a port, on another switch", operations: (r) => [port(groupName(0), spare(other(r), size))] },
      ],
    },
    {
      name: "addresses, in one group of all ports",
      groups: [
        {
          ...{ name: "all", ports: every },
          matches: range(size.groups).flatMap((at) =>
            matchesOf(`inport == @all && ip4.src == $${subjectSet(at)}`, at, size),
          ),
        },
      ],
      events: [
        { name: "an address of the subject", operations: (r) => [address(subjectSet(0), r)] },
        { name: "a port of the group", operations: (r) => [port("all", spare(other(r), size))] },
      ],
    },
  ];
}
