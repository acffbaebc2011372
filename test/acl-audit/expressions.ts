// Random match expressions as text: those that OVN-Kubernetes' rows and ours are made of, and around them whatever else the
// grammar allows or refuses. They name what the database of match.test.ts holds, and fields that are known of every packet.

import fc from "fast-check";

/** Names of address sets and what they hold; only the last is not there. */
export const addressSets: Readonly<Record<string, readonly string[]>> = {
  four: ["10.0.0.1", "10.1.0.0/16"],
  six: ["fd00::1", "fd01::/64"],
  both: ["10.0.0.2", "fd00::2"],
  none: [],
};
const sets = [...Object.keys(addressSets), "nowhere"];
/** `source` and `target` hold the ports of each switch, `stranger` one of a switch of its own, `void` nothing. */
const groups = ["source", "target", "stranger", "void", "nowhere"];

const addresses = [
  ...[
    "10.0.0.1",
    "10.0.0.2",
    "10.0.0.0/24",
    "10.0.0.7/30",
    "0.0.0.0/0",
    "10.0.0.1/255.0.255.255",
    "10.1.2.3",
  ],
  ...["fd00::1", "fd00::2", "fd00::/64", "::/0", "fd00::1/ffff::", "::10.0.0.1", "FD00:0:0:0:0:0:0:1"],
];
const numbers = [
  "0",
  "1",
  "6",
  "17",
  "53",
  "80",
  "81",
  "443",
  "0x50",
  "255",
  "2048",
  "65535",
  "65536",
  "0x86dd",
];
const masked = [
  "80/0xff",
  "0x50/0xf0",
  "0/0x1",
  "80/16",
  "010",
  "0x",
  "1.2.3",
  "18446744073709551616",
  "5/5",
];
const constant = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...numbers) },
  { weight: 5, arbitrary: fc.constantFrom(...addresses) },
  { weight: 1, arbitrary: fc.constantFrom(...masked, "0a:00:00:00:00:01", '"a_p0"') },
  { weight: 2, arbitrary: fc.constantFrom(...sets).map((name) => `$${name}`) },
  { weight: 1, arbitrary: fc.constantFrom(...groups).map((name) => `@${name}`) },
);
const port = fc.constantFrom("53", "80", "81", "443", "0x50", "65535", "1", "0");
const address = (family: 4 | 6) =>
  fc.oneof(
    fc.constantFrom(...addresses.filter((text) => text.includes(":") === (family === 6))),
    fc.constantFrom(...(family === 4 ? ["$four", "$none"] : ["$six", "$none"])),
  );

const relation = fc.constantFrom("==", "==", "==", "!=", "<", "<=", ">", ">=");
const space = fc.constantFrom("", " ");
const field = fc.constantFrom(
  ...["ip4.src", "ip4.dst", "ip6.src", "ip6.dst", "tcp.dst", "udp.dst", "sctp.dst", "tcp.src", "ip.frag"],
  ...["ip.proto", "eth.type", "icmp4.type", "icmp4.code", "icmp6.type", "icmp6.code", "inport", "outport"],
);
const part = fc.oneof(
  { weight: 6, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("[0]", "[0..7]", "[8..15]", "[24..31]", "[31]", "[7..0]", "[0..127]"),
  },
);
const predicate = fc.constantFrom(
  ...[
    "ip",
    "ip4",
    "ip6",
    "tcp",
    "udp",
    "sctp",
    "icmp",
    "icmp4",
    "icmp6",
    "arp",
    "nd",
    "ip4.mcast",
    "ip6.mcast",
  ],
  ...[
    "ip.is_frag",
    "ip.first_frag",
    "ip4.src_mcast",
    "igmp",
    "mldv1",
    "tcp.dst",
    "inport",
    "ip5",
    "eth.mcast",
  ],
);

const list = (of: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(of, { minLength: 1, maxLength: 3 }), fc.constantFrom(",", ", ", " "))
    .map(([all, between]) => `{${all.join(between)}}`);
const either = (of: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: of }, list(of));
const join = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(""));

/** As rows write them. */
const usual = fc.oneof(
  ...[4, 4, 4].map(() =>
    fc.constantFrom("inport == @source", "outport == @target", "tcp", "(ip4 || ip6)", "1"),
  ),
  join(fc.constantFrom("ip4.src", "ip4.dst"), fc.constantFrom(" == ", " != "), either(address(4))),
  join(fc.constantFrom("ip6.src", "ip6.dst"), fc.constantFrom(" == ", " != "), either(address(6))),
  join(fc.constantFrom("tcp", "udp", "sctp"), fc.constant(".dst"), relation, port),
  join(fc.constantFrom("tcp", "udp"), fc.constant(".dst=="), list(port)),
  join(port, fc.constantFrom("<=", "<"), fc.constantFrom("tcp.dst", "udp.src"), fc.constant("<="), port),
  fc.constantFrom(
    "ip4",
    "udp",
    "icmp",
    "arp",
    "nd",
    "ip4.mcast",
    "ip.proto == 47",
    "0",
    "outport == @stranger",
  ),
);
/** What may stand behind a `!`. */
const plain = fc.oneof(
  join(fc.constantFrom("ip4.src", "ip4.dst"), fc.constantFrom(" == ", " != "), either(address(4))),
  join(fc.constantFrom("tcp.dst", "udp.dst"), relation, port),
);
/** Anything that looks like a comparison. */
const strange = fc.oneof(
  join(field, part, space, relation, space, either(constant)),
  join(either(constant), relation, field, part),
  join(constant, relation, field, relation, constant),
  join(predicate, relation, fc.constantFrom("0", "1")),
  join(predicate, part),
);
const term = fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: strange });

export const expressionText: fc.Arbitrary<string> = fc.letrec<{ expression: string; inner: string }>(
  (tie) => ({
    expression: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 2, arbitrary: term },
      {
        weight: 5,
        arbitrary: fc
          .tuple(
            fc.array(tie("inner"), { minLength: 2, maxLength: 4 }),
            fc.constantFrom(" && ", " || ", "&&"),
          )
          .map(([all, between]) => all.join(between)),
      },
    ),
    inner: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 24, arbitrary: term },
      { weight: 8, arbitrary: tie("expression").map((text) => `(${text})`) },
      { weight: 3, arbitrary: fc.oneof(plain, tie("expression")).map((text) => `!(${text})`) },
      { weight: 1, arbitrary: predicate.map((text) => `!${text}`) },
      // Parentheses that are missing.
      {
        weight: 1,
        arbitrary: fc.oneof(
          tie("expression"),
          term.map((text) => `!${text}`),
        ),
      },
    ),
  }),
).expression;
