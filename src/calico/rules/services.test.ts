// Table tests of `services`: the ports and addresses of a Service's EndpointSlices, and where it may stand.

import { describe, expect, test } from "@jest/globals";
import { endpointSlice, networkSet } from "../../../test/support/calico.ts";
import { oneRule, refusal, rulesOf, shortRule, toldOf } from "../../../test/support/calico-compiled.ts";

const services = { name: "web", namespace: "shop" };
const network = (cidr: string) => ({ kind: "network", cidr, except: [] });
const port = (protocol: string, number: number, source?: object) => ({
  ...{ kind: "port", protocol, port: number },
  ...(source === undefined ? {} : { source }),
});
const slices = [
  endpointSlice("web-a", "web", [["10.0.0.2", "10.0.0.1"]], [{ port: 80 }, { port: 53, protocol: "UDP" }]),
  endpointSlice("web-b", "web", [["10.0.0.1"], ["10.0.0.3"]], [{ port: 80, protocol: "TCP" }]),
  endpointSlice("web-six", "web", [["fd00::1"]], [{ port: 80 }]),
  endpointSlice("other", "other", [["10.0.0.9"]], [{ port: 80 }]),
  endpointSlice("web-a", "web", [["10.0.0.8"]], [{ port: 80 }], "bank"),
];
const [one, two, three] = [network("10.0.0.1/32"), network("10.0.0.2/32"), network("10.0.0.3/32")];
const six = network("fd00::1/128");
const tcp = { action: "allow", peers: [one, two, three, six], ports: [port("tcp", 80)], share: "tcp 80" };
const udp = { action: "allow", peers: [one, two], ports: [port("udp", 53)], share: "udp 53" };
const nothing = { action: "allow", peers: [], ports: null };
const egress = { direction: "egress" } as const;

describe("the destination of an egress rule", () => {
  test.each<[string, object, readonly object[]]>([
    ["every port of the slices, with its addresses", {}, [tcp, udp]],
    ["of one protocol", { protocol: "UDP" }, [udp]],
    ["of all but one", { notProtocol: "UDP" }, [tcp]],
    ["of one that has none of the ports", { protocol: "SCTP" }, [nothing]],
    ["of one without ports", { protocol: "ICMP" }, [nothing]],
    ["of one by its number", { protocol: 47 }, [nothing]],
    ["of one family", { ipVersion: 6 }, [{ ...tcp, peers: [{ ...six }] }]],
    [
      "of one family, by the networks of the other side",
      { source: { nets: ["fd00::/16"] } },
      [{ ...tcp, peers: [six], own: { networks: ["fd00::/16"], except: [] } }],
    ],
    [
      "from source ports",
      { protocol: "UDP", source: { ports: ["5000:5001", 6000] } },
      [
        {
          ...udp,
          ports: [port("udp", 53, { start: 5000, end: 5001 }), port("udp", 53, { start: 6000, end: 6000 })],
        },
      ],
    ],
  ])("%s", (_, rule, expected) => {
    expect(rulesOf({ destination: { services }, ...rule }, egress, ...slices)).toEqual(expected);
  });

  test("in a NetworkPolicy, of its own namespace unless told", () => {
    const asked = { ...egress, isGlobal: false };
    const expected = rulesOf({ destination: { services } }, egress, ...slices);
    expect(rulesOf({ destination: { services: { name: "web" } } }, asked, ...slices)).toEqual(expected);
    expect(rulesOf({ destination: { services: { name: "web", namespace: "" } } }, asked, ...slices)).toEqual(
      expected,
    );
  });

  test("each part for pods and for networks of the own side", () => {
    const set = networkSet("nets", { set: "x" }, ["10.9.0.0/16"]);
    const rules = rulesOf(
      { source: { selector: "set == 'x'" }, destination: { services } },
      egress,
      ...slices,
      set,
    );
    expect(rules).toMatchObject([
      { share: "tcp 80" },
      { share: "udp 53" },
      { share: "networkSets tcp 80", own: { networks: ["10.9.0.0/16"] } },
      { share: "networkSets udp 53", own: { networks: ["10.9.0.0/16"] } },
    ]);
  });
});

