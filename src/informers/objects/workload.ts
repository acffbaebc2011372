// A Deployment, StatefulSet, DaemonSet, ReplicaSet, Job or CronJob → Workload: the template of its pods, read as a Pod is. What
// the API server would refuse of it refuses the workload.

import { groupOf } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { Workload } from "../../model/workload.ts";
import { anyNode, templateName, templateOf } from "../../model/workload.ts";
import type { Parsed } from "./object.ts";
import { parsed, readLabels, readName, readNamespaceOf } from "./object.ts";
import { mountsToken, readOwner, readPodSpec } from "./pod.ts";

/** null: the kind makes no pods. */
export function parseWorkload(value: unknown): Parsed<Workload> | null {
  const head = new Field(new Problems(), "", value);
  const kind = { group: groupOf(textAt(head, "apiVersion")), kind: textAt(head, "kind") };
  const way = templateOf(kind);
  if (way === null) return null;
  return parsed(value, (root) => {
    const namespace = readNamespaceOf(root);
    const name = readName(root.at("metadata").at("name"));
    const template = way.reduce((field, step) => field.at(step), root);
    if (!template.object()) return null;
    const labels = readLabels(template);
    const spec = template.at("spec");
    const pod = readPodSpec(spec);
    if (namespace === null || name === null || labels === null || pod === null) return null;
    const owner = readOwner(root);
    return {
      ...{ ...kind, namespace, name, owner },
      isSpent: owner !== null && root.at("spec").at("replicas").raw === 0,
      template: {
        ...{
          kind: "Pod",
          namespace,
          name: templateName({ ...kind, name }),
          labels,
          node: anyNode,
          completed: false,
        },
        ...{ ips: [], ...pod, mountsToken: mountsToken(spec), isTemplate: true },
      },
    };
  });
}

function textAt(field: Field, name: string): string {
  const { raw } = field.at(name);
  return typeof raw === "string" ? raw : "";
}
