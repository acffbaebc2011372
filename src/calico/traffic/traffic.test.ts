// Table tests of what rules say of their traffic: one line for each rule of the API or of this program.

import { describe, expect, test } from "@jest/globals";
import { compiled, oneRule, refusal, rulesOf, toldOf } from "../../../test/support/calico-compiled.ts";

const everybody = { kind: "everything" };
const others = (...but: readonly number[]) =>
  Array.from({ length: 256 }, (_, number) => number).filter((number) => !but.includes(number));

describe("accepted", () => {
  test.each<[string, object, readonly unknown[] | null]>([
    ["any", {}, null],
    ["TCP", { protocol: "TCP" }, [{ kind: "protocol", number: 6 }]],
    ["UDP", { protocol: "UDP" }, [{ kind: "protocol", number: 17 }]],
    ["ICMP", { protocol: "ICMP" }, [{ kind: "protocol", number: 1 }]],
    ["ICMPv6", { protocol: "ICMPv6" }, [{ kind: "protocol", number: 58 }]],
    ["SCTP", { protocol: "SCTP" }, [{ kind: "protocol", number: 132 }]],
    ["UDPLite", { protocol: "UDPLite" }, [{ kind: "protocol", number: 136 }]],
    ["a number", { protocol: 255 }, [{ kind: "protocol", number: 255 }]],
    ["digits", { protocol: "47" }, [{ kind: "protocol", number: 47 }]],
    ["all but one", { notProtocol: "TCP" }, [{ kind: "protocols", numbers: others(6) }]],
    ["all but a number", { notProtocol: 1 }, [{ kind: "protocols", numbers: others(1) }]],
    ["one and not another", { protocol: "TCP", notProtocol: "UDP" }, [{ kind: "protocol", number: 6 }]],
    [
      "a port",
      { protocol: "TCP", destination: { ports: [80] } },
      [{ kind: "port", protocol: "tcp", port: 80 }],
    ],
    [
      "digits as a port",
      { protocol: 17, destination: { ports: ["53"] } },
      [{ kind: "port", protocol: "udp", port: 53 }],
    ],
    [
      "a range",
      { protocol: "SCTP", destination: { ports: ["5:9"] } },
      [{ kind: "range", protocol: "sctp", start: 5, end: 9 }],
    ],
    [
      "a range of one",
      { protocol: "TCP", destination: { ports: ["5:5"] } },
      [{ kind: "port", protocol: "tcp", port: 5 }],
    ],
    [
      "ranges that meet",
      { protocol: "TCP", destination: { ports: ["5:9", 10, 3, "4:7"] } },
      [{ kind: "range", protocol: "tcp", start: 3, end: 10 }],
    ],
    [
      "no ports",
      { protocol: "TCP", destination: { ports: [], notPorts: [] } },
      [{ kind: "protocol", number: 6 }],
    ],
    [
      "all but ports",
      { protocol: "TCP", destination: { notPorts: ["80:90", 65535] } },
      [
        { kind: "range", protocol: "tcp", start: 0, end: 79 },
        { kind: "range", protocol: "tcp", start: 91, end: 65534 },
      ],
    ],
    [
      "ports but one of them",
      { protocol: "TCP", destination: { ports: ["80:82"], notPorts: [81] } },
      [
        { kind: "port", protocol: "tcp", port: 80 },
        { kind: "port", protocol: "tcp", port: 82 },
      ],
    ],
    [
      "source ports",
      { protocol: "TCP", source: { ports: [80] } },
      [{ kind: "range", protocol: "tcp", start: 0, end: 65535, source: { start: 80, end: 80 } }],
    ],
    [
      "both sides",
      { protocol: "TCP", source: { ports: [1, 3] }, destination: { ports: [5, 7] } },
      [
        { kind: "port", protocol: "tcp", port: 5, source: { start: 1, end: 1 } },
        { kind: "port", protocol: "tcp", port: 7, source: { start: 1, end: 1 } },
        { kind: "port", protocol: "tcp", port: 5, source: { start: 3, end: 3 } },
        { kind: "port", protocol: "tcp", port: 7, source: { start: 3, end: 3 } },
      ],
    ],
    [
      "all but source ports",
      { protocol: "UDP", source: { notPorts: ["1:65534"] } },
      [
        { kind: "range", protocol: "udp", start: 0, end: 65535, source: { start: 0, end: 0, isRest: true } },
        {
          kind: "range",
          protocol: "udp",
          start: 0,
          end: 65535,
          source: { start: 65535, end: 65535, isRest: true },
        },
      ],
    ],
    [
      "a name",
      { protocol: "TCP", destination: { ports: ["web", "web"] } },
      [{ kind: "named", name: "web", protocol: "tcp" }],
    ],
    ["a name without protocol", { destination: { ports: ["a_B.9"] } }, [{ kind: "named", name: "a_B.9" }]],
    [
      "a name of all but a protocol",
      { notProtocol: "UDP", destination: { ports: ["web"] } },
      [
        { kind: "named", name: "web", protocol: "tcp" },
        { kind: "named", name: "web", protocol: "sctp" },
      ],
    ],
    [
      "a name beside a number and a source",
      { protocol: "TCP", source: { ports: [9] }, destination: { ports: [80, "web"] } },
      [
        { kind: "port", protocol: "tcp", port: 80, source: { start: 9, end: 9 } },
        { kind: "named", name: "web", protocol: "tcp", source: { start: 9, end: 9 } },
      ],
    ],
    [
      "a type",
      { protocol: "ICMP", icmp: { type: 8 } },
      [{ kind: "icmp", family: "v4", type: 8, code: null }],
    ],
    [
      "a type and a code",
      { protocol: 58, icmp: { type: 254, code: 255 } },
      [{ kind: "icmp", family: "v6", type: 254, code: 255 }],
    ],
    ["an empty icmp", { protocol: "ICMP", icmp: {}, notICMP: {} }, [{ kind: "protocol", number: 1 }]],
    ["an empty icmp without protocol", { icmp: {}, notICMP: {} }, null],
    [
      "all but a type",
      { protocol: "ICMP", notICMP: { type: 8 } },
      [{ kind: "otherIcmp", family: "v4", type: 8, code: null }],
    ],
    [
      "all but a code",
      { protocol: "ICMPv6", notICMP: { type: 1, code: 0 } },
      [{ kind: "otherIcmp", family: "v6", type: 1, code: 0 }],
    ],
    [
      "a type and not another",
      { protocol: "ICMP", icmp: { type: 8 }, notICMP: { type: 3 } },
      [{ kind: "icmp", family: "v4", type: 8, code: null }],
    ],
    [
      "a code and not another",
      { protocol: "ICMP", icmp: { type: 3, code: 1 }, notICMP: { type: 3, code: 2 } },
      [{ kind: "icmp", family: "v4", type: 3, code: 1 }],
    ],
    [
      "a type but one of its codes",
      { protocol: "ICMP", icmp: { type: 3 }, notICMP: { type: 3, code: 4 } },
      others(4).map((code) => ({ kind: "icmp", family: "v4", type: 3, code })),
    ],
  ])("%s", (_, rule, ports) => {
    expect(rulesOf(rule)).toEqual([{ action: "allow", peers: [everybody], ports }]);
  });

  test.each<[string, object]>([
    ["a protocol and not it", { protocol: "TCP", notProtocol: 6 }],
    ["a port and not it", { protocol: "TCP", destination: { ports: [80], notPorts: ["1:100"] } }],
    ["a type and not it", { protocol: "ICMP", icmp: { type: 8, code: 0 }, notICMP: { type: 8 } }],
    ["a code and not it", { protocol: "ICMP", icmp: { type: 8, code: 0 }, notICMP: { type: 8, code: 0 } }],
    [
      "a name of a protocol that is excluded",
      { notProtocol: "TCP", protocol: 6, destination: { ports: ["web"] } },
    ],
  ])("%s matches nothing", (_, rule) => {
    for (const action of ["Allow", "Deny"])
      expect(rulesOf({ ...rule, action })).toEqual([
        { action: action.toLowerCase(), peers: [], ports: null },
      ]);
  });

  test.each([
    [4, "0.0.0.0/0"],
    [6, "::/0"],
  ])("ipVersion %p", (ipVersion, cidr) => {
    expect(rulesOf({ ipVersion })).toEqual([
      { action: "allow", peers: [{ kind: "network", cidr, except: [] }], ports: null },
    ]);
  });
});

