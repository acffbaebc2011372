// Under which of its two API groups a cluster is asked for Calico's objects. What both serve as definitions of their own are not the
// same objects: after a migration the older ones stay behind, so that users may have to say which are in force.

import { askedOnlyIn } from "../../model/object.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import type { FlagOption } from "../../policy/contracts/flags.ts";
import type { Staging } from "../../policy/contracts/policy-model.ts";

const groups = { auto: null, crd: "crd.projectcalico.org", v3: "projectcalico.org" } as const;

type Api = keyof typeof groups;

export const apiOption: FlagOption<Api> = {
  argument: "API",
  help: "where a cluster is asked for Calico's objects: crd.projectcalico.org/v1, projectcalico.org/v3, or auto: the first that it serves",
  choices: ["auto", "crd", "v3"],
  fallback: "auto",
};

/** The dialect, whose kinds are asked for there alone: policies, and what they refer to. */
export function askedAs(dialect: Dialect, api: Api): Dialect {
  const group = groups[api];
  return {
    ...dialect,
    kinds: dialect.kinds.map((kind) => askedOnlyIn(kind, group)),
    references: dialect.references.map((kind) => askedOnlyIn(kind, group)),
  };
}

export function stagingAskedAs(staging: Staging, api: Api): Staging {
  return { ...staging, kinds: staging.kinds.map((kind) => askedOnlyIn(kind, groups[api])) };
}
