// Table tests of both sides of a rule and of its action: one line for each rule of the API or of this program.

import { describe, expect, test } from "@jest/globals";
import { account, globalSet, gnp, networkSet } from "../../../test/support/calico.ts";
import {
  compiled,
  oneRule,
  refusal,
  rulesOf,
  shortRule,
  toldOf,
} from "../../../test/support/calico-compiled.ts";
import { namespacesNamed, podsRunningAs } from "../../model/selectable.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import { everything, requirements } from "../../model/selector.ts";

const label = (key: string, value: string): Requirement => ({ operator: "In", key, values: [value] });
const [web, teamA] = [requirements([label("app", "web")]), requirements([label("team", "a")])];
const without = (key: string, value: string): Requirement => ({ operator: "NotIn", key, values: [value] });
const notWeb = requirements([without("app", "web")]);
const [shop, bank] = [namespacesNamed(["shop"]), namespacesNamed(["bank"])];
const pods = (namespaces: Selector, selected: Selector) => ({ kind: "pods", namespaces, pods: selected });
const network = (cidr: string, ...except: readonly string[]) => ({ kind: "network", cidr, except });
const everybody = { kind: "everything" };
const everywhere = ["0.0.0.0/0", "::/0"];
const own = { isGlobal: false } as const;

/** Sets that are selected by `set == 'x'`. */
const sets = [
  networkSet("in-shop", { set: "x" }, ["10.1.0.0/16", "192.0.2.7"]),
  networkSet("in-bank", { set: "x" }, ["10.2.3.4/16"], "bank"),
  globalSet("anywhere", { set: "x" }, ["2001:db8::/32", "10.1.0.0/16"]),
  globalSet("another", { set: "y" }, ["203.0.113.0/24"]),
];
const networksOfAll = ["10.2.0.0/16", "10.1.0.0/16", "192.0.2.7/32", "203.0.113.0/24", "2001:db8::/32"].map(
  (net) => network(net),
);
const inSet = requirements([label("set", "x")]);

