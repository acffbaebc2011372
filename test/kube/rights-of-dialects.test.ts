// The rights that the manifests give for a dialect follow from it: its policies and what they refer to are listed and watched, the
// definitions of those that a cluster may lack are read, and the status of those that have one is patched. Nothing else is given.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { otherModels, switchedDialects } from "../../src/dialects.ts";
import type { NeededRight } from "../../src/doctor/rights.ts";
import { rightsOfFacts, rightsOfKinds } from "../../src/doctor/rights.ts";
import { servedKinds } from "../../src/model/object.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import { kindsToRead } from "../../src/policy/contracts/dialect.ts";
import type { Rule } from "./built.ts";
import { manifests, objectsOf } from "./built.ts";

/** One text for each verb on each resource. */
function rightsOf(rules: readonly Rule[]): readonly string[] {
  return rules
    .flatMap(({ apiGroups = [], resources = [], resourceNames = ["*"], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${resource}.${group} ${name}`)),
        ),
      ),
    )
    .sort();
}

const facts = rulesOf(rightsOfFacts());
const events: readonly Rule[] = [{ apiGroups: [""], resources: ["events"], verbs: ["create"] }];

/** As doctor reviews them, and wherever objects may be served: which of these is read is decided while the program runs. */
function rightsFor(dialects: readonly Dialect[]): readonly Rule[] {
  return rulesOf(rightsOfKinds(kindsToRead(dialects), servedKinds));
}

function rulesOf(rights: readonly NeededRight[]): readonly Rule[] {
  return rights.map(({ verb, group, resource, subresource, name }) => ({
    ...{ apiGroups: [group], verbs: [verb] },
    resources: [subresource === null ? resource : `${resource}/${subresource}`],
    ...(name === null ? {} : { resourceNames: [name] }),
  }));
}

function rulesIn(folder: string): readonly Rule[] {
  const objects = objectsOf(readFileSync(join(manifests, folder, "rbac.yaml"), "utf8"));
  return objects.find(({ kind }) => kind === "ClusterRole")?.rules ?? [];
}

test.each(
  switchedDialects.map((dialect) => {
    const { flag, isOn } = dialect.switch;
    return [flag, isOn ? "base" : `components/${flag.replace(/^enable-/, "")}`, dialect] as const;
  }),
)("the rights for --%s are those of manifests/%s", (flag, folder, dialect) => {
  const derived: readonly Rule[] = [
    ...rightsFor(dialect.dialects({ [flag]: "true" })),
    // Cluster-wide policies have their events in the namespace default, by a Role.
    ...(dialect.switch.isOn ? facts : events),
  ];
  expect(rightsOf(rulesIn(folder))).toEqual(rightsOf(derived));
});

const reading = ["list", "watch"];
const calicoGroups = ["projectcalico.org", "crd.projectcalico.org"];
const staged = ["stagedglobalnetworkpolicies", "stagedkubernetesnetworkpolicies", "stagednetworkpolicies"];
/** By the name of a policy model: what its kinds do not say. */
const besides: Readonly<Record<string, readonly Rule[]>> = {
  calico: [
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: reading },
    { apiGroups: calicoGroups, resources: staged, verbs: reading },
    {
      ...{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
      resourceNames: calicoGroups.flatMap((group) => staged.map((resource) => `${resource}.${group}`)),
    },
    // Its API server asks for these before it shows policies of a tier; Kubernetes' own staged ones have none.
    { apiGroups: ["projectcalico.org"], resources: ["tiers"], verbs: ["get"] },
    {
      ...{ apiGroups: ["projectcalico.org"], verbs: reading },
      resources: [
        ...["tier.globalnetworkpolicies", "tier.networkpolicies"],
        ...["tier.stagedglobalnetworkpolicies", "tier.stagednetworkpolicies"],
      ],
    },
  ],
};

test.each(otherModels.map((model) => [model.name, model] as const))(
  "the rights for the policy model %s are those of its component, beside those of the kinds that every model has",
  (name, model) => {
    const derived = [...rightsFor(model.dialects({})), ...(besides[name] ?? []), ...events];
    expect(rightsOf(rulesIn(`components/${name}-policy`))).toEqual([...new Set(rightsOf(derived))]);
  },
);
