// Chains that stay beside desired ones, where the tier of before and the desired one have different forms.

import { describe, expect, test } from "@jest/globals";
import { tiers } from "../../policy/ir.ts";
import type { Policy } from "../../policy/ir.ts";
import { contractPolicy, rulesOf } from "../../../test/backend/policies.ts";
import { podGroup } from "../../../test/support/facts.ts";
import { namespacesNamed } from "../../model/selectable.ts";
import { everything } from "../../model/selector.ts";
import { lower } from "../lower.ts";
import { filterFormOf } from "../options.ts";
import type { ChainText } from "../print-hooks.ts";
import { nftLanguage } from "../nft/language.ts";
import type { FilterLanguage } from "./language.ts";
import type { ActualChains, TableName } from "./actual.ts";
import { iptablesLanguage } from "./iptables-language.ts";
import { withKeptChains } from "./kept.ts";

interface Tool {
  readonly tool: string;
  readonly language: FilterLanguage;
  readonly table: TableName;
  readonly dispatch: RegExp;
  readonly call: RegExp;
  readonly deny: RegExp;
}

/** Rules of each tool: those that lead to chains of namespaces, that call a policy's chain, and that deny. */
const tools: readonly Tool[] = [
  {
    ...{ tool: "iptables", language: iptablesLanguage(filterFormOf({})), table: "v4" },
    ...{ dispatch: / -g NG-IN-/, call: / -j NG-IP-/, deny: / -g NG-DENY$/ },
  },
  {
    ...{ tool: "nftables", language: nftLanguage(filterFormOf({})), table: "inet" },
    ...{ dispatch: / vmap @/, call: / jump NG-IP-/, deny: / goto NG-DENY / },
  },
];

const asActual = (chains: readonly ChainText[]): ActualChains =>
  new Map(chains.map(({ name, rules }) => [name, rules]));
const keeping =
  (...policies: readonly Policy[]) =>
  ({ word }: { readonly word: string }) =>
    policies.some(({ key }) => key === word);

const inNamespace = (name: string) => podGroup(namespacesNamed([name]), everything);
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
const passing: Policy = contractPolicy({
  ...{
    name: "passing",
    tier: tiers.namespaced,
    priority: 4,
    logging: { allow: null, deny: null, reject: null, pass: "info" },
  },
  rules: { ingress: rulesOf({ action: "pass" }, { action: "deny" }, { action: "pass" }) },
});
const [one, two, other] = [narrow("one", "x"), narrow("two", "x"), narrow("one", "y")];

describe.each(tools)("$tool", ({ language, table, dispatch, call, deny }) => {
  const chainsOf = (...policies: readonly Policy[]) =>
    language.print(lower(policies), { name: table, families: ["v4"] });
  const merged = (desired: readonly Policy[], before: readonly Policy[], ...kept: readonly Policy[]) =>
    asActual(
      withKeptChains(chainsOf(...desired), asActual(chainsOf(...before)), keeping(...kept), language.chains),
    );

  test("nothing that is desired, or that nobody keeps, is kept", () => {
    const desired = chainsOf(one);
    expect(withKeptChains(desired, asActual(chainsOf(one, two, other)), keeping(), language.chains)).toBe(
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
    ["with rules that pass", [wide("w")], [passing, wide("w")], passing],
  ])("a policy stays as it was: %s", (_, desired, before, kept) => {
    expect(merged(desired, before, kept)).toEqual(asActual(chainsOf(...before)));
  });

  test("a policy of a namespace stays in a tier that is not by namespaces any more", () => {
    const tier = merged([wide("w")], [one, other], one);
    const flat = asActual(chainsOf(wide("w"), one));
    expect(new Set([...tier.values()].flat())).toEqual(new Set([...flat.values()].flat()));
    expect([...tier.values()].flat().filter((rule) => dispatch.test(rule))).toEqual([]);
  });

  test("a policy about any pods stays in a tier that is by namespaces now, before which no namespace is taken out", () => {
    const tier = merged([one], [wide("w")], wide("w"));
    const calls = [...tier].filter(([name]) => /^NG-IT-[a-z2-7]+$/.test(name)).flatMap(([, rules]) => rules);
    expect(calls.filter((rule) => dispatch.test(rule))).toEqual([]);
    expect(calls.filter((rule) => call.test(rule))).toHaveLength(2);
    expect(calls.filter((rule) => deny.test(rule))).toHaveLength(1);
  });

  test("kept policies keep their order among neighbors", () => {
    const at = (priority: number, name: string) => ({ ...wide(name), priority });
    const all = [at(1, "a"), at(2, "b"), at(3, "c"), at(4, "d")];
    const [a, b, c, d] = all as [Policy, Policy, Policy, Policy];
    expect(merged([a, c], all, b, d)).toEqual(asActual(chainsOf(...all)));
    expect(merged([b, d], all, a, c)).toEqual(asActual(chainsOf(...all)));
  });
});
