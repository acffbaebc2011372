// The definitions of Calico's kinds that we bring, on a real API server: they have the names and scopes of Calico's, prune no field
// of a policy, take what the API's documentation allows and refuse what no policy may say. Calico's own definitions are not
// compared with them by this test.

import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { patience } from "../support/patience.ts";
import { established } from "./crds.ts";
import { describeWithControlPlane } from "./support.ts";

const crds = fileURLToPath(new URL("../../manifests/crds/calico", import.meta.url));
const create = ["create", "--validate=strict", "--dry-run=server", "-o", "json", "-f", "-"];

/** Of a CustomResourceDefinition, what users see of it. */
interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames?: readonly string[];
    };
    readonly scope: string;
    readonly versions: readonly { readonly name: string }[];
  };
}

const kinds = [
  ["globalnetworkpolicies", "GlobalNetworkPolicy", "Cluster", ["gnp", "cgnp"]],
  ["globalnetworksets", "GlobalNetworkSet", "Cluster", ["gns"]],
  ["networkpolicies", "NetworkPolicy", "Namespaced", ["caliconetworkpolicy"]],
  ["networksets", "NetworkSet", "Namespaced", ["netset", "netsets"]],
  ["stagedglobalnetworkpolicies", "StagedGlobalNetworkPolicy", "Cluster", ["sgnp"]],
  ["stagedkubernetesnetworkpolicies", "StagedKubernetesNetworkPolicy", "Namespaced", ["sknp"]],
  ["stagednetworkpolicies", "StagedNetworkPolicy", "Namespaced", ["snp", "scnp"]],
  ["tiers", "Tier", "Cluster", undefined],
] as const;

/** Every field that the API has in a rule, but those that exclude one another. */
const rule = {
  action: "Allow",
  ipVersion: 4,
  protocol: "TCP",
  notProtocol: 17,
  icmp: { type: 8, code: 0 },
  notICMP: { type: 254, code: 255 },
  source: {
    nets: ["10.0.0.0/8"],
    notNets: ["10.1.0.0/16"],
    selector: "app == 'a'",
    notSelector: "has(b)",
    namespaceSelector: "all()",
    serviceAccounts: { names: ["robot"], selector: "role == 'x'" },
    ports: [80, "81", "8000:9000", "http"],
    notPorts: [65535, "a_b.c-d"],
  },
  destination: { services: { name: "s", namespace: "n" }, domains: ["*.example.com"] },
  http: { methods: ["GET"], paths: [{ exact: "/a" }, { prefix: "/b" }] },
  metadata: { annotations: { a: "b" } },
};
const policy = {
  ...{
    tier: "ops",
    order: -1.5,
    selector: "all()",
    serviceAccountSelector: "has(x)",
    types: ["Ingress", "Egress"],
  },
  ...{ ingress: [rule], egress: [rule, { action: "Log" }, { action: "Pass" }, { action: "Deny" }] },
  performanceHints: ["AssumeNeededOnEveryNode"],
};
const ofNodes = { namespaceSelector: "global()", doNotTrack: true, preDNAT: false, applyOnForward: true };
const specs: readonly (readonly [kind: string, spec: object])[] = [
  ["NetworkPolicy", policy],
  ["GlobalNetworkPolicy", { ...policy, ...ofNodes }],
  ["StagedNetworkPolicy", { stagedAction: "Set", ...policy }],
  ["StagedGlobalNetworkPolicy", { stagedAction: "Delete", ...policy, ...ofNodes }],
  [
    "StagedKubernetesNetworkPolicy",
    {
      ...{ stagedAction: "Learn", podSelector: { matchLabels: { a: "b" } }, policyTypes: ["Ingress"] },
      ingress: [
        { from: [{ podSelector: {}, namespaceSelector: {} }], ports: [{ port: "http", protocol: "TCP" }] },
      ],
      egress: [
        {
          to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
          ports: [{ port: 1, endPort: 2 }],
        },
      ],
    },
  ],
  ["Tier", { order: 0.25, defaultAction: "Pass" }],
  ["NetworkSet", { nets: ["10.0.0.1", "fd00::/8"], allowedEgressDomains: ["a.example"] }],
  ["GlobalNetworkSet", { nets: ["10.0.0.1/8"] }],
];