describe("refused", () => {
  const word = "must be one of TCP, UDP, SCTP, ICMP, ICMPv6, UDPLite or a number from 1 to 255";
  const icmp = "must not be given without protocol ICMP or ICMPv6";
  const numbers = "numbers of ports must not be given without protocol TCP, UDP or SCTP";
  test.each<[object, string]>([
    [{ protocol: "tcp" }, `UnknownProtocol protocol: ${word}, not "tcp"`],
    [{ protocol: 0 }, `UnknownProtocol protocol: ${word}, not 0`],
    [{ protocol: 256 }, `UnknownProtocol protocol: ${word}, not 256`],
    [{ protocol: "0" }, `UnknownProtocol protocol: ${word}, not "0"`],
    [{ protocol: "06" }, `UnknownProtocol protocol: ${word}, not "06"`],
    [{ protocol: 6.5 }, `UnknownProtocol protocol: ${word}, not 6.5`],
    [{ notProtocol: "Tcp" }, `UnknownProtocol notProtocol: ${word}, not "Tcp"`],
    [{ ipVersion: 5 }, "InvalidField ipVersion: must be 4 or 6, not 5"],
    [{ ipVersion: "4" }, 'InvalidField ipVersion: must be 4 or 6, not "4"'],
    [
      { ipVersion: 6, protocol: "ICMP" },
      'InvalidField protocol: "ICMP" does not go with the ipVersion of the rule',
    ],
    [
      { ipVersion: 4, protocol: "ICMPv6" },
      'InvalidField protocol: "ICMPv6" does not go with the ipVersion of the rule',
    ],
    [
      { ipVersion: 4, notProtocol: 58 },
      "InvalidField notProtocol: 58 does not go with the ipVersion of the rule",
    ],
    [{ icmp: { type: 8 } }, `InvalidField icmp: ${icmp}`],
    [{ notICMP: { type: 8 } }, `InvalidField notICMP: ${icmp}`],
    [{ protocol: "TCP", notICMP: { type: 8 } }, `InvalidField notICMP: ${icmp}`],
    [
      { protocol: "ICMP", icmp: { type: 255 } },
      "InvalidField icmp.type: must be an integer from 0 to 254, not 255",
    ],
    [
      { protocol: "ICMP", icmp: { type: 8, code: 256 } },
      "InvalidField icmp.code: must be an integer from 0 to 255, not 256",
    ],
    [{ protocol: "ICMP", icmp: { code: 0 } }, "InvalidField icmp.code: must not be given without the type"],
    [{ protocol: "ICMP", icmp: 8 }, "InvalidField icmp: must be an object, not 8"],
    [{ destination: { ports: [80] } }, `InvalidField destination.ports: ${numbers}`],
    [{ protocol: "ICMP", source: { ports: ["1:2"] } }, `InvalidField source.ports: ${numbers}`],
    [{ protocol: 136, destination: { notPorts: [80] } }, `InvalidField destination.notPorts: ${numbers}`],
    [
      { protocol: "UDPLite", destination: { ports: ["web"] } },
      "InvalidField protocol: must be TCP, UDP or SCTP in a rule with ports",
    ],
    [
      { protocol: "TCP", destination: { ports: [0] } },
      "InvalidField destination.ports[0]: must be an integer from 1 to 65535, not 0",
    ],
    [
      { protocol: "TCP", destination: { ports: [65536] } },
      "InvalidField destination.ports[0]: must be an integer from 1 to 65535, not 65536",
    ],
    [
      { protocol: "TCP", destination: { ports: ["9:5"] } },
      'InvalidField destination.ports[0]: "9:5" is not within 1 to 65535, in ascending order',
    ],
    [
      { protocol: "TCP", destination: { ports: ["0:5"] } },
      'InvalidField destination.ports[0]: "0:5" is not within 1 to 65535, in ascending order',
    ],
    [
      { protocol: "TCP", destination: { ports: ["70000"] } },
      'InvalidField destination.ports[0]: "70000" is not within 1 to 65535, in ascending order',
    ],
    [
      { protocol: "TCP", destination: { ports: ["a:b"] } },
      'InvalidField destination.ports[0]: "a:b" is not a port, a range of ports or the name of one',
    ],
    [
      { protocol: "TCP", destination: { ports: [""] } },
      'InvalidField destination.ports[0]: "" is not a port, a range of ports or the name of one',
    ],
    [
      { protocol: "TCP", destination: { ports: [true] } },
      "InvalidField destination.ports[0]: must be a string, not true",
    ],
    [
      { protocol: "TCP", destination: { ports: 80 } },
      "InvalidField destination.ports: must be a list, not 80",
    ],
  ])("%j", (rule, told) => {
    const [code = "", ...rest] = told.split(" ");
    expect(refusal(oneRule(rule))).toContain(`error ${code} spec.ingress[0].${rest.join(" ")}`);
  });

  test("more than fifty ports", () => {
    const ports = Array.from({ length: 51 }, (_, at) => at + 1);
    expect(refusal(oneRule({ protocol: "TCP", destination: { ports } }))).toEqual([
      "error TooMany spec.ingress[0].destination.ports: must have at most 50 elements, not 51",
    ]);
  });
});