describe("the peer's side", () => {
  test.each<[string, object, boolean, readonly object[]]>([
    ["nothing", {}, true, [everybody]],
    [
      "empty fields",
      { selector: "", notSelector: "", namespaceSelector: "", nets: [], notNets: [], serviceAccounts: {} },
      true,
      [everybody],
    ],
    ["labels, anywhere", { selector: "app == 'web'" }, true, [pods(everything, web)]],
    ["labels, in the own namespace", { selector: "app == 'web'" }, false, [pods(shop, web)]],
    [
      "everything of the own namespace",
      { selector: "all()" },
      false,
      [pods(shop, everything), network("10.1.0.0/16"), network("192.0.2.7/32")],
    ],
    [
      "no label, anywhere",
      { notSelector: "app == 'web'" },
      true,
      [{ kind: "others", pods: [pods(everything, web)], networks: everywhere, except: [] }],
    ],
    [
      "no label, networks of sets, and some networks",
      { notSelector: "set == 'x'", nets: ["10.0.0.0/8"], notNets: ["10.9.0.0/16"] },
      true,
      [
        {
          ...{ kind: "others", pods: [pods(everything, inSet)], networks: ["10.0.0.0/8"] },
          except: ["10.9.0.0/16", "10.2.0.0/16", "10.1.0.0/16", "192.0.2.7/32", "2001:db8::/32"],
        },
      ],
    ],
    [
      "no label, in the own namespace",
      { notSelector: "app == 'web'" },
      false,
      [pods(shop, notWeb), network("10.1.0.0/16"), network("192.0.2.7/32")],
    ],
    [
      "labels but others",
      { selector: "app == 'web'", notSelector: "app == 'db'" },
      true,
      [pods(everything, requirements([label("app", "web"), without("app", "db")]))],
    ],
    [
      "labels and namespaces",
      { selector: "app == 'web'", namespaceSelector: "team == 'a'" },
      false,
      [pods(teamA, web)],
    ],
    [
      "any namespace",
      { selector: "set == 'x'", namespaceSelector: "all()" },
      false,
      [pods(everything, inSet), network("10.2.0.0/16"), network("10.1.0.0/16"), network("192.0.2.7/32")],
    ],
    [
      "no namespace",
      { selector: "set == 'x'", namespaceSelector: " global( ) " },
      false,
      [network("2001:db8::/32"), network("10.1.0.0/16")],
    ],
    [
      "namespaces by name",
      { selector: "set == 'x'", namespaceSelector: "projectcalico.org/name == 'bank'" },
      true,
      [pods(bank, inSet), network("10.2.0.0/16")],
    ],
    [
      "sets, anywhere",
      { selector: "set == 'x'" },
      true,
      [
        pods(everything, inSet),
        network("10.2.0.0/16"),
        network("10.1.0.0/16"),
        network("192.0.2.7/32"),
        network("2001:db8::/32"),
      ],
    ],
    [
      "sets of the own namespace",
      { selector: "set == 'x'" },
      false,
      [pods(shop, inSet), network("10.1.0.0/16"), network("192.0.2.7/32")],
    ],
    [
      "a negated selector of namespaces",
      { selector: "set == 'y'", namespaceSelector: "team != 'a'" },
      true,
      [
        pods(
          requirements([{ operator: "NotIn", key: "team", values: ["a"] }]),
          requirements([label("set", "y")]),
        ),
        network("203.0.113.0/24"),
      ],
    ],
    [
      "networks",
      { nets: ["10.0.0.0/8", "192.0.2.0/24"], notNets: ["10.1.0.0/16"] },
      true,
      [network("10.0.0.0/8", "10.1.0.0/16"), network("192.0.2.0/24")],
    ],
    [
      "networks that are excluded whole",
      { nets: ["10.1.2.0/24", "192.0.2.0/24"], notNets: ["10.1.0.0/16"] },
      true,
      [network("192.0.2.0/24")],
    ],
    ["all but networks", { notNets: ["10.0.0.0/8"] }, true, [network("0.0.0.0/0", "10.0.0.0/8")]],
    ["all but networks of IPv6", { notNets: ["2001:db8::/32"] }, true, [network("::/0", "2001:db8::/32")]],
    [
      "pods within networks",
      { selector: "app == 'web'", nets: ["10.0.0.0/8"], notNets: ["10.1.0.0/16"] },
      true,
      [{ kind: "narrowed", pods: pods(everything, web), networks: ["10.0.0.0/8"], except: ["10.1.0.0/16"] }],
    ],
    [
      "pods without networks",
      { selector: "app == 'web'", notNets: ["10.1.0.0/16"] },
      true,
      [{ kind: "narrowed", pods: pods(everything, web), networks: ["0.0.0.0/0"], except: ["10.1.0.0/16"] }],
    ],
    [
      "sets within networks",
      { selector: "set == 'x'", nets: ["10.1.2.0/24", "192.0.0.0/8"], notNets: ["10.1.2.128/25"] },
      false,
      [
        {
          kind: "narrowed",
          pods: pods(shop, inSet),
          networks: ["10.1.2.0/24", "192.0.0.0/8"],
          except: ["10.1.2.128/25"],
        },
        network("10.1.2.0/24", "10.1.2.128/25"),
        network("192.0.2.7/32"),
      ],
    ],
    [
      "accounts by name",
      { serviceAccounts: { names: ["a", "b"] } },
      false,
      [pods(shop, podsRunningAs(["a", "b"]))],
    ],
    [
      "accounts by labels",
      { serviceAccounts: { selector: "role == 'x'" } },
      true,
      [pods(shop, podsRunningAs(["c"]))],
    ],
    [
      "accounts by both",
      { serviceAccounts: { names: ["c"], selector: "role == 'x'" } },
      true,
      [pods(shop, podsRunningAs(["c"]))],
    ],
    [
      "accounts of which none is both",
      { serviceAccounts: { names: ["a"], selector: "role == 'x'" } },
      true,
      [],
    ],
    ["accounts without names and selector", { serviceAccounts: {} }, false, [everybody]],
    [
      "any account, anywhere: no address without an endpoint",
      { serviceAccounts: { selector: "all()" } },
      true,
      [pods(everything, everything), ...networksOfAll],
    ],
    [
      "a selector of namespaces that asks for no label, and is not all()",
      { selector: "set == 'y'", namespaceSelector: "team not in {}" },
      true,
      [pods(everything, requirements([label("set", "y")])), network("203.0.113.0/24")],
    ],
    [
      "all() as a selector of namespaces",
      { selector: "set == 'y'", namespaceSelector: "(all())" },
      true,
      [pods(everything, requirements([label("set", "y")]))],
    ],
    [
      "a negated selector of accounts",
      { selector: "set == 'y'", serviceAccounts: { selector: "role != 'z'" } },
      true,
      [pods(everything, requirements([label("set", "y")])), network("203.0.113.0/24")],
    ],
  ])("%s", (_, source, isGlobal, peers) => {
    const others = [...sets, account("c", { role: "x" })];
    const rules = rulesOf({ source }, { isGlobal }, ...others);
    expect(rules).toEqual([{ action: "allow", peers, ports: null }]);
    const egress = rulesOf({ destination: source }, { isGlobal, direction: "egress" }, ...others);
    expect(egress).toEqual(rules);
  });

  test("networks of a set that are not within the family of the rule are left out", () => {
    expect(rulesOf({ ipVersion: 6, source: { selector: "set == 'x'" } }, {}, ...sets)).toEqual([
      {
        action: "allow",
        peers: [
          { kind: "narrowed", pods: pods(everything, inSet), networks: ["::/0"], except: [] },
          network("2001:db8::/32"),
        ],
        ports: null,
      },
    ]);
  });
});

