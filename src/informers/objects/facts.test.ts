// What each kind's parser makes of an API object: the fact, or the problems with their paths.

import { describe, expect, test } from "@jest/globals";
import { parseNamespace } from "./namespace.ts";
import { parseNode } from "./node.ts";
import type { Parsed } from "./object.ts";
import { keyOf } from "../../model/object.ts";
import { parsePolicyObject, parseReferencedObject } from "./object.ts";
import { parsePod, parseWholePod } from "./pod.ts";

const lines = ({ problems }: Parsed<unknown>) =>
  problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`);

const pod = (more: { metadata?: object; spec?: object; status?: object } = {}) => ({
  metadata: { name: "a", namespace: "web", ...more.metadata },
  spec: { nodeName: "ovn-worker", ...more.spec },
  status: { phase: "Running", podIPs: [{ ip: "10.244.1.3" }], ...more.status },
});
const podIps = (status: object, metadata: object = {}) =>
  parsePod(pod({ status: { podIPs: [], ...status }, metadata }));
const networks = (text: string) => ({ annotations: { "k8s.ovn.org/pod-networks": text } });

describe("a pod", () => {
  test("as a fact", () => {
    const ports = [{ name: "scrape", containerPort: 8080 }, { containerPort: 9 }];
    const dns = [{ name: "dns", containerPort: 5353, protocol: "UDP" }];
    const value = pod({
      metadata: { labels: { app: "dns", "x.io/y": "" } },
      spec: { hostNetwork: true, containers: [{ ports }, {}, { ports: dns }] },
      status: { phase: "Failed", podIPs: [{ ip: "10.244.1.3" }, { ip: "FD00::0:1" }, { ip: "10.244.1.3" }] },
    });
    const { object, problems } = parsePod(value);
    expect(problems).toEqual([]);
    expect(object).toEqual({
      kind: "Pod",
      namespace: "web",
      name: "a",
      labels: new Map([
        ["app", "dns"],
        ["x.io/y", ""],
      ]),
      node: "ovn-worker",
      serviceAccount: "default",
      hostNetwork: true,
      completed: true,
      ips: ["10.244.1.3", "fd00::1"],
      ports: [
        { name: "scrape", protocol: "tcp", port: 8080 },
        { name: "dns", protocol: "udp", port: 5353 },
      ],
    });
    expect(keyOf(object!)).toBe("Pod/web/a");
  });

  test("with nothing but a name", () => {
    expect(parsePod({ metadata: { name: "a" } }).object).toEqual({
      kind: "Pod",
      namespace: "default",
      name: "a",
      labels: new Map(),
      node: null,
      serviceAccount: "default",
      hostNetwork: false,
      completed: false,
      ips: [],
      ports: [],
    });
  });

  test.each([
    [
      "podIPs before all else",
      { podIPs: [{ ip: "1.1.1.1" }], podIP: "2.2.2.2" },
      '{"default":{"ip_address":"3.3.3.3/24"}}',
      ["1.1.1.1"],
    ],
    [
      "then the annotation",
      { podIP: "2.2.2.2" },
      '{"default":{"ip_addresses":["3.3.3.3/24","fd00::3/64"],"ip_address":"3.3.3.3/24"}}',
      ["3.3.3.3", "fd00::3"],
    ],
    ["its single address", {}, '{"default":{"ip_address":"3.3.3.3/24"}}', ["3.3.3.3"]],
    ["then podIP", { podIP: "2.2.2.2" }, '{"default":{}}', ["2.2.2.2"]],
    ["no address yet", { podIP: "", podIPs: [{}, { ip: "" }] }, undefined, []],
  ])("addresses: %s", (_, status, annotation, ips) => {
    const result = podIps(status, annotation === undefined ? {} : networks(annotation));
    expect(lines(result)).toEqual([]);
    expect(result.object?.ips).toEqual(ips);
  });

  test.each(["{", "[]", '{"default":5}', '{"default":{"ip_addresses":["3.3.3.3/24","x"]}}'])(
    "a malformed annotation %s is ignored with a warning",
    (text) => {
      const result = podIps({ podIP: "2.2.2.2" }, networks(text));
      expect(result.object?.ips).toEqual(["2.2.2.2"]);
      expect(lines(result)[0]).toMatch(
        /^warning InvalidField metadata.annotations\["k8s.ovn.org\/pod-networks"\]: /,
      );
    },
  );

  test.each([
    [
      pod({ status: { podIPs: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4 || 1" }] } }),
      'InvalidAddress status.podIPs[1].ip: "1.2.3.4 || 1" is not an IP address',
    ],
    [
      pod({ status: { podIPs: null, podIP: '"1' } }),
      'InvalidAddress status.podIP: "\\"1" is not an IP address',
    ],
    [
      pod({ metadata: { labels: { 'a"b': "c" } } }),
      'InvalidField metadata.labels["a\\"b"]: the key is not a valid label key',
    ],
    [
      pod({ metadata: { labels: { a: "b && c" } } }),
      'InvalidField metadata.labels.a: "b && c" is not a valid label value',
    ],
    [pod({ metadata: { labels: { a: 1 } } }), "InvalidField metadata.labels.a: must be a string, not 1"],
    [pod({ metadata: { name: "A b" } }), 'InvalidName metadata.name: "A b" is not a valid name'],
    [
      pod({ metadata: { namespace: "a.b" } }),
      'InvalidName metadata.namespace: "a.b" is not a valid name of a namespace',
    ],
    [pod({ spec: { nodeName: "x y" } }), 'InvalidName spec.nodeName: "x y" is not a valid name'],
    [
      pod({ spec: { hostNetwork: "yes" } }),
      'InvalidField spec.hostNetwork: must be true or false, not "yes"',
    ],
    [{}, "MissingField metadata.name: this field is required"],
    ["Pod", 'InvalidField : must be an object, not "Pod"'],
  ])("refused: %#", (value, line) => {
    const result = parsePod(value);
    expect(result.object).toBeNull();
    expect(lines(result)).toContain(`error ${line}`);
  });

  test.each([
    [
      { name: "Bad Name", containerPort: 1 },
      'InvalidField spec.containers[0].ports[0].name: "Bad Name" is not a port name',
    ],
    [
      { name: "web", containerPort: 0 },
      "InvalidField spec.containers[0].ports[0].containerPort: 0 is not an integer from 1 to 65535",
    ],
    [
      { name: "web", containerPort: 1, protocol: "tcp" },
      'UnknownProtocol spec.containers[0].ports[0].protocol: "tcp" is not TCP, UDP or SCTP',
    ],
  ])("a named port left out: %#", (port, line) => {
    const result = parsePod(
      pod({ spec: { containers: [{ ports: [port, { name: "ok", containerPort: 2 }] }] } }),
    );
    expect(result.object?.ports).toEqual([{ name: "ok", protocol: "tcp", port: 2 }]);
    expect(lines(result)).toEqual([`warning ${line}, so this port is left out`]);
  });
});

describe("named ports of init containers", () => {
  const container = (name: string, restartPolicy?: string) => ({
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ports: [{ name, containerPort: 9000 }],
  });

  test("count where the container is a sidecar, after those of the containers", () => {
    const initContainers = [
      container("early"),
      container("proxy", "Always"),
      container("retried", "OnFailure"),
    ];
    const { object, problems } = parsePod(pod({ spec: { containers: [container("web")], initContainers } }));
    expect(problems).toEqual([]);
    expect(object?.ports.map(({ name }) => name)).toEqual(["web", "proxy"]);
  });

  test("one left out is named by its field", () => {
    const spec = { containers: [{}], initContainers: [container("early"), container("Bad Name", "Always")] };
    expect(lines(parsePod(pod({ spec })))).toEqual([
      'warning InvalidField spec.initContainers[1].ports[0].name: "Bad Name" is not a port name, so this port is left out',
    ]);
  });
});

describe("whether a pod mounts a token", () => {
  const projected = (...sources: object[]) => [{ name: "v", projected: { sources } }];
  // prettier-ignore
  const cases: [string, object, boolean][] = [
    ["as the API server adds it", { volumes: projected({ serviceAccountToken: { path: "token" } }, { configMap: {} }) }, true],
    ["though the common one is declined", { automountServiceAccountToken: false, volumes: projected({ serviceAccountToken: {} }) }, true],
    ["by a manifest that asks for it", { automountServiceAccountToken: true }, true],
    ["by one that declines it", { automountServiceAccountToken: false }, false],
    ["with another volume", { volumes: projected({ configMap: {} }) }, false],
    ["with nonsense for volumes", { volumes: [7, { projected: [] }] }, false],
  ];
  test.each(cases)("%s", (_, spec, expected) => {
    const value = { metadata: { name: "a" }, spec };
    expect(parseWholePod(value).object?.mountsToken).toBe(expected);
    // The controller holds nothing of it.
    expect(Object.keys(parsePod(value).object ?? {})).not.toContain("mountsToken");
  });

  test("is not asked of a pod that is refused", () => {
    expect(parseWholePod({ metadata: {} })).toEqual(parsePod({ metadata: {} }));
  });
});

describe("what controls a pod", () => {
  const owned = (...ownerReferences: unknown[]) => ({ metadata: { name: "a", ownerReferences }, spec: {} });
  const set = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", controller: true };

  test("is its owner that is a controller", () => {
    const value = owned({ kind: "Other", name: "x" }, set);
    expect(parseWholePod(value).object?.owner).toEqual({ group: "apps", kind: "ReplicaSet", name: "web-1" });
    // The controller holds nothing of it.
    expect(Object.keys(parsePod(value).object ?? {})).not.toContain("owner");
  });

  test.each([[owned()], [owned({ ...set, name: 7 })], [owned(7)]])("is nothing: %#", (value) => {
    expect(parseWholePod(value).object).toEqual({ ...parsePod(value).object, mountsToken: false });
  });
});

describe("a namespace", () => {
  test("always carries its own name as a label", () => {
    const labels = { tenant: "open", "kubernetes.io/metadata.name": "other" };
    expect(parseNamespace({ metadata: { name: "open", labels } }).object).toEqual({
      kind: "Namespace",
      name: "open",
      labels: new Map([
        ["tenant", "open"],
        ["kubernetes.io/metadata.name", "open"],
      ]),
    });
  });
});

test("a namespace's annotation about logging is carried as it is", () => {
  const logging = (annotations: unknown) =>
    parseNamespace({ metadata: { name: "a", annotations } }).object?.logging;
  expect(logging({ "k8s.ovn.org/acl-logging": "loud" })).toBe("loud");
  expect(logging({ "k8s.ovn.org/acl-logging": "" })).toBeUndefined();
  expect(logging({ "k8s.ovn.org/acl-logging": 5 })).toBeUndefined();
  expect(logging(undefined)).toBeUndefined();
});

describe("a node's addresses", () => {
  const addresses = [
    { type: "InternalIP", address: "172.18.0.3" },
    { type: "Hostname", address: "ovn-worker" },
    { type: "ExternalIP", address: "fd00::3" },
  ];
  const node = (text: string | undefined, list: unknown = addresses) =>
    parseNode({
      metadata: { name: "n", annotations: text === undefined ? {} : { "k8s.ovn.org/host-cidrs": text } },
      status: { addresses: list },
    });

  test.each([
    ['["172.18.0.3/16","FC00:F853:CCD:E793::3/64","172.18.0.3/32"]', ["172.18.0.3", "fc00:f853:ccd:e793::3"]],
    ["[]", []],
    [undefined, ["172.18.0.3", "fd00::3"]],
  ])("%s", (text, ips) => {
    expect(lines(node(text))).toEqual([]);
    expect(node(text).object?.ips).toEqual(ips);
  });

  test.each(["{}", "[5]", '["1.2.3.4"]', '["1.2.3.4/99"]', "nonsense"])("malformed: %s", (text) => {
    expect(node(text).object?.ips).toEqual(["172.18.0.3", "fd00::3"]);
    expect(lines(node(text))).toEqual([
      `warning InvalidField metadata.annotations["k8s.ovn.org/host-cidrs"]: ${JSON.stringify(text)} is not a JSON list of CIDRs; status.addresses is used instead`,
    ]);
  });

  test("with flannel's interfaces, the first two of each pod network too", () => {
    const spec = { podCIDRs: ["10.244.1.0/24", "fd00:1::/64", "10.9.0.1/32"] };
    const { object } = parseNode({ metadata: { name: "n" }, spec, status: { addresses } }, "flannel");
    const flannel = ["10.244.1.0", "10.244.1.1", "fd00:1::", "fd00:1::1"];
    expect(object?.ips).toEqual(["172.18.0.3", "fd00::3", ...flannel]);
  });

  const onSubnets = (text: string) =>
    parseNode({ metadata: { name: "n", annotations: { "k8s.ovn.org/node-subnets": text } } });

  test.each([
    ['{"default":["10.244.1.0/24","FD00:10:244:2::/64"]}', ["10.244.1.2", "fd00:10:244:2::2"]],
    ['{"default":"10.244.1.128/25","blue":["10.9.0.0/24"]}', ["10.244.1.130"]],
    ['{"default":["10.244.1.0/31","10.244.1.4/30"]}', ["10.244.1.6"]],
  ])("the management port of %s", (text, ips) => {
    expect(lines(onSubnets(text))).toEqual([]);
    expect(onSubnets(text).object?.managementIps).toEqual(ips);
  });

  test.each(["{}", "null", "[]", "nonsense", '{"default":[5]}', '{"default":["10.244.1.0"]}'])(
    "no management port is known from %s",
    (text) => {
      expect(onSubnets(text).object).not.toHaveProperty("managementIps");
      expect(lines(onSubnets(text))).toEqual([
        `warning InvalidField metadata.annotations["k8s.ovn.org/node-subnets"]: ${JSON.stringify(text)} does not say networks; the management port has no known address`,
      ]);
    },
  );

  test("what is no address in the status is left out", () => {
    const result = node(undefined, [{ type: "InternalIP", address: "1 && 2" }]);
    expect(result.object?.ips).toEqual([]);
    expect(lines(result)).toEqual([
      'warning InvalidAddress status.addresses[0].address: "1 && 2" is not an IP address and is left out',
    ]);
  });
});

describe("the families of a node's pods", () => {
  const families = (spec: object) => parseNode({ metadata: { name: "n" }, spec });

  test.each([
    [{ podCIDRs: ["fd00::/64", "10.0.0.0/24", "10.0.1.0/24"], podCIDR: "fd00::/64" }, ["v4", "v6"]],
    [{ podCIDR: "fd00::/64" }, ["v6"]],
    [{ podCIDRs: [], podCIDR: "10.0.0.0/24" }, ["v4"]],
    [{ podCIDR: "" }, []],
    [{}, []],
  ])("%j", (spec, expected) => {
    expect(families(spec).object?.podFamilies).toEqual(expected);
    expect(lines(families(spec))).toEqual([]);
  });

  test("what is no CIDR is left out", () => {
    const result = families({ podCIDRs: ["10.0.0.0/24", "1.2.3.4"] });
    expect(result.object?.podFamilies).toEqual(["v4"]);
    expect(result.object?.podNetworks).toEqual(["10.0.0.0/24"]);
    expect(lines(result)).toEqual([
      'warning InvalidCIDR spec.podCIDRs[1]: "1.2.3.4" is not a CIDR and is left out',
    ]);
  });
});

describe("a policy object", () => {
  const kind = { group: "example.com", version: "v1", kind: "Rule", resource: "rules", namespaced: true };

  test("has its metadata checked and its spec carried", () => {
    const metadata = { name: "a.b", uid: "u", generation: 3, annotations: { x: "y" } };
    expect(parsePolicyObject({ metadata, spec: [1] }, kind).object).toEqual({
      kind: "Rule",
      apiVersion: "example.com/v1",
      namespace: "default",
      name: "a.b",
      uid: "u",
      generation: 3,
      annotations: new Map([["x", "y"]]),
      spec: [1],
    });
    const bare = parsePolicyObject({ metadata: { name: "a" } }, { ...kind, namespaced: false });
    expect(bare.object).toMatchObject({ namespace: null, uid: null, generation: null, spec: undefined });
  });

  test("has labels when policies may refer to it, in the form that labels have", () => {
    const labelled = (labels: unknown) => parseReferencedObject({ metadata: { name: "a", labels } }, kind);
    expect(labelled({ role: "db" }).object).toMatchObject({ labels: new Map([["role", "db"]]) });
    expect(labelled(undefined).object?.labels).toEqual(new Map());
    expect(labelled({ role: "d b" }).object).toBeNull();
  });

  test("refuses annotations that are not texts", () => {
    expect(lines(parsePolicyObject({ metadata: { name: "a", annotations: { x: 1 } } }, kind))).toEqual([
      "error InvalidField metadata.annotations.x: must be a string, not 1",
    ]);
  });
});
