// Objects that make pods: Deployments and the like. Their pods have no address before a cluster runs them, so that no connection
// of them is judged; what labels the pods will have is known, and so is which policies are about them. Lenient: what is no such
// object, or has no readable template, makes nothing.

import type { Labels } from "../model/labels.ts";
import type { GroupKind } from "../model/object.ts";
import { groupOf, kindText } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { serviceAccountKey } from "../model/selectable.ts";

export interface Workload extends GroupKind {
  readonly namespace: string;
  readonly name: string;
  /** What selectors match of its pods. */
  readonly labels: Labels;
  /** Whether its pods are on their node's network, where no policy is about them. */
  readonly hostNetwork: boolean;
}

/** By kind, the way to the template of its pods. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ...["Deployment.apps", "StatefulSet.apps", "DaemonSet.apps", "ReplicaSet.apps", "Job.batch"].map(
    (kind): readonly [string, readonly string[]] => [kind, ["spec", "template"]],
  ),
  ["CronJob.batch", ["spec", "jobTemplate", "spec", "template"]],
]);

export function isWorkload(kind: GroupKind): boolean {
  return templates.has(kindText(kind));
}

/** null: it makes no pods. `value`: an object as its manifest says it. */
export function readWorkload(value: unknown): Workload | null {
  const root = new Field(new Problems(), "", value);
  const kind = textIn(root, "kind");
  const group = groupOf(textIn(root, "apiVersion"));
  const way = templates.get(kindText({ group, kind }));
  if (way === undefined) return null;
  const template = way.reduce((field, name) => field.at(name), root);
  const spec = template.at("spec");
  const metadata = root.at("metadata");
  const given = template.at("metadata").at("labels");
  const labels = given.isObject ? given.names().map((name) => [name, textIn(given, name)] as const) : [];
  return {
    ...{ group, kind },
    namespace: textIn(metadata, "namespace") || "default",
    name: textIn(metadata, "name"),
    labels: new Map([...labels, [serviceAccountKey, textIn(spec, "serviceAccountName") || "default"]]),
    hostNetwork: spec.at("hostNetwork").raw === true,
  };
}

function textIn(field: Field, name: string): string {
  const { raw } = field.at(name);
  return typeof raw === "string" ? raw : "";
}
