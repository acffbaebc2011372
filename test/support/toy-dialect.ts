// A dialect of a few fields, for tests of what does not depend on any: its policies deny traffic to pods of one app from
// pods of another, which the policy names or which a Team, an object of its own, does. It counts its compilations.

import type { Dialect, PolicyKindTraits } from "../../src/policy/contracts/dialect.ts";
import type { Resolve } from "../../src/policy/contracts/resolve.ts";
import type { Rule, Tier } from "../../src/policy/ir.ts";
import { policyKey } from "../../src/policy/ir.ts";
import type { ObjectKind, PolicyObject } from "../../src/model/object.ts";
import { apiVersionOf, keyOf } from "../../src/model/object.ts";
import { Field, Problems } from "../../src/model/reader.ts";
import { everything } from "../../src/model/selector.ts";
import { eventWords } from "../../src/kubernetes/events.ts";
import { podGroup, withLabels } from "./facts.ts";

export interface ToySpec {
  readonly app?: unknown;
  readonly from?: string;
  readonly team?: string;
}

export interface ToyKind {
  readonly group: string;
  readonly namespaced: boolean;
  readonly tier: Tier;
  readonly ownerType: string;
}

export const teamKind: ObjectKind = {
  ...{ group: "toys.example.com", version: "v1", kind: "Team" },
  ...{ resource: "teams", namespaced: false },
};

export interface ToyDialect extends Dialect {
  readonly kind: PolicyKindTraits;
  /** Keys in the order in which they were compiled; tests empty it. */
  readonly compiled: string[];
  policy(name: string, spec: ToySpec, namespace?: string): PolicyObject;
}

const nothing = { uid: null, generation: null, annotations: new Map<string, string>() };

/** A NetworkPolicy, whatever its group. */
export function toyDialect({ group, namespaced, tier, ownerType }: ToyKind): ToyDialect {
  const kind: PolicyKindTraits = {
    ...{ group, version: "v1", kind: "NetworkPolicy", resource: "networkpolicies", namespaced },
    ...{ shortKind: ownerType.toUpperCase(), ownerType, metrics: null, actions: [] },
    ...{ events: eventWords("TOY"), conditions: null },
  };
  const compiled: string[] = [];
  return {
    kind,
    kinds: [kind],
    references: [teamKind],
    compiled,
    fieldOf: (part) => `the ${part.kind}`,
    policy: (name, spec, namespace = "default") => ({
      ...{ kind: kind.kind, apiVersion: apiVersionOf(kind), name, spec, ...nothing },
      namespace: namespaced ? namespace : null,
    }),
    compile(object, resolve) {
      compiled.push(keyOf(object));
      const problems = new Problems();
      const spec = new Field(problems, "spec", object.spec);
      const app = spec.at("app").string();
      const from = appOf(spec, resolve);
      if (app === null || from === null) return { policy: null, problems: problems.list() };
      const ref = { group, kind: kind.kind, namespace: object.namespace, name: object.name };
      const rule: Rule = {
        ...{ index: 0, share: null, name: "", action: "deny", subject: null, ports: null, logging: null },
        peers: [podGroup(everything, withLabels({ app: from }))],
      };
      const policy = {
        ...{ key: policyKey(ref), ref, ownerType, shortKind: kind.shortKind, tier, priority: 0 },
        subject: [podGroup(everything, withLabels({ app }))],
        rules: { ingress: [rule], egress: [] },
        unmatched: { ingress: "next", egress: "next" },
        logging: { allow: null, deny: null, pass: null, reject: null },
      } as const;
      return { policy, problems: [] };
    },
  };
}

/** Of the policy itself, or of its team, which may carry it as a label. */
function appOf(spec: Field, resolve: Resolve): string | null {
  const team = spec.at("team");
  if (!team.present) return spec.at("from").string();
  const name = team.string();
  const found = name === null ? null : resolve(teamKind, null, name);
  return found?.labels.get("app") ?? team.error("there is no such team with an app");
}
