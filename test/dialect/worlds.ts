// Random clusters whose policies are of every kind: those of today, and TrafficPolicies with the PodSets they refer to.

import fc from "fast-check";
import { dialects } from "../../src/dialects.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { isApiObject, isPod } from "../../src/model/object.ts";
import { Field, Problems } from "../../src/model/reader.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { proofWorld, worldText } from "../proof/worlds.ts";
import { hostNames, podSets, trafficPolicies } from "./generator.ts";
import { traffic } from "./index.ts";

/** The one line of wiring. */
export const installed: readonly Dialect[] = [
  ...dialects,
  ...traffic.dialects({ [traffic.switch.flag]: "true" }),
];

export const trafficWorld: fc.Arbitrary<ProofWorld> = fc
  .record({ world: proofWorld, policies: trafficPolicies, sets: podSets, hostNames, robots: fc.nat() })
  .map(({ world: { objects, salt }, policies, sets, hostNames: names, robots }) => {
    const accounts = objects.map((object, at) =>
      isPod(object) && (robots >> (at % 30)) % 2 === 1 ? { ...object, serviceAccount: "robot" } : object,
    );
    // What equals of another owner in the namespaced tier mean beside these is that owner's to say.
    const all = [...accounts, ...names, ...sets, ...policies.filter((one) => !isSkipped(one, objects))];
    const world = { objects: all, networkPolicies: [], salt, unusual: true, tellsSourcePorts: true };
    return Object.assign(world, { [fc.toStringMethod]: () => worldText(world) });
  });

/** A tier behind the baseline tier shares its OVN tier, which a pass leaves: such a policy has no place beside one that passes. */
function isSkipped({ spec }: PolicyObject, objects: readonly WorldObject[]): boolean {
  const passing = /"tier":"Baseline".*"action":"Pass"/;
  return (
    new Field(new Problems(), "spec", spec).at("tier").raw === "last" &&
    objects.some((object) => isApiObject(object) && passing.test(JSON.stringify(object.spec)))
  );
}
