// Which kinds are asked for as protobuf. The others are asked for as JSON: an API server has no protobuf of what a CRD defines.

import type { ObjectKind } from "../../../model/object.ts";
import { apiVersionOf } from "../../../model/object.ts";
import type { ObjectShape } from "../../protobuf/envelope.ts";
import type { Shape } from "../../../protobuf/message.ts";
import { namespace, node, pod, wholePod } from "./core.ts";

const shapes: ReadonlyMap<string, Shape> = new Map([
  ["v1 Namespace", namespace],
  ["v1 Node", node],
  ["v1 Pod", pod],
]);

/** `wholePods`: as in Reading. null: JSON is asked for. */
export function shapeOf(kind: ObjectKind, wholePods = false): ObjectShape | null {
  const apiVersion = apiVersionOf(kind);
  const fields = shapes.get(`${apiVersion} ${kind.kind}`);
  if (fields === undefined) return null;
  return { apiVersion, kind: kind.kind, fields: wholePods && fields === pod ? wholePod : fields };
}