describe("the side of the pods that the rule applies to", () => {
  const anything = { action: "allow", peers: [everybody], ports: null };
  const ofFamily = (cidr: string) => ({ ...anything, peers: [network(cidr)] });
  test.each<[string, object, boolean, readonly object[]]>([
    ["nothing", {}, true, [anything]],
    ["labels", { selector: "app == 'web'" }, true, [{ ...anything, subject: [pods(everything, web)] }]],
    [
      "labels, in the own namespace",
      { selector: "app == 'web'" },
      false,
      [{ ...anything, subject: [pods(shop, web)] }],
    ],
    [
      "no label",
      { notSelector: "app == 'web'" },
      true,
      [{ ...anything, subject: [pods(everything, notWeb)] }],
    ],
    [
      "no label, and networks of sets",
      { notSelector: "set == 'y'" },
      true,
      [
        {
          ...anything,
          subject: [pods(everything, requirements([without("set", "y")]))],
          own: { networks: everywhere, except: ["203.0.113.0/24"] },
        },
      ],
    ],
    [
      "networks",
      { nets: ["10.0.0.0/8"], notNets: ["10.1.0.0/16"] },
      true,
      [{ ...ofFamily("0.0.0.0/0"), own: { networks: ["10.0.0.0/8"], except: ["10.1.0.0/16"] } }],
    ],
    [
      "all but networks",
      { notNets: ["2001:db8::/32"] },
      true,
      [{ ...ofFamily("::/0"), own: { networks: ["::/0"], except: ["2001:db8::/32"] } }],
    ],
    [
      "sets",
      { selector: "set == 'x'" },
      false,
      [
        { ...anything, subject: [pods(shop, inSet)] },
        { ...anything, share: "networkSets", own: { networks: ["10.1.0.0/16", "192.0.2.7/32"], except: [] } },
      ],
    ],
    [
      "sets within networks",
      { selector: "set == 'x'", nets: ["10.1.2.0/24"], notNets: ["10.1.2.128/25"] },
      false,
      [
        {
          ...ofFamily("0.0.0.0/0"),
          subject: [pods(shop, inSet)],
          own: { networks: ["10.1.2.0/24"], except: ["10.1.2.128/25"] },
        },
        {
          ...ofFamily("0.0.0.0/0"),
          share: "networkSets",
          own: { networks: ["10.1.2.0/24"], except: ["10.1.2.128/25"] },
        },
      ],
    ],
    [
      "what has no namespace",
      { selector: "set == 'y'", namespaceSelector: "global()" },
      true,
      [
        { ...anything, subject: [] },
        { ...anything, share: "networkSets", own: { networks: ["203.0.113.0/24"], except: [] } },
      ],
    ],
  ])("%s", (_, side, isGlobal, rules) => {
    expect(rulesOf({ destination: side }, { isGlobal }, ...sets)).toEqual(rules);
    expect(rulesOf({ source: side }, { isGlobal, direction: "egress" }, ...sets)).toEqual(rules);
  });

  test("is within the policy's subject", () => {
    const spec = {
      selector: "role == 'db'",
      namespaceSelector: "team == 'a'",
      ingress: [{ action: "Deny", destination: { selector: "app == 'web'" } }],
    };
    const requirement = requirements([label("app", "web"), label("role", "db")]);
    expect(compiled(gnp("p", spec)).rules.ingress.map(shortRule)).toEqual([
      { action: "deny", peers: [everybody], ports: null, subject: [pods(teamA, requirement)] },
    ]);
  });
});

