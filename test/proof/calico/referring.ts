// Random policies before all others whose rules speak of Services, service accounts and sets, so that changes of those are seen: in
// a world as it is drawn, other rules mostly decide first.

import fc from "fast-check";
import { gnp, tier } from "../../oracle/calico/build.ts";
import type { CalicoEntity, CalicoRule, Manifest } from "../../oracle/calico/manifests.ts";
import { spaces } from "../pods.ts";
import { serviceNames } from "./rules.ts";
import { accountSelector, values } from "./selectors.ts";

const key = fc.constantFrom("app", "tier");
/** Over labels of sets and pods: each holds for some of them. */
const selector = fc.oneof(
  key.map((one) => `has(${one})`),
  fc.tuple(key, fc.constantFrom(...values)).map(([one, value]) => `${one} == '${value}'`),
);
const service = fc.record({ name: fc.constantFrom(...serviceNames), namespace: fc.constantFrom(...spaces) });
const side: fc.Arbitrary<CalicoEntity> = fc.oneof(
  { weight: 3, arbitrary: service.map((services) => ({ services })) },
  { weight: 2, arbitrary: accountSelector.map((one) => ({ serviceAccounts: { selector: one } })) },
  { weight: 2, arbitrary: selector.map((one) => ({ selector: one, namespaceSelector: "global()" })) },
  { weight: 1, arbitrary: selector.map((one) => ({ selector: one })) },
);
const rules = (name: "source" | "destination"): fc.Arbitrary<readonly CalicoRule[]> =>
  fc.array(
    fc
      .record({ action: fc.constantFrom("Allow" as const, "Deny" as const), peer: side })
      .map(({ action, peer }) => ({ action, [name]: peer })),
    { minLength: 3, maxLength: 4, size: "+1" },
  );

export const referringPolicies: fc.Arbitrary<readonly Manifest[]> = fc
  .record({ ingress: rules("source"), egress: rules("destination"), ofAccounts: accountSelector })
  .map(({ ingress, egress, ofAccounts }) => [
    tier("before", { order: -1000, defaultAction: "Pass" }),
    gnp("referring", { tier: "before", order: 1, types: ["Ingress", "Egress"], ingress, egress }),
    gnp("of-accounts", {
      ...{ tier: "before", order: 2, types: ["Ingress"], serviceAccountSelector: ofAccounts },
      ingress: [{ action: "Deny", protocol: "UDP" }],
    }),
  ]);
