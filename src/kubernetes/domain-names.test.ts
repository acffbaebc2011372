// Domain names of the kinds that have them, as each flag value compiles them: peers where names are resolved, and closed rules
// everywhere else. The words of rules that stay closed are in each kind's own tables.

import { describe, expect, test } from "@jest/globals";
import { acnp } from "../../test/support/antrea.ts";
import { anp, banp, cnp, resolvesNothing } from "../../test/support/policies.ts";
import { adminNetworkPolicyWith, baselineAdminNetworkPolicy } from "../anp/index.ts";
import { antreaDialect } from "../antrea/compile.ts";
import { clusterNetworkPolicyWith } from "../cnp/index.ts";
import type { PolicyObject } from "../model/object.ts";
import { hostNamesLike } from "../model/selectors/host-names.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { NamesMode } from "../policy/contracts/names.ts";

const all = { namespaces: {} };
const network = { kind: "network", cidr: "10.0.0.0/8", except: [] };
const named = (name: string) => ({ kind: "hostNames", names: hostNamesLike(name) });

function egressOf(dialect: Dialect, object: PolicyObject) {
  const { policy, problems } = dialect.compile(object, resolvesNothing, () => null);
  const rules = policy?.rules.egress.map(({ action, peers }) => ({ action, peers }));
  return { rules, problems: problems.map((one) => `${one.severity} ${one.field}: ${one.message}`) };
}

type Kind = readonly [
  kind: string,
  dialectWith: (mode: NamesMode) => Dialect,
  objectWith: (action: "allow" | "deny" | "pass", to: readonly object[]) => PolicyObject,
];

const tiered: readonly Kind[] = [
  [
    "AdminNetworkPolicy",
    adminNetworkPolicyWith,
    (action, to) =>
      anp("p", {
        subject: all,
        egress: [{ action: { allow: "Allow", deny: "Deny", pass: "Pass" }[action], to }],
      }),
  ],
  [
    "ClusterNetworkPolicy",
    clusterNetworkPolicyWith,
    (action, to) =>
      cnp("p", {
        subject: all,
        egress: [{ action: { allow: "Accept", deny: "Deny", pass: "Pass" }[action], to }],
      }),
  ],
];
const wide = { networks: ["10.0.0.0/8"] };

describe.each(tiered)("%s", (_, dialectWith, objectWith) => {
  const names = { domainNames: ["www.Example.org.", "*.example.com", "api.example.org"] };

  test("an allow has the names that are resolved, and its other peers", () => {
    const { rules, problems } = egressOf(dialectWith("poll"), objectWith("allow", [names, wide]));
    const peers = [named("www.example.org"), named("api.example.org"), network];
    expect(rules).toEqual([{ action: "allow", peers }]);
    expect(problems).toEqual([
      'warning spec.egress[0].to[0].domainNames[1]: "*.example.com" is not resolved here, so the rule does not match it',
    ]);
  });

  test("where answers are sent, an allow has wildcards too", () => {
    const { rules, problems } = egressOf(dialectWith("dnstap"), objectWith("allow", [names]));
    const peers = [named("www.example.org"), named("*.example.com"), named("api.example.org")];
    expect(rules).toEqual([{ action: "allow", peers }]);
    expect(problems).toEqual([]);
  });

  test("what is not resolved alone matches nothing", () => {
    const only = objectWith("allow", [{ domainNames: ["*.example.com"] }]);
    expect(egressOf(dialectWith("poll"), only).rules).toEqual([{ action: "allow", peers: [] }]);
  });

  test.each(["deny", "pass"] as const)("a %s of names is closed as without the flag", (action) => {
    const object = objectWith(action, [{ domainNames: ["www.example.org"] }, wide]);
    const resolved = egressOf(dialectWith("poll"), object);
    expect(resolved).toEqual(egressOf(dialectWith("off"), object));
    expect(resolved.rules).toEqual([{ action: "deny", peers: [{ kind: "everything" }] }]);
    expect(resolved.problems).toEqual([expect.stringContaining("domainNames cannot be enforced here")]);
  });

  test("a name that is none is refused", () => {
    const object = objectWith("allow", [{ domainNames: ["localhost"] }]);
    expect(egressOf(dialectWith("poll"), object).problems).toEqual([
      expect.stringContaining('domainNames[0]: "localhost" is not a domain name'),
    ]);
  });

  test("a policy that is compiled again is the same", () => {
    const dialect = dialectWith("poll");
    const object = objectWith("allow", [names]);
    expect(egressOf(dialect, object)).toEqual(egressOf(dialect, object));
  });
});

test("a ClusterNetworkPolicy of the Baseline tier has them with a warning", () => {
  const egress = [{ action: "Accept", to: [{ domainNames: ["www.example.org"] }] }];
  const dialect = clusterNetworkPolicyWith("poll");
  const { rules, problems } = egressOf(dialect, cnp("p", { tier: "Baseline", egress }));
  expect(rules).toEqual([{ action: "allow", peers: [named("www.example.org")] }]);
  expect(problems).toEqual([
    "warning spec.tier: domainNames are proposed for the Admin tier: a NetworkPolicy that overrides this cannot name them",
  ]);
  expect(egressOf(dialect, cnp("p", { tier: "Admin", egress })).problems).toEqual([]);
});

test("the type of a BaselineAdminNetworkPolicy has none", () => {
  const egress = [{ action: "Allow", to: [{ domainNames: ["www.example.org"] }] }];
  const { rules, problems } = egressOf(baselineAdminNetworkPolicy, banp({ egress }));
  expect(rules).toEqual([{ action: "allow", peers: [] }]);
  expect(problems).toEqual([expect.stringContaining("domainNames cannot be enforced here")]);
});

describe("fqdn of Antrea", () => {
  const dialectWith = (names: NamesMode) => antreaDialect({ severity: "info", persistent: false, names });
  const objectWith = (rule: object) =>
    acnp("p", { priority: 5, appliedTo: [{ podSelector: {} }], egress: [rule] });
  const to = [{ fqdn: "www.example.org" }];

  test("of an Allow is a peer where it is resolved", () => {
    const object = objectWith({ action: "Allow", to: [...to, { fqdn: "*example.com" }] });
    const { rules, problems } = egressOf(dialectWith("poll"), object);
    expect(rules).toEqual([{ action: "allow", peers: [named("www.example.org")] }]);
    expect(problems).toEqual(["error spec.egress[0].to[1].fqdn: domain names are not resolved here"]);
  });

  test("where answers are sent, a * is any text, and several of them are closed", () => {
    const patterns = ["*example.com", "*", "api-*.example.org", "*.a.*"];
    const { rules, problems } = egressOf(
      dialectWith("dnstap"),
      objectWith({ action: "Allow", to: patterns.map((fqdn) => ({ fqdn })) }),
    );
    expect(rules).toEqual([{ action: "allow", peers: patterns.slice(0, 3).map(named) }]);
    expect(problems).toEqual(["error spec.egress[0].to[3].fqdn: domain names are not resolved here"]);
  });

  test.each([
    { action: "Drop", to },
    { action: "Reject", to },
    { action: "Pass", to },
    { action: "Allow", to, l7Protocols: [{ http: { host: "a" } }] },
  ])("of any other rule closes it as without the flag: %j", (rule) => {
    const resolved = egressOf(dialectWith("poll"), objectWith(rule));
    expect(resolved).toEqual(egressOf(dialectWith("off"), objectWith(rule)));
    expect(resolved.rules?.map(({ action }) => action)).toEqual(["deny"]);
  });
});
