// Random clusters whose policies are of every kind: those of today, and TrafficPolicies with the PodSets they refer to.

import fc from "fast-check";
import { dialects } from "../../src/dialects.ts";
import { isPod } from "../../src/model/object.ts";
import type { Dialect } from "../../src/policy/dialect.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { proofWorld, worldText } from "../proof/worlds.ts";
import { podSets, trafficPolicies } from "./generator.ts";
import { traffic } from "./index.ts";

/** The one line of wiring. */
export const installed: readonly Dialect[] = [
  ...dialects,
  ...traffic.dialects({ [traffic.switch.flag]: "true" }),
];

export const trafficWorld: fc.Arbitrary<ProofWorld> = fc
  .record({ world: proofWorld, policies: trafficPolicies, sets: podSets, robots: fc.nat() })
  .map(({ world: { objects, salt }, policies, sets, robots }) => {
    const accounts = objects.map((object, at) =>
      isPod(object) && (robots >> (at % 30)) % 2 === 1 ? { ...object, serviceAccount: "robot" } : object,
    );
    // What equals of another owner in the namespaced tier mean beside these is that owner's to say.
    const world = { objects: [...accounts, ...sets, ...policies], networkPolicies: [], salt, unusual: true };
    return Object.assign(world, { [fc.toStringMethod]: () => worldText(world) });
  });