describe("the source of an ingress rule", () => {
  test.each<[string, object, object]>([
    ["every address, at any port", {}, { peers: [one, two, three, six], ports: null }],
    [
      "beside the ports of either side",
      { protocol: "TCP", source: { services, ports: [5000] }, destination: { ports: [80] } },
      { peers: [one, two, three, six], ports: [port("tcp", 80, { start: 5000, end: 5000 })] },
    ],
    ["of one family", { ipVersion: 4 }, { peers: [one, two, three], ports: null }],
  ])("%s", (_, rule, expected) => {
    expect(rulesOf({ source: { services }, ...rule }, {}, ...slices)).toEqual([
      { action: "allow", ...expected },
    ]);
  });
});

describe("nothing is matched", () => {
  test.each(["Allow", "Deny"])("without slices, by %s either", (action) => {
    const { policy, told } = toldOf(oneRule({ action, destination: { services } }, "egress"));
    expect(told).toEqual([
      "warning MissingReference spec.egress[0].destination.services: there is no EndpointSlice of Service shop/web, so this matches nothing",
    ]);
    expect(policy?.rules.egress).toMatchObject([{ action: action.toLowerCase(), peers: [] }]);
  });

  test.each<[string, readonly string[][], readonly object[]]>([
    ["without endpoints", [], [{ port: 80 }]],
    ["without ports, of an egress rule", [["10.0.0.1"]], []],
    ["where a port has no number", [["10.0.0.1"]], [{ name: "any", protocol: "TCP" }]],
  ])("%s", (_, endpoints, ports) => {
    const empty = endpointSlice("web-a", "web", endpoints, ports);
    expect(rulesOf({ destination: { services } }, egress, empty)).toEqual([nothing]);
  });

  test("without endpoints, of an ingress rule", () => {
    const empty = endpointSlice("web-a", "web", [], [{ port: 80 }]);
    expect(rulesOf({ source: { services } }, {}, empty)).toEqual([nothing]);
  });
});

test("a slice that cannot be read closes the rule", () => {
  const broken = endpointSlice("broken", "web", [["10.0.0"]], [{ port: 80 }]);
  const { policy, told } = toldOf(
    oneRule({ action: "Deny", destination: { services } }, "egress"),
    ...[...slices, broken],
  );
  expect(told).toEqual([
    "error Unsupported spec.egress[0].destination.services: EndpointSlice shop/broken cannot be read",
  ]);
  expect(policy?.rules.egress.map(shortRule)).toEqual([
    { action: "deny", peers: [{ kind: "everything" }], ports: null },
  ]);
});

test("an unknown field closes the rule", () => {
  const { told } = toldOf(oneRule({ source: { services: { ...services, port: 80 } } }), ...slices);
  expect(told).toEqual([
    "error UnknownField spec.ingress[0].source.services.port: this field is not known here",
  ]);
});

describe("refused", () => {
  const place = "must only be the destination of an egress rule or the source of an ingress rule";
  test.each<[object, string]>([
    [{ source: { services } }, `source.services: ${place}`],
    [
      { destination: { services: { name: "web" } } },
      "destination.services: must have a namespace in a GlobalNetworkPolicy",
    ],
    [
      { destination: { services: { namespace: "shop" } } },
      "destination.services.name: this field is required",
    ],
    [
      { protocol: "TCP", destination: { services, ports: [80] } },
      "destination.services: must not be beside ports",
    ],
    [
      { protocol: "TCP", destination: { services, notPorts: [80] } },
      "destination.services: must not be beside notPorts",
    ],
    ...(["selector", "notSelector", "namespaceSelector"] as const).map((name): [object, string] => [
      { destination: { services, [name]: "all()" } },
      `destination.services: must not be beside ${name}`,
    ]),
    [{ destination: { services, nets: ["10.0.0.0/8"] } }, "destination.services: must not be beside nets"],
    [
      { destination: { services, notNets: ["10.0.0.0/8"] } },
      "destination.services: must not be beside notNets",
    ],
    [
      { destination: { services, serviceAccounts: { names: ["a"] } } },
      "destination.services: must not be beside serviceAccounts",
    ],
  ])("%j is refused", (rule, said) => {
    expect(refusal(oneRule(rule, "egress"))).toContainEqual(
      expect.stringMatching(new RegExp(`spec\\.egress\\[0\\]\\.${said.replaceAll(".", "\\.")}`)),
    );
  });
});
