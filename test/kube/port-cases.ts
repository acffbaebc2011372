// The cases of a rule's ports, the same in both directions.

import { type Case, few, many, no, ok, times } from "./case.ts";

const number = (port: unknown) => ({ portNumber: { protocol: "TCP", port } });
const range = (start: unknown, end: unknown) => ({ portRange: { protocol: "TCP", start, end } });

export function portCases(direction: string, rule: (fields: object) => Case["spec"]): readonly Case[] {
  const port = (entry: unknown) => rule({ ports: [entry] });
  return [
    ok(`${direction}: no ports`, rule({ ports: undefined })),
    no(`${direction}: an empty list of ports`, rule({ ports: [] }), few),
    ok(`${direction}: 100 ports`, rule({ ports: times(100, number(80)) })),
    no(`${direction}: 101 ports`, rule({ ports: times(101, number(80)) }), many(100)),
    no(`${direction}: an empty port entry`, port({}), few),
    no(
      `${direction}: two fields in a port entry`,
      port({ ...number(80), namedPort: "web" }),
      "must have at most 1",
    ),
    ok(`${direction}: port 1`, port(number(1))),
    ok(`${direction}: port 65535`, port(number(65535))),
    no(`${direction}: port 0`, port(number(0)), "greater than or equal to 1"),
    no(`${direction}: port 65536`, port(number(65536)), "less than or equal to 65535"),
    no(`${direction}: a port as text`, port(number("80")), "must be of type integer"),
    no(`${direction}: no port`, port({ portNumber: { protocol: "TCP" } }), "port: Required"),
    ok(
      `${direction}: a protocol nobody knows`,
      port({ portNumber: { protocol: "CARRIER-PIGEON", port: 80 } }),
    ),
    ok(
      `${direction}: a protocol nobody knows over a range`,
      port({ portRange: { protocol: "", start: 1, end: 2 } }),
    ),
    no(
      `${direction}: a protocol that is no text`,
      port({ portNumber: { protocol: 6, port: 80 } }),
      "must be of type string",
    ),
    ok(`${direction}: a range`, port(range(1, 65535))),
    ok(`${direction}: the lowest range`, port(range(1, 1))),
    ok(`${direction}: the highest range`, port(range(65535, 65535))),
    ok(`${direction}: a range of one`, port(range(80, 80))),
    ok(`${direction}: a range backwards`, port(range(90, 80))),
    no(`${direction}: a range from 0`, port(range(0, 80)), "start: Invalid value"),
    no(`${direction}: a range to 65536`, port(range(1, 65536)), "end: Invalid value"),
    no(`${direction}: a range from 65536`, port(range(65536, 1)), "start: Invalid value"),
    no(`${direction}: a range to 0`, port(range(1, 0)), "end: Invalid value"),
    no(`${direction}: a range without start`, port({ portRange: { end: 80 } }), "start: Required"),
    no(`${direction}: a range without end`, port({ portRange: { start: 80 } }), "end: Required"),
    ok(`${direction}: a named port`, port({ namedPort: "web" })),
    ok(`${direction}: a named port that no pod can have`, port({ namedPort: "Not A Port Name, Surely Not" })),
  ];
}
