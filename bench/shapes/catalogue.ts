// Ways to write one rule as matches, side by side: what is measured of each is what OVN makes of it. Every shape of a group
// means the same. The address sets that they name are ground.ts's.

export interface Shape {
  /** Shapes of one group say the same. */
  readonly group: string;
  readonly name: string;
  /** The matches of rule `i`; each is an ACL. */
  readonly matches: (i: number) => readonly string[];
  /** Names of the sets that one pod more is an element of, with the pod's addresses. */
  readonly touched: (rules: number) => readonly SetOf[];
}

export interface SetOf {
  readonly name: string;
  readonly family: "v4" | "v6";
}

const four = (name: string): SetOf => ({ name, family: "v4" });
const six = (name: string): SetOf => ({ name, family: "v6" });

const subject = "outport == @pg";
const one = "tcp && tcp.dst==8000";
const two = "tcp && tcp.dst=={8000,9000}";
/** Two selectors' sets, as a rule of two peers names them. */
const both = "ip4.src == {$a, $b}";
/** The same addresses in a set of the rule's own. */
const own = (i: number) => `((ip4.src == $u${i}))`;

const both6 = "ip6.src == {$a6, $b6}";
const either = `(${both} || ${both6})`;
const inBoth = () => [four("a"), six("a6")];

const inShared =
  (...names: readonly string[]) =>
  () =>
    names.map(four);
const inOwn = (rules: number) => Array.from({ length: rules }, (_, i) => four(`u${i}`));

const shape = (
  group: string,
  name: string,
  matches: Shape["matches"],
  touched: Shape["touched"] = inShared("a"),
): Shape => ({ group, name, matches, touched });

const and = (...terms: readonly string[]) => terms.join(" && ");

export const shapes: readonly Shape[] = [
  shape("one port", "a set a rule (documented)", (i) => [and(subject, own(i), one)], inOwn),
  shape("one port", "sets of selectors (shared)", () => [and(subject, both, one)]),
  shape("one port", "the port before the sets", () => [and(subject, one, both)]),
  shape("one port", "the subject last", () => [and(both, one, subject)]),
  shape("one port", "sets joined by ||", () => [and(subject, "(ip4.src == $a || ip4.src == $b)", one)]),
  shape("one port", "an ACL a set", () => ["$a", "$b"].map((set) => and(subject, `ip4.src == ${set}`, one))),
  shape(
    "one port",
    "sets that overlap",
    () => [and(subject, "ip4.src == {$a, $over}", one)],
    inShared("a", "over"),
  ),

  shape("no port", "a set a rule (documented)", (i) => [and(subject, own(i))], inOwn),
  shape("no port", "sets of selectors (shared)", () => [and(subject, both)]),

  shape("two ports", "in one ACL (documented)", () => [and(subject, both, two)]),
  shape("two ports", "an ACL a port", () =>
    [8000, 9000].map((port) => and(subject, both, `tcp && tcp.dst==${port}`)),
  ),
  shape("two ports", "joined by ||", () => [and(subject, both, "tcp && (tcp.dst==8000 || tcp.dst==9000)")]),

  shape("TCP and UDP", "an ACL a protocol (documented)", () => [
    and(subject, both, one),
    and(subject, both, "udp && udp.dst==5000"),
  ]),
  shape("TCP and UDP", "one ACL", () => [
    and(subject, both, "((tcp && tcp.dst==8000) || (udp && udp.dst==5000))"),
  ]),

  shape("a range of 1,001", "as a range (documented)", () => [
    and(subject, both, "tcp && 20000<=tcp.dst<=21000"),
  ]),
  shape("a range of 1,024", "aligned", () => [and(subject, both, "tcp && 20480<=tcp.dst<=21503")]),

  shape("sets and 50 networks", "in the match (shared)", () => [
    and(subject, `ip4.src == {$a, $b, ${networks().join(", ")}}`, one),
  ]),
  shape("sets and 50 networks", "in a set", () => [and(subject, "ip4.src == {$a, $b, $networks}", one)]),

  shape("two families", "in one ACL (documented)", () => [and(subject, either, one)], inBoth),
  shape(
    "two families",
    "in one ACL, written out",
    () => [[both, both6].map((peers) => `(${and(subject, peers, one)})`).join(" || ")],
    inBoth,
  ),
  shape(
    "two families",
    "an ACL a family",
    () => [both, both6].map((peers) => and(subject, peers, one)),
    inBoth,
  ),
  shape("two families, no port", "in one ACL (documented)", () => [and(subject, either)], inBoth),
  shape(
    "two families, no port",
    "an ACL a family",
    () => [both, both6].map((peers) => and(subject, peers)),
    inBoth,
  ),

  shape(
    "every address",
    "ip4 (shared)",
    () => [and(subject, "ip4")],
    () => [],
  ),
  shape(
    "every address",
    "a set with 0.0.0.0/0 (documented)",
    () => [and(subject, "ip4.src == $every")],
    () => [],
  ),
];

/** In no set of pods. */
export function networks(): readonly string[] {
  return Array.from({ length: 50 }, (_, n) => `198.18.${n}.0/24`);
}