describe("names of source ports, and names beside notPorts", () => {
  const every = [{ start: 0, end: 65535 }];
  const none = { ranges: [], names: [] };
  const declared = (protocol: string, from: object | null, to: object | null) => ({
    ...{ kind: "declared", protocol, from, to },
  });
  const named = { ranges: [], names: ["web"], except: none };
  const butNamed = { ranges: every, names: [], except: { ranges: [], names: ["web"] } };
  const others = Array.from({ length: 256 }, (_, number) => number).filter(
    (number) => ![6, 17, 132].includes(number),
  );

  test.each<[object, readonly object[]]>([
    [
      { source: { ports: ["web"] } },
      (["tcp", "udp", "sctp"] as const).map((protocol) => declared(protocol, named, null)),
    ],
    [
      { source: { notPorts: ["web"] } },
      [
        ...(["tcp", "udp", "sctp"] as const).map((protocol) => declared(protocol, butNamed, null)),
        { kind: "protocols", numbers: others },
      ],
    ],
    [
      { notProtocol: "UDP", destination: { notPorts: ["web"] } },
      [
        ...(["tcp", "sctp"] as const).map((protocol) => declared(protocol, null, butNamed)),
        { kind: "protocols", numbers: others },
      ],
    ],
    [
      { source: { notPorts: ["web"] }, destination: { ports: ["web"] } },
      (["tcp", "udp", "sctp"] as const).map((protocol) => declared(protocol, butNamed, named)),
    ],
    [{ protocol: "TCP", destination: { notPorts: ["web"] } }, [declared("tcp", null, butNamed)]],
    [{ protocol: "TCP", notProtocol: "TCP", destination: { notPorts: ["web"] } }, []],
    [
      { protocol: "TCP", destination: { ports: ["web"], notPorts: [80] } },
      [declared("tcp", null, { ...named, except: { ranges: [{ start: 80, end: 80 }], names: [] } })],
    ],
    [
      {
        protocol: 17,
        source: { ports: [5, "web"], notPorts: ["dns"] },
        destination: { ports: ["80:90"], notPorts: [85] },
      },
      [
        declared(
          "udp",
          { ranges: [{ start: 5, end: 5 }], names: ["web"], except: { ranges: [], names: ["dns"] } },
          {
            ...{ ranges: [{ start: 80, end: 90 }], names: [] },
            except: { ranges: [{ start: 85, end: 85 }], names: [] },
          },
        ),
      ],
    ],
  ])("%j", (rule, ports) => {
    expect(compiled(oneRule(rule)).rules.ingress).toMatchObject(
      ports.length === 0 ? [{ peers: [] }] : [{ ports }],
    );
  });
});

describe("closed", () => {
  test.each([{ icmp: { type: 8, id: 1 } }, { notICMP: { type: 8, id: 1 } }])("%j", (rule) => {
    expect(toldOf(oneRule({ protocol: "ICMP", ...rule })).told).toEqual([
      expect.stringMatching(/^error UnknownField spec\.ingress\[0\]\.\w+\.id: this field is not known here$/),
    ]);
  });
});
