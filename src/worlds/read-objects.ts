// The objects of a world as a command reads them, before there is a model of them, and what was not read.

import type {
  LocationOf,
  ObjectKind,
  ReferencedObject,
  SourceProblem,
  WorldObject,
} from "../model/object.ts";
import type { Workload } from "../model/workload.ts";
import type { LeftOut } from "./left-out.ts";
import type { NotRead } from "../unknowns/foreign.ts";

export interface ReadObjects {
  readonly objects: readonly WorldObject[];
  readonly problems: readonly SourceProblem[];
  /** The kinds of objects that are left alone, one text for each object. */
  readonly ignored: readonly string[];
  readonly leftOut: LeftOut;
  /** Of manifests: what has no effect, and is tried for what is wrong with it. They are left alone, and not among the objects. */
  readonly staged: readonly ReferencedObject[];
  /** Kinds that could not be listed; each has a warning among the problems. */
  readonly unread: readonly ObjectKind[];
  readonly notRead: NotRead;
  /** Of manifests: a cluster has the pods that they make. */
  readonly workloads: readonly Workload[];
  readonly placeOf: LocationOf;
}
