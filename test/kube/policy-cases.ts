// What a server with the policy CRDs must accept and what it must refuse: each limit of both kinds from both sides.

import type { Case } from "./case.ts";
import {
  egress,
  everyNamespace,
  few,
  ingress,
  many,
  no,
  numbered,
  ok,
  pods,
  portOne,
  times,
  to,
} from "./case.ts";
import { portCases } from "./port-cases.ts";
import { selectorCases } from "./selector-cases.ts";

const labels = { matchLabels: { a: "b" } };
const named = (peer: unknown) =>
  egress({ to: [everyNamespace, peer], ports: [portOne, { namedPort: "web" }] });

/** For both kinds. */
export const shared: readonly Case[] = [
  ok("no rules", {}),
  ok("empty rule lists", { ingress: [], egress: [] }),
  ...selectorCases,

  ok("a subject of pods", { subject: { pods } }),
  no("no subject", { subject: undefined }, "spec.subject: Required"),
  no("an empty subject", { subject: {} }, few),
  no("two subjects", { subject: { ...everyNamespace, pods } }, "must have at most 1"),
  no("a subject of an unknown field only", { subject: { sets: {} } }, few),
  no(
    "pods without namespaceSelector",
    { subject: { pods: { podSelector: {} } } },
    "namespaceSelector: Required",
  ),
  no("pods without podSelector", { subject: { pods: { namespaceSelector: {} } } }, "podSelector: Required"),

  ok("100 rules a direction", { ...hundredRules(100) }),
  no("101 ingress rules", { ingress: hundredRules(101).ingress }, `ingress: Too many: 101: ${many(100)}`),
  no("101 egress rules", { egress: hundredRules(101).egress }, `egress: Too many: 101: ${many(100)}`),

  ok("a name of 100 characters", ingress({ name: "n".repeat(100) })),
  ok("two rules of one name", { ingress: times(2, { name: "n", action: "Deny", from: [everyNamespace] }) }),
  no("a name of 101 characters", ingress({ name: "n".repeat(101) }), "name: Too long"),
  ok("an egress name of 100 characters", egress({ name: "n".repeat(100) })),
  no("an egress name of 101 characters", egress({ name: "n".repeat(101) }), "name: Too long"),
  no("no action", ingress({ action: undefined }), "action: Required"),
  no("no egress action", egress({ action: undefined }), "action: Required"),
  no("the action of another API", egress({ action: "Accept" }), 'Unsupported value: "Accept"'),
  no("an action in small letters", ingress({ action: "allow" }), 'Unsupported value: "allow"'),

  no("no from", ingress({ from: undefined }), "from: Required"),
  no("no to", egress({ to: undefined }), "to: Required"),
  no("an empty from", ingress({ from: [] }), few),
  no("an empty to", egress({ to: [] }), few),
  ok("100 peers", ingress({ from: times(100, everyNamespace) })),
  ok("100 egress peers", egress({ to: times(100, everyNamespace) })),
  no("101 peers", ingress({ from: times(101, everyNamespace) }), many(100)),
  no("101 egress peers", egress({ to: times(101, everyNamespace) }), many(100)),
  no("an empty peer", ingress({ from: [{}] }), few),
  no("an empty egress peer", to({}), few),
  no("two fields in a peer", ingress({ from: [{ ...everyNamespace, pods }] }), "must have at most 1"),
  no("two fields in an egress peer", to({ ...everyNamespace, nodes: {} }), "must have at most 1"),
  no("networks as an ingress peer", ingress({ from: [{ networks: ["10.0.0.0/8"] }] }), few),
  no("nodes as an ingress peer", ingress({ from: [{ nodes: {} }] }), few),
  no("a peer of pods without podSelector", to({ pods: { namespaceSelector: {} } }), "podSelector: Required"),
  no("the shape before v0.1.3, cut down to a null", ingress({ from: [{ namespaces: null }] }), "from[0]"),
  ok("the shape before v0.1.3, of which nothing is left", {
    subject: { namespaces: { namespaceSelector: labels } },
  }),

  no(
    "a peer of pods without namespaceSelector",
    to({ pods: { podSelector: {} } }),
    "namespaceSelector: Required",
  ),
  no(
    "from pods without podSelector",
    ingress({ from: [{ pods: { namespaceSelector: {} } }] }),
    "podSelector: Required",
  ),
  no(
    "from pods without namespaceSelector",
    ingress({ from: [{ pods: { podSelector: {} } }] }),
    "namespaceSelector: Required",
  ),
  ok(
    "every kind of egress peer",
    egress({ to: [everyNamespace, { pods }, { nodes: labels }, { networks: ["::/0"] }] }),
  ),
  ok("all nodes", to({ nodes: {} })),
  ok("networks of both families", to({ networks: ["10.0.0.0/8", "fd00::/8", "192.0.2.1/32"] })),
  ok("a network with host bits", to({ networks: ["10.1.2.3/8"] })),
  ok("25 networks", to({ networks: numbered(25, (n) => `10.${n}.0.0/16`) })),
  no("26 networks", to({ networks: numbered(26, (n) => `10.${n}.0.0/16`) }), many(25)),
  no("no networks", to({ networks: [] }), few),
  no("one network twice", to({ networks: ["10.0.0.0/8", "10.0.0.0/8"] }), "Duplicate value"),
  no("an address without length", to({ networks: ["10.0.0.1"] }), "CIDR"),
  no("a length too great", to({ networks: ["10.0.0.0/33"] }), "CIDR"),
  no("no network at all", to({ networks: ["everywhere"] }), "CIDR"),
  ok("a network of 43 characters", to({ networks: ["2001:0db8:0000:0000:0000:0000:0000:0001/128"] })),
  no(
    "a network of 44 characters",
    to({ networks: ["2001:0db8:0000:0000:0000:0000:0000:00001/128"] }),
    "Too long",
  ),
  no("a number as a network", to({ networks: [10] }), "networks[0]"),

  ...portCases("ingress", ingress),
  ...portCases("egress", egress),
  ok("a named port to pods", named({ pods })),
  no("a named port to networks", named({ networks: ["10.0.0.0/8"] }), "namedPort"),
  no("a named port to nodes", named({ nodes: {} }), "namedPort"),
];

