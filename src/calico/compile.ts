// NetworkPolicy and GlobalNetworkPolicy of projectcalico.org/v3 → IR, with the Tiers, network sets, service accounts and EndpointSlices
// that they refer to. The API's own admission is not counted on: what it refuses is refused here.

import { endpointSliceKind } from "../model/objects/endpoint-slice.ts";
import { reported } from "../kubernetes/policy-reading.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import type { Compiled, Dialect } from "../policy/contracts/dialect.ts";
import { kindInHead } from "../policy/contracts/dialect.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";
import type { Policy } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import { setStatus } from "./ends/sets.ts";
import { fieldOf } from "./fields.ts";
import {
  globalKind,
  globalNetworkSetKind,
  networkSetKind,
  policyKind,
  serviceAccountKind,
  tierKind,
} from "./kinds.ts";
import { tieText } from "./place/tie.ts";
import { tierStatus } from "./place/tier.ts";
import { Reading } from "./reading.ts";
import { readSpec } from "./spec.ts";

/** `names`: how names of domains are resolved. */
export function calicoDialectWith(names: NamesMode): Dialect {
  return {
    kinds: [globalKind, policyKind],
    references: [
      { ...tierKind, status: tierStatus },
      { ...networkSetKind, status: setStatus },
      { ...globalNetworkSetKind, status: setStatus },
      serviceAccountKind,
      endpointSliceKind,
    ],
    compile: (object, resolve) => compile(object, resolve, names),
    fieldOf,
  };
}

/** The key under which rows name the tier. */
const tierMark = "calico-tier";

const silent = { allow: null, deny: null, pass: null, reject: null };

function compile(object: PolicyObject, resolve: Resolve, names: NamesMode): Compiled {
  const isGlobal = object.kind === globalKind.kind;
  const kind = isGlobal ? globalKind : policyKind;
  const namespace = isGlobal ? null : (object.namespace ?? "default");
  const [problems, closed] = [new Problems(), new Problems()];
  const reading = new Reading(namespace, resolve, closed, names);
  const { place, subject, said } = readSpec(new Field(problems, "spec", object.spec), reading);
  const told = reported(problems, closed);
  if (place === null) return { policy: null, problems: told };
  const ref = { group: kind.group, kind: kind.kind, namespace, name: object.name };
  const outline: Policy = {
    ...{ key: policyKey(ref), ref, ...kindInHead(kind), ...place },
    ...{ tie: tieText(ref, kind.kind), marks: { [tierMark]: place.tier.name } },
    subject: subject ?? [],
    rules: { ingress: [], egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging: silent,
  };
  if (said === null || problems.failed) return { policy: null, problems: told, outline };
  return { policy: { ...outline, ...said }, problems: told };
}