describe("actions", () => {
  const source = { selector: "app == 'web'" };
  const rule = { peers: [pods(everything, web)], ports: null };
  test.each([
    ["Allow", "allow"],
    ["Deny", "deny"],
    ["Pass", "pass"],
  ])("%s", (word, action) => {
    expect(rulesOf({ action: word, source })).toEqual([{ action, ...rule }]);
  });

  test.each([
    [
      { action: "allow" },
      'error UnknownAction spec.ingress[0].action: must be one of Allow, Deny, Pass, Log, not "allow"',
    ],
    [{ action: undefined }, "error MissingField spec.ingress[0].action: this field is required"],
  ])("%j is refused", (one, told) => {
    expect(refusal(oneRule(one))).toContain(told);
  });

  const left = "only a Log with the criteria of the rule behind it is obeyed";
  test.each<[string, readonly object[], readonly (readonly [number, boolean])[], readonly number[]]>([
    [
      "before a rule of its criteria",
      [
        { action: "Log", source },
        { action: "Deny", source },
      ],
      [[1, true]],
      [],
    ],
    [
      "twice",
      [
        { action: "Log", source },
        { action: "Log", source },
        { action: "Pass", source },
      ],
      [[2, true]],
      [],
    ],
    [
      "with annotations",
      [
        { action: "Log", source, metadata: { annotations: { a: "b" } } },
        { action: "Deny", source },
      ],
      [[1, true]],
      [],
    ],
    [
      "before another",
      [{ action: "Log", source }, { action: "Deny" }, { action: "Allow", source }],
      [
        [1, false],
        [2, false],
      ],
      [0],
    ],
    [
      "last",
      [
        { action: "Deny", source },
        { action: "Log", source },
      ],
      [[0, false]],
      [1],
    ],
    [
      "behind",
      [{ action: "Allow", source }, { action: "Log" }, { action: "Deny" }],
      [
        [0, false],
        [2, true],
      ],
      [],
    ],
  ])("Log %s", (_, ingress, rules, warned) => {
    const { policy, told } = toldOf(gnp("p", { ingress }));
    expect(policy?.rules.ingress.map(({ index, logging }) => [index, logging !== null])).toEqual(rules);
    expect(told).toEqual(warned.map((at) => `warning Unsupported spec.ingress[${at}].action: ${left}`));
    for (const { logging } of policy?.rules.ingress ?? [])
      if (logging !== null) expect(logging).toEqual({ severity: "info", label: null });
  });

  test("at most 1024 rules", () => {
    const ingress = Array.from({ length: 1025 }, () => ({ action: "Allow" }));
    expect(refusal(gnp("p", { ingress }))).toEqual([
      "error TooMany spec.ingress: must have at most 1024 elements, not 1025",
    ]);
    expect(compiled(gnp("p", { ingress: ingress.slice(1) })).rules.ingress).toHaveLength(1024);
  });
});

