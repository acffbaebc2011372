// A node's filter with a policy whose key has this text of a user.

import fc from "fast-check";
import type { PolicyKey } from "../../src/policy/ir.ts";
import { world } from "../backend/generator-world.ts";
import { anyPolicy } from "../backend/generator.ts";
import type { Tool } from "./nodes.ts";
import { textsOf } from "./nodes.ts";

export function textWithName(name: string, tool: Tool): string {
  const [policy] = fc.sample(anyPolicy(fc.constant("one")), { numRuns: 1, seed: 3 });
  const [given] = fc.sample(world, { numRuns: 1, seed: 3 });
  if (policy === undefined || given === undefined) throw new Error("nothing was generated");
  return textsOf(given, [{ ...policy, key: name as PolicyKey }], {}, tool)("n");
}
