// Ends of connections as users write them: pods, addresses, nodes, the family that one end forces, and what is refused.

import { describe, expect, test } from "@jest/globals";
import { worldOf } from "../../test/support/asked-world.ts";
import { NoSuchEnd, endForms } from "./end-query.ts";
import { onlyEnd } from "./ends.ts";

describe("ends", () => {
  const asked = worldOf([]);
  const pair = (from: string, to: string) => {
    const [first, second] = [from, to].map((text) => onlyEnd(asked.endNamed(text).set, text));
    if (!first || !second) throw new Error("several ends");
    const { from: one, to: other } = asked.ends.pair(first, second);
    return [one, other].map(({ kind, ip, pod: held, node: at }) => [kind, ip, held?.name ?? null, at]);
  };

  test.each<readonly [string, string, readonly unknown[]]>([
    [
      "red/web",
      "blue/db-0",
      [
        ["pod", "10.0.0.1", "web", "n1"],
        ["pod", "10.0.0.2", "db-0", "n1"],
      ],
    ],
    [
      "red/web",
      "blue/six",
      [
        ["pod", "fd00::1", "web", "n1"],
        ["pod", "fd00::6", "six", "n1"],
      ],
    ],
    [
      "red/web@fd00::1",
      "blue/db-0",
      [
        ["pod", "fd00::1", "web", "n1"],
        ["pod", "fd00::2", "db-0", "n1"],
      ],
    ],
    [
      "2001:db8::7",
      "red/web",
      [
        ["address", "2001:db8::7", null, null],
        ["pod", "fd00::1", "web", "n1"],
      ],
    ],
    [
      "10.0.0.1",
      "172.18.0.2",
      [
        ["pod", "10.0.0.1", "web", "n1"],
        ["node", "172.18.0.2", null, "n1"],
      ],
    ],
    [
      "FD00:0::1",
      "blue/six",
      [
        ["pod", "fd00::1", "web", "n1"],
        ["pod", "fd00::6", "six", "n1"],
      ],
    ],
    [
      "blue/agent",
      "red/web",
      [
        ["host", "172.18.0.2", "agent", "n1"],
        ["pod", "10.0.0.1", "web", "n1"],
      ],
    ],
    [
      "10.0.0.9",
      "red/web",
      [
        ["address", "10.0.0.9", null, null],
        ["pod", "10.0.0.1", "web", "n1"],
      ],
    ],
  ])("%s to %s", (from, to, ends) => {
    expect(pair(from, to)).toEqual(ends);
  });

  test.each([
    ["red/web", "blue/nothing", 'there is no pod "blue/nothing"'],
    ["red/web", "blue/dbx0", 'there is no pod "blue/dbx0"; did you mean "blue/db-0"?'],
    ["red/web", "blue/db", 'there is no pod "blue/db"; did you mean "blue/db-0"?'],
    ["green/web", "blue/db-0", 'there is no pod "green/web"; did you mean "red/web"?'],
    ["red/web", "somewhere", `"somewhere" is no end of a connection: ${endForms}`],
    ["red/web", "10.0.0.256", '"10.0.0.256" is no IPv4 address or network'],
    ["red/web@10.0.0.7", "blue/db-0", 'pod "red/web" has no address 10.0.0.7; it has 10.0.0.1, fd00::1'],
    ["red/web@x", "blue/db-0", '"red/web@x": what is behind @ is no IP address'],
    ["198.51.100.1", "blue/six", '"198.51.100.1" and "blue/six" have no family in common: IPv4, IPv6'],
    ["blue/new", "red/web", 'pod "blue/new" has no address yet'],
    ["blue/done", "red/web", 'pod "blue/done" has completed: its address may be another pod\'s'],
  ])("%s to %s is refused", (from, to, message) => {
    expect(() => pair(from, to)).toThrow(new NoSuchEnd(message));
  });
});