describe("refused", () => {
  const cidr = (text: string) => `InvalidCIDR source.nets[0]: "${text}"`;
  test.each<[object, string]>([
    [{ source: { nets: ["10.0.0.1"] } }, `${cidr("10.0.0.1")} is not a network in CIDR notation`],
    [
      { source: { nets: ["10.0.0.1/8"] } },
      `${cidr("10.0.0.1/8")} has bits behind its prefix: is 10.0.0.0/8 meant?`,
    ],
    [{ source: { nets: ["10.0.0.0/33"] } }, `${cidr("10.0.0.0/33")} is not a network in CIDR notation`],
    [
      { source: { nets: ["2001:db8::1/32"] } },
      `${cidr("2001:db8::1/32")} has bits behind its prefix: is 2001:db8::/32 meant?`,
    ],
    [{ source: { nets: [10] } }, "InvalidField source.nets[0]: must be a string, not 10"],
    [{ source: { notNets: ["0.0.0.0/0"] } }, "InvalidCIDR source.notNets[0]: must not be every address"],
    [{ source: { notNets: ["::/0"] } }, "InvalidCIDR source.notNets[0]: must not be every address"],
    [{ source: 1 }, "InvalidField source: must be an object, not 1"],
    [{ source: { selector: "app" } }, "InvalidSelector source.selector: "],
    [{ source: { notSelector: "global()" } }, "InvalidSelector source.notSelector: must not have global()"],
    [{ source: { selector: "global()" } }, "InvalidSelector source.selector: must not have global()"],
    [
      { source: { namespaceSelector: "global() || team == 'a'" } },
      "InvalidSelector source.namespaceSelector: global() must be alone",
    ],
    [{ source: { serviceAccounts: { selector: "(" } } }, "InvalidSelector source.serviceAccounts.selector: "],
    [
      { source: { serviceAccounts: { names: ["A"] } } },
      'InvalidName source.serviceAccounts.names[0]: "A" is not a name of a service account',
    ],
    [{ source: { serviceAccounts: "a" } }, 'InvalidField source.serviceAccounts: must be an object, not "a"'],
  ])("%j", (rule, said) => {
    const [code = "", ...rest] = said.split(" ");
    const start = `error ${code} spec.ingress[0].${rest.join(" ")}`;
    expect(refusal(oneRule(rule))).toEqual([expect.stringContaining(start)]);
  });

  test.each([
    [{ source: { nets: ["10.0.0.0/8"] }, destination: { nets: ["2001:db8::/32"] } }],
    [{ source: { nets: ["10.0.0.0/8"], notNets: ["2001:db8::/32"] } }],
    [{ ipVersion: 6, destination: { notNets: ["10.0.0.0/8"] } }],
  ])("two families: %j", (rule) => {
    expect(refusal(oneRule(rule))).toEqual([
      "error InvalidCIDR spec.ingress[0]: must not be about IPv4 and IPv6: its networks, and its ipVersion, are of one family",
    ]);
  });

  test("more than 256 networks", () => {
    const nets = Array.from({ length: 257 }, (_, at) => `10.${at % 256}.${Math.floor(at / 256)}.0/24`);
    expect(refusal(oneRule({ source: { nets } }))).toEqual([
      "error TooMany spec.ingress[0].source.nets: must have at most 256 elements, not 257",
    ]);
  });
});

