// The workloads among the manifests: each once, with what is wrong with the others.

import type { Keeps } from "../informers/index.ts";
import { parseWorkload } from "../informers/index.ts";
import type { ObjectKey, SourceProblem } from "../model/object.ts";
import { groupOf } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { Field, Problems } from "../model/reader.ts";
import { isDnsSubdomain } from "../model/syntax.ts";
import type { Workload } from "../model/workload.ts";
import { templateOf, workloadKey } from "../model/workload.ts";

/** An object as its manifest says it, with its places. */
interface Found {
  readonly value: unknown;
  readonly placeOf: (field: string) => string;
}

export const isWorkload: Keeps = (kind) => templateOf(kind) !== null;

export interface FoundWorkloads {
  readonly workloads: readonly Workload[];
  readonly problems: readonly SourceProblem[];
}

/** Others are passed over. Of several of one name the first counts. */
export function workloadsAmong(found: readonly Found[]): FoundWorkloads {
  const first = new Map<ObjectKey, { readonly workload: Workload; readonly place: string }>();
  const problems: SourceProblem[] = [];
  for (const { value, placeOf } of found) {
    const parsed = parseWorkload(value);
    if (parsed === null) continue;
    const named = nameIn(value);
    const add = (problem: Problem): void => {
      problems.push({ place: placeOf(problem.field), ...named, problem });
    };
    for (const problem of parsed.problems) add(problem);
    const { object: workload } = parsed;
    if (workload === null) continue;
    const key = workloadKey(workload);
    const known = first.get(key);
    if (known === undefined) first.set(key, { workload, place: placeOf("") });
    else add(definedAlready(known.place));
  }
  return { workloads: Array.from(first.values(), ({ workload }) => workload), problems };
}

function definedAlready(place: string): Problem {
  const message = `is defined already at ${place}, and that definition counts`;
  return { code: "InvalidObject", severity: "error", field: "metadata.name", message };
}

/** As much as can be read of a workload that may be refused. */
function nameIn(value: unknown): Pick<SourceProblem, "object" | "key"> {
  const root = new Field(new Problems(), "", value);
  const textOf = (field: Field): string => (typeof field.raw === "string" ? field.raw : "");
  const metadata = root.at("metadata");
  const [kind, name] = [textOf(root.at("kind")), textOf(metadata.at("name"))];
  const namespace = textOf(metadata.at("namespace")) || "default";
  if (!isDnsSubdomain(name) || !isDnsSubdomain(namespace)) return { object: kind };
  const group = groupOf(textOf(root.at("apiVersion")));
  return { object: `${kind} ${namespace}/${name}`, key: workloadKey({ group, kind, namespace, name }) };
}
