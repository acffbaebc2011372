// What becomes of the policies when a staged one is enforced.

import { describe, expect, test } from "@jest/globals";
import type { ReferencedObject } from "../../model/object.ts";
import { isReferenced } from "../../model/object.ts";
import { staging } from "./staged.ts";

function staged(kind: string, namespace: string | null, spec: unknown): ReferencedObject {
  return {
    ...{ kind, apiVersion: "projectcalico.org/v3", namespace, name: "p", uid: "u", generation: 3 },
    ...{ annotations: new Map([["a", "b"]]), labels: new Map(), spec },
  };
}

const kinds = [
  ["StagedNetworkPolicy", "shop", "NetworkPolicy", "projectcalico.org/v3"],
  ["StagedGlobalNetworkPolicy", null, "GlobalNetworkPolicy", "projectcalico.org/v3"],
  ["StagedKubernetesNetworkPolicy", "shop", "NetworkPolicy", "networking.k8s.io/v1"],
] as const;

describe.each(kinds)("%s", (stagedKind, namespace, kind, apiVersion) => {
  test.each([undefined, null, "", "Set"])(
    "stagedAction %p: its policy, which nothing can select",
    (action) => {
      const spec = { stagedAction: action, order: 5, ["__proto__x"]: 1 };
      const effect = staging.effectOf(staged(stagedKind, namespace, spec));
      expect(effect).toEqual({
        kind: "set",
        policy: {
          ...{ kind, apiVersion, namespace, name: "p", uid: "u", generation: 3 },
          ...{ annotations: new Map([["a", "b"]]), spec: { order: 5, ["__proto__x"]: 1 } },
        },
      });
      expect(effect.kind === "set" && isReferenced(effect.policy)).toBe(false);
    },
  );

  test("Delete: the policy of the same name", () => {
    const group = apiVersion.split("/")[0] ?? "";
    const place = namespace === null ? "p" : `${namespace}/p`;
    expect(staging.effectOf(staged(stagedKind, namespace, { stagedAction: "Delete" }))).toEqual({
      ...{ kind: "delete", key: `${kind}.${group}/${place}` },
    });
  });

  test.each(["Learn", "Ignore"])("%s: nothing", (stagedAction) => {
    expect(staging.effectOf(staged(stagedKind, namespace, { stagedAction }))).toEqual({
      ...{ kind: "none", problems: [] },
    });
  });

  test("another: a mistake", () => {
    expect(staging.effectOf(staged(stagedKind, namespace, { stagedAction: "set" }))).toMatchObject({
      kind: "none",
      problems: [
        {
          ...{ severity: "error", field: "spec.stagedAction" },
          message: 'must be Set, Delete, Learn or Ignore, not "set"',
        },
      ],
    });
  });
});

test("a spec that is no object is left for who compiles it", () => {
  expect(staging.effectOf(staged("StagedNetworkPolicy", "shop", "x"))).toMatchObject({
    policy: { spec: "x" },
  });
});

test("these are its kinds", () => {
  expect(staging.kinds.map(({ kind }) => kind)).toEqual(kinds.map(([kind]) => kind));
});