const domains = (...domainNames: readonly string[]) => to({ domainNames });

/** For AdminNetworkPolicy only. */
export const adminOnly: readonly Case[] = [
  ok("priority 0", { priority: 0 }),
  ok("priority 1000", { priority: 1000 }),
  no("priority -1", { priority: -1 }, "greater than or equal to 0"),
  no("priority 1001", { priority: 1001 }, "less than or equal to 1000"),
  no("priority as text", { priority: "10" }, "must be of type integer"),
  no("half a priority", { priority: 10.5 }, "must be of type integer"),
  no("no priority", { priority: undefined }, "spec.priority: Required"),
  ok("Pass", { ...ingress({ action: "Pass" }), ...egress({ action: "Pass" }) }),
  ok("domain names", domains("example.com", "*.example.com", "a-b.c_d.example.com.", "1.2")),
  ok("a domain name that begins as upstream's pattern lets it", domains("_sip.example.com", "^a.b")),
  ok("a domain name under Deny", egress({ action: "Deny", to: [{ domainNames: ["example.com"] }] })),
  ok("25 domain names", domains(...numbered(25, (n) => `h${n}.example.com`))),
  no("26 domain names", domains(...numbered(26, (n) => `h${n}.example.com`)), many(25)),
  no("no domain names", domains(), few),
  no("one domain name twice", domains("example.com", "example.com"), "Duplicate value"),
  no("a domain name of one label", domains("localhost"), "domainNames[0]"),
  no("a star alone", domains("*"), "domainNames[0]"),
  no("a star inside", domains("a.*.com"), "domainNames[0]"),
  no("a star in a label", domains("a*.example.com"), "domainNames[0]"),
  no("a label that ends in a hyphen", domains("a-.example.com"), "domainNames[0]"),
  no("a named port to domain names", named({ domainNames: ["example.com"] }), "namedPort"),
];

/** For BaselineAdminNetworkPolicy only. */
export const baselineOnly: readonly Case[] = [
  no("Pass", ingress({ action: "Pass" }), 'Unsupported value: "Pass"'),
  no("Pass out", egress({ action: "Pass" }), 'Unsupported value: "Pass"'),
  no("domain names", domains("example.com"), few),
];

function hundredRules(count: number) {
  return {
    ingress: times(count, { action: "Allow", from: [everyNamespace] }),
    egress: times(count, { action: "Deny", to: [{ networks: ["10.0.0.0/8"] }], ports: [portOne] }),
  };
}
