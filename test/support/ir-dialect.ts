// A dialect whose objects are policies in the IR, for tests of what the engine and a backend do together. A rule that a backend
// refuses is closed, if the kind asks for it.

import { eventWords } from "../../src/kubernetes/events.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { apiVersionOf } from "../../src/model/object.ts";
import type { Dialect, PolicyKindTraits } from "../../src/policy/contracts/dialect.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { policyKey } from "../../src/policy/ir.ts";

export interface IrDialect extends Dialect {
  /** The object that says the policy, whose name is the policy's; `isBroken`: its dialect does not understand it. */
  objectOf(policy: Policy, isBroken?: boolean): PolicyObject;
}

/** `closesRules`: as of the kind. */
export function irDialect(name: string, closesRules: boolean): IrDialect {
  const kind: PolicyKindTraits = {
    ...{ group: "ir.example.com", version: "v1", kind: name, resource: name.toLowerCase() },
    ...{ namespaced: false, shortKind: name.toUpperCase(), ownerType: name, metrics: null, actions: [] },
    ...{ events: eventWords("IR"), conditions: null, ...(closesRules && { closesRules: true }) },
  };
  /** By the text of the object's spec: each object has one of its own. */
  const said = new Map<unknown, Policy | null>();
  return {
    kinds: [kind],
    references: [],
    fieldOf: (part) => (part.kind === "rule" ? `${part.direction}[${part.index}].${part.field}` : part.kind),
    objectOf(policy, isBroken = false) {
      const ref = { group: kind.group, kind: kind.kind, namespace: null, name: policy.ref.name };
      const spec = `the ${said.size}th`;
      said.set(spec, isBroken ? null : { ...policy, key: policyKey(ref), ref, ownerType: name });
      return {
        ...{ kind: kind.kind, apiVersion: apiVersionOf(kind), name: ref.name, namespace: null, spec },
        ...{ uid: null, generation: null, annotations: new Map<string, string>() },
      };
    },
    compile({ spec }) {
      const policy = said.get(spec) ?? null;
      const broken = {
        code: "InvalidField",
        severity: "error",
        field: "spec",
        message: "is broken",
      } as const;
      return { policy, problems: policy === null ? [broken] : [] };
    },
  };
}