await describeWithControlPlane("the definitions of Calico's kinds", (plane) => {
  beforeAll(async () => {
    await plane().kubectl(["create", "-k", crds]);
    await established(
      plane(),
      kinds.map(([plural]) => `crd/${plural}.projectcalico.org`),
    );
  }, patience(60_000));

  /** What the server would store of the spec. */
  const stored = async (kind: string, spec: object, name = "p"): Promise<unknown> => {
    const object = {
      apiVersion: "projectcalico.org/v3",
      kind,
      metadata: { name, namespace: "default" },
      spec,
    };
    const isNamespaced = kinds.some(([, one, scope]) => one === kind && scope === "Namespaced");
    const metadata = isNamespaced ? object.metadata : { name };
    const said = await plane().kubectl(create, { input: JSON.stringify({ ...object, metadata }) });
    return (JSON.parse(said) as { readonly spec: unknown }).spec;
  };

  test("have the kinds, scopes, short names and the version of Calico's, but the short name of another API's policies", async () => {
    const { items } = JSON.parse(await plane().kubectl(["get", "crd", "-o", "json"])) as {
      readonly items: readonly Definition[];
    };
    expect(
      items.map(({ spec: { names, scope } }) => [names.plural, names.kind, scope, names.shortNames]),
    ).toEqual(kinds);
    expect(items.map(({ metadata, spec }) => [metadata.name, spec.versions.map(({ name }) => name)])).toEqual(
      kinds.map(([plural]) => [`${plural}.projectcalico.org`, ["v3"]]),
    );
    expect(JSON.stringify(items)).not.toContain('"cnp"');
  });

  test.each(specs)("take a %s with every field that its API has", async (kind, spec) => {
    await expect(stored(kind, spec)).resolves.toEqual(spec);
    await expect(stored(kind, {})).resolves.toEqual({});
  });

  // Pruned, it would leave an Allow that is wider than it was written.
  test.each(["NetworkPolicy", "GlobalNetworkPolicy", "StagedNetworkPolicy", "StagedGlobalNetworkPolicy"])(
    "keep every unknown field of a %s",
    async (kind) => {
      const more = { unheard: { of: ["x"] } };
      const odd = {
        ...{ ...policy, ...more },
        ingress: [
          {
            ...{ ...rule, ...more, icmp: { ...rule.icmp, ...more }, http: { ...rule.http, ...more } },
            source: { ...rule.source, ...more, serviceAccounts: { names: ["a"], ...more } },
            destination: { ...more, services: { name: "s", ...more } },
          },
        ],
      };
      await expect(stored(kind, odd)).resolves.toEqual(odd);
    },
  );

  const withRule = (more: object) => ({ ingress: [{ action: "Allow", ...more }] });
  // prettier-ignore
  const refused: readonly (readonly [field: string, kind: string, spec: object])[] = [
    ["spec.types[0]", "NetworkPolicy", { types: ["ingress"] }],
    ["spec.types", "NetworkPolicy", { types: [] }],
    ["spec.types[1]", "NetworkPolicy", { types: ["Ingress", "Ingress"] }],
    ["spec.order", "NetworkPolicy", { order: "5" }],
    ["spec.selector", "NetworkPolicy", { selector: "a".repeat(1025) }],
    ["spec.performanceHints[0]", "GlobalNetworkPolicy", { performanceHints: ["x"] }],
    ["spec.ingress", "NetworkPolicy", { ingress: new Array(1025).fill({ action: "Allow" }) }],
    ["spec.ingress[0].action", "NetworkPolicy", { ingress: [{}] }],
    ["spec.ingress[0].action", "NetworkPolicy", withRule({ action: "allow" })],
    ["spec.ingress[0].ipVersion", "NetworkPolicy", withRule({ ipVersion: 5 })],
    ["spec.ingress[0].protocol", "NetworkPolicy", withRule({ protocol: "tcp" })],
    ["spec.ingress[0].protocol", "NetworkPolicy", withRule({ protocol: 0 })],
    ["spec.ingress[0].protocol", "NetworkPolicy", withRule({ protocol: 256 })],
    ["spec.ingress[0].notProtocol", "NetworkPolicy", withRule({ notProtocol: "0" })],
    ["spec.ingress[0].icmp.type", "NetworkPolicy", withRule({ icmp: { type: 255 } })],
    ["spec.ingress[0].notICMP.code", "NetworkPolicy", withRule({ notICMP: { type: 1, code: 256 } })],
    ["spec.ingress[0].source.nets", "NetworkPolicy", withRule({ source: { nets: new Array(257).fill("10.0.0.0/8") } })],
    ["spec.ingress[0].source.ports", "NetworkPolicy", withRule({ source: { ports: new Array(51).fill(1) } })],
    ["spec.ingress[0].source.ports[0]", "NetworkPolicy", withRule({ source: { ports: [0] } })],
    ["spec.ingress[0].source.ports[0]", "NetworkPolicy", withRule({ source: { ports: ["a b"] } })],
    ["spec.ingress[0].destination.notPorts[0]", "NetworkPolicy", withRule({ destination: { notPorts: [65536] } })],
    ["spec.defaultAction", "Tier", { defaultAction: "Allow" }],
    ["spec.stagedAction", "StagedNetworkPolicy", { stagedAction: "set" }],
  ];
  test.each(refused)("refuse %s of a %s: %j", async (field, kind, spec) => {
    await expect(stored(kind, spec)).rejects.toThrow(field);
  });

  test("keep the status that Calico gives a Tier", async () => {
    const tier = {
      apiVersion: "projectcalico.org/v3",
      kind: "Tier",
      metadata: { name: "ops" },
      spec: { order: 1 },
    };
    await plane().kubectl(["create", "-f", "-"], { input: JSON.stringify(tier) });
    const conditions = [{ type: "Ready", status: "True", reason: "R", message: "m" }];
    const status = JSON.stringify({ status: { conditions } });
    await plane().kubectl(["patch", "tiers/ops", "--subresource=status", "--type=merge", "-p", status]);
    const said = JSON.parse(await plane().kubectl(["get", "tiers/ops", "-o", "json"])) as {
      readonly status: unknown;
    };
    expect(said.status).toEqual({ conditions });
  });

  test("are not replaced where they are", async () => {
    await expect(plane().kubectl(["create", "-k", crds])).rejects.toThrow("AlreadyExists");
  });
});
