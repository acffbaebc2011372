// What the log says where the backend refuses a policy that Northgate has made: there is no object to report it on.

import { splitKey } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { PolicyKey } from "../policy/ir.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import { isOwnNode } from "../policy/own-node.ts";

type LogLine = readonly [message: string, fields: Readonly<Record<string, string>>];

/** None for the policy of an object. */
export function ownRefusal(key: PolicyKey, { message: reason }: Problem): readonly LogLine[] {
  if (isOwnNode(key))
    return [
      ["the rows by which a node reaches its own pods are refused", { node: splitKey(key).name, reason }],
    ];
  return isOwnPolicy(key) ? [["the rules about what is outside --ip-range are refused", { reason }]] : [];
}
