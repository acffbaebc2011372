// What people call an end of an answer.

import { workloadText } from "../../model/workload.ts";
import type { AnsweredEnd } from "../answer.ts";

/** Users' text is as it is. A pod without its address. */
export function endName({ text, pod, ip, kind, node, workload, service }: AnsweredEnd): string {
  if (pod !== null) return pod;
  if (workload !== undefined) return workloadText({ ...workload, namespace: workload.namespace ?? "" });
  if (service !== undefined) return `Service ${service}`;
  return kind === "node" && node !== null ? `node ${node}` : (ip ?? text);
}