describe("what this program cannot follow", () => {
  test.each<[string, object, "ingress" | "egress", string]>([
    [
      "http",
      { http: { methods: ["GET"] } },
      "ingress",
      "Unsupported spec.ingress[0].http: the content of connections is not inspected here",
    ],
    [
      "http over TCP",
      { protocol: "TCP", http: {} },
      "ingress",
      "Unsupported spec.ingress[0].http: the content of connections is not inspected here",
    ],
    [
      "domains",
      { destination: { domains: ["example.com"] } },
      "egress",
      "Unsupported spec.egress[0].destination.domains: names of domains are not resolved here",
    ],
    [
      "a field of a rule",
      { weight: 1 },
      "ingress",
      "UnknownField spec.ingress[0].weight: this field is not known here",
    ],
    [
      "a field of a side",
      { source: { weight: 1 } },
      "ingress",
      "UnknownField spec.ingress[0].source.weight: this field is not known here",
    ],
    [
      "a field of accounts",
      { source: { serviceAccounts: { names: ["a"], weight: 1 } } },
      "ingress",
      "UnknownField spec.ingress[0].source.serviceAccounts.weight: this field is not known here",
    ],
  ])("%s", (_, rule, direction, said) => {
    const { policy, told } = toldOf(oneRule(rule, direction));
    expect(told).toEqual([`error ${said}`]);
    expect(policy?.rules[direction].map(shortRule)).toEqual([{ action: "allow", peers: [], ports: null }]);
    expect(policy?.unmatched[direction]).toBe("deny");
  });

  test("a Log with such a field is left out, and a Deny denies all that its subject gets", () => {
    const { policy } = toldOf(
      gnp("p", {
        ingress: [
          { action: "Log", weight: 1 },
          { action: "Deny", weight: 1, destination: { selector: "app == 'web'" } },
        ],
      }),
    );
    expect(policy?.rules.ingress.map(shortRule)).toEqual([
      { action: "deny", peers: [everybody], ports: null },
    ]);
  });

  test.each<[object, "ingress" | "egress", string]>([
    [{ http: {}, action: "Deny" }, "ingress", "http: must only be in an ingress rule that allows"],
    [{ http: {} }, "egress", "http: must only be in an ingress rule that allows"],
    [{ http: {}, protocol: "UDP" }, "ingress", "protocol: must be TCP beside http"],
    [
      { source: { domains: ["a.b"] } },
      "ingress",
      "source.domains: must only be the destination of an egress rule that allows",
    ],
    [
      { action: "Deny", destination: { domains: ["a.b"] } },
      "egress",
      "destination.domains: must only be the destination of an egress rule that allows",
    ],
    [
      { destination: { domains: ["a.b"], nets: ["10.0.0.0/8"] } },
      "egress",
      "destination.domains: must not be beside nets or selector",
    ],
  ])("%j is refused", (rule, direction, said) => {
    expect(refusal(oneRule(rule, direction))).toContain(`error InvalidField spec.${direction}[0].${said}`);
  });

  test("a network of a set that is none", () => {
    const { policy, told } = toldOf(
      oneRule({ source: { selector: "set == 'x'" } }),
      globalSet("s", { set: "x" }, ["10.0.0.0/8", "x"]),
    );
    expect(told).toEqual([
      'error InvalidCIDR spec.ingress[0].source: GlobalNetworkSet s: spec.nets[1]: "x" is not an address or a network',
    ]);
    expect(policy?.rules.ingress).toMatchObject([{ action: "allow", peers: [] }]);
  });
});

test("a rule of the own namespace asks for nothing of others", () => {
  const selector = "projectcalico.org/namespace == 'bank' || set == 'x'";
  const peers = [pods(shop, inSet), network("10.1.0.0/16"), network("192.0.2.7/32")];
  expect(rulesOf({ source: { selector } }, own, ...sets)).toEqual([{ action: "allow", peers, ports: null }]);
});

test("a selector of the pod's namespace selects namespaces", () => {
  const selector = "projectcalico.org/namespace == 'bank' && set == 'x'";
  const peers = [pods(bank, inSet), network("10.2.0.0/16")];
  expect(rulesOf({ source: { selector } }, {}, ...sets)).toEqual([{ action: "allow", peers, ports: null }]);
});

test("labels that Calico inherits are refused", () => {
  expect(refusal(oneRule({ source: { selector: "pcns.team == 'a'" } }))).toEqual([
    "error Unsupported spec.ingress[0].source.selector: labels that begin with pcns. or pcsa. are not supported",
  ]);
});
