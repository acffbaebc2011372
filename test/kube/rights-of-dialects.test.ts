// The rights that the manifests give for a dialect follow from it: its policies and what they refer to are listed and watched, the
// definitions of those that a cluster may lack are read, and the status of those that have one is patched. Nothing else is given.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { switchedDialects } from "../../src/dialects.ts";
import { isOfCrd } from "../../src/kube/read/definitions.ts";
import { servedKinds } from "../../src/model/object.ts";
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

const facts: readonly Rule[] = [
  { apiGroups: [""], resources: ["namespaces", "nodes", "pods"], verbs: ["list", "watch"] },
];
const events: readonly Rule[] = [{ apiGroups: [""], resources: ["events"], verbs: ["create"] }];

test.each(
  switchedDialects.map((dialect) => {
    const { flag, isOn } = dialect.switch;
    return [flag, isOn ? "base" : `components/${flag.replace(/^enable-/, "")}`, dialect] as const;
  }),
)("the rights for --%s are those of manifests/%s", (flag, folder, dialect) => {
  const installed = dialect.dialects({ [flag]: "true" });
  const { policies, references } = kindsToRead(installed);
  // Wherever its objects may be served: which of these is read is decided while the program runs.
  const kinds = [...policies, ...references].flatMap(servedKinds);
  const told = [
    ...policies.filter(({ conditions }) => conditions !== null),
    ...references.filter(({ status }) => status !== undefined && status.type !== null),
  ].flatMap(servedKinds);
  const derived: readonly Rule[] = [
    ...kinds.map(({ group, resource }) => ({
      ...{ apiGroups: [group], resources: [resource], verbs: ["list", "watch"] },
    })),
    ...kinds.filter(isOfCrd).map(({ group, resource }) => ({
      ...{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] },
      ...{ resourceNames: [`${resource}.${group}`], verbs: ["get"] },
    })),
    ...told.map(({ group, resource }) => ({
      ...{ apiGroups: [group], resources: [`${resource}/status`], verbs: ["patch"] },
    })),
    // Cluster-wide policies have their events in the namespace default, by a Role.
    ...(dialect.switch.isOn ? facts : events),
  ];
  const role = objectsOf(readFileSync(join(manifests, folder, "rbac.yaml"), "utf8")).find(
    ({ kind }) => kind === "ClusterRole",
  );
  expect(rightsOf(role?.rules ?? [])).toEqual(rightsOf(derived));
});
