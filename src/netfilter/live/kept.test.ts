// Chains that stay beside desired ones, where the tier of before and the desired one have different forms.

import { expect, test } from "@jest/globals";
import { tiers } from "../../policy/ir.ts";
import type { Policy } from "../../policy/ir.ts";
import { contractPolicy, rulesOf } from "../../../test/backend/policies.ts";
import { podGroup, withLabels } from "../../../test/support/facts.ts";
import { everything } from "../../model/selector.ts";
import { lower } from "../lower.ts";
import { filterFormOf } from "../options.ts";
import type { ChainText } from "../print-hooks.ts";
import { chainTexts } from "../print-iptables.ts";
import type { ActualChains } from "./actual.ts";
import { iptablesChains } from "./chain-items.ts";
import { withKeptChains } from "./kept.ts";

const chainsOf = (...policies: readonly Policy[]) => chainTexts(lower(policies), "v4", filterFormOf({}));
const asActual = (chains: readonly ChainText[]): ActualChains =>
  new Map(chains.map(({ name, rules }) => [name, rules]));
const keeping =
  (...policies: readonly Policy[]) =>
  ({ word }: { readonly word: string }) =>
    policies.some(({ key }) => key === word);
const merged = (desired: readonly Policy[], before: readonly Policy[], ...kept: readonly Policy[]) =>
  asActual(
    withKeptChains(chainsOf(...desired), asActual(chainsOf(...before)), keeping(...kept), iptablesChains),
  );

const inNamespace = (name: string) =>
  podGroup(withLabels({ "kubernetes.io/metadata.name": name }), everything);
const narrow = (name: string, of: string): Policy =>
  contractPolicy({
    ...{ name, namespace: of, tier: tiers.namespaced, subject: [inNamespace(of)] },
    unmatched: { ingress: "deny", egress: "next" },
    rules: { ingress: rulesOf({ action: "allow", peers: [inNamespace(of)] }) },
  });
const wide = (name: string): Policy =>
  contractPolicy({
    ...{ name, tier: tiers.namespaced, priority: 5 },
    rules: { ingress: rulesOf({ action: "allow" }) },
  });
const [one, two, other] = [narrow("one", "x"), narrow("two", "x"), narrow("one", "y")];

test("nothing that is desired, or that nobody keeps, is kept", () => {
  const desired = chainsOf(one);
  expect(withKeptChains(desired, asActual(chainsOf(one, two, other)), keeping(), iptablesChains)).toBe(
    desired,
  );
  expect(merged([one], [one], one)).toEqual(asActual(desired));
});

test.each<readonly [string, readonly Policy[], readonly Policy[], Policy]>([
  ["beside its namespace's other policy", [one], [one, two], two],
  ["alone in its namespace", [one], [one, other], other],
  ["alone in its tier", [], [one], one],
  ["about any pods", [], [wide("w")], wide("w")],
  ["beside others about any pods", [wide("w")], [wide("v"), wide("w")], wide("v")],
])("a policy stays as it was: %s", (_, desired, before, kept) => {
  expect(merged(desired, before, kept)).toEqual(asActual(chainsOf(...before)));
});

test("a policy of a namespace stays in a tier that is not by namespaces any more", () => {
  const tier = merged([wide("w")], [one, other], one);
  const flat = asActual(chainsOf(wide("w"), one));
  expect(new Set([...tier.values()].flat())).toEqual(new Set([...flat.values()].flat()));
  expect([...tier.values()].flat().join("\n")).not.toMatch(/-g NG-IN-/);
});

test("a policy about any pods stays in a tier that is by namespaces now, before which no namespace is taken out", () => {
  const tier = merged([one], [wide("w")], wide("w"));
  const calls = [...tier].filter(([name]) => name.startsWith("NG-IT-")).flatMap(([, rules]) => rules);
  expect(calls.filter((rule) => rule.includes(" -g NG-IN-"))).toEqual([]);
  expect(calls.filter((rule) => rule.includes(" -j NG-IP-"))).toHaveLength(2);
  expect(calls.filter((rule) => rule.endsWith(" -g NG-DENY"))).toHaveLength(1);
});

test("kept policies keep their order among neighbors", () => {
  const at = (priority: number, name: string) => ({ ...wide(name), priority });
  const all = [at(1, "a"), at(2, "b"), at(3, "c"), at(4, "d")];
  const [a, b, c, d] = all as [Policy, Policy, Policy, Policy];
  expect(merged([a, c], all, b, d)).toEqual(asActual(chainsOf(...all)));
  expect(merged([b, d], all, a, c)).toEqual(asActual(chainsOf(...all)));
});
