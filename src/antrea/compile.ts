// ClusterNetworkPolicy and NetworkPolicy of crd.antrea.io/v1beta1 → IR, with the Tiers, ClusterGroups, Groups and Services that
// they refer to. The API's own admission is not counted on: what it refuses is refused here. A part that rows cannot say is an
// error that leaves the policy's other rules in force.

import type { LogSeverity } from "../model/log-severity.ts";
import { reported } from "../kubernetes/policy-reading.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { serviceKind } from "../model/service.ts";
import type { Compiled, Dialect } from "../policy/contracts/dialect.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";
import { kindInHead } from "../policy/contracts/dialect.ts";
import type { Policy } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import { fieldOf } from "./fields.ts";
import { groupStatus } from "./group-status.ts";
import { clusterGroupKind, clusterPolicyKind, groupKind, policyKind, tierKind } from "./kinds.ts";
import { Reading } from "./reading.ts";
import { readSpec } from "./spec.ts";
import { tierStatus } from "./tier-status.ts";

export const persistFlag = "antrea-persist-established";

/** What the API has no word for, and the operator decides. */
export interface AntreaOptions {
  /** Of the verdicts of rules with `enableLogging`. */
  readonly severity: LogSeverity;
  /** Whether an allowed connection continues when a later rule denies it. */
  readonly persistent: boolean;
  /** How names of domains are resolved. */
  readonly names: NamesMode;
}

export function antreaDialect(options: AntreaOptions): Dialect {
  return {
    kinds: [clusterPolicyKind, policyKind],
    references: [
      { ...tierKind, status: tierStatus },
      { ...clusterGroupKind, status: groupStatus },
      { ...groupKind, status: groupStatus },
      serviceKind,
    ],
    compile: (object, resolve) => compile(object, resolve, options),
    fieldOf,
    ...(options.persistent ? { persistentBy: `--${persistFlag}` } : {}),
  };
}

const silent = { allow: null, deny: null, pass: null, reject: null };

function compile(object: PolicyObject, resolve: Resolve, options: AntreaOptions): Compiled {
  const isCluster = object.kind === clusterPolicyKind.kind;
  const kind = isCluster ? clusterPolicyKind : policyKind;
  const namespace = isCluster ? null : (object.namespace ?? "default");
  const [problems, closed] = [new Problems(), new Problems()];
  const reading = new Reading(namespace, resolve, closed, options);
  const { place, subject, rules } = readSpec(new Field(problems, "spec", object.spec), reading);
  const told = reported(problems, closed);
  if (place === null) return { policy: null, problems: told };
  const ref = { group: kind.group, kind: kind.kind, namespace, name: object.name };
  const outline: Policy = {
    ...{ key: policyKey(ref), ref, ...kindInHead(kind), tier: place.tier },
    ...{ apiTier: place.apiTier, priority: place.priority },
    interleaved: true,
    ...(options.persistent ? { persistent: true } : {}),
    subject: subject ?? [],
    rules: { ingress: [], egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging: silent,
  };
  if (rules === null || subject === null || problems.failed) return { policy: null, problems: told, outline };
  return { policy: { ...outline, rules }, problems: told };
}
