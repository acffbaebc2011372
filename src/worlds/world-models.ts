// The models of the objects of a world. Rows are those that `run` would write, and it leaves some kinds to another program where its
// flags say so; verdicts ask what that program enforces, too.

import { backendNamed } from "../backends.ts";
import { cniFlag, cniNamed } from "../cni/answers.ts";
import type { BackendConfig } from "../config/config.ts";
import { everyKind, installed, judgingKinds, kindsOfOthers } from "../dialects.ts";
import type { NamespaceFact } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import type { ObjectKind, WorldObject } from "../model/object.ts";
import { groupOf, isApiObject, isSameKind } from "../model/object.ts";
import type { Workload } from "../model/workload.ts";
import { noBackend, OfflineModel } from "../offline/model.ts";
import type { BackendPreview, RenderedModel } from "../offline/rendered.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { Flags } from "../policy/contracts/flags.ts";
import { provenNamespaces } from "../unknowns/namespaces.ts";
import { withUnread } from "../unknowns/unread.ts";

export interface ModelsOptions extends BackendConfig {
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Every kind unless given. */
  readonly kinds?: Flags;
  /** True: no verdict is asked, rows alone, and the world is as `run` would know it. */
  readonly rowsOnly?: boolean;
}

export interface WorldModels {
  /** As `run` would know the world: for rows. */
  readonly model: RenderedModel;
  /** With the namespaces that objects prove although their Namespace was not read: for verdicts. The same where all were read. */
  readonly judged: RenderedModel;
  /** As `judged`, without the kinds that another program enforces: for rows that stand beside verdicts. */
  readonly compared: RenderedModel;
  readonly proven: readonly NamespaceFact[];
  /** Of every policy that was read. */
  readonly records: ReturnType<RenderedModel["records"]>;
  /** Of the judged kinds, as those models have them. */
  readonly dialects: readonly Dialect[];
  /** A model of a world of these objects, by those dialects. */
  readonly modelOf: (objects: readonly WorldObject[]) => RenderedModel;
}

/** The kinds that the command reads. */
export function kindsRead({ kinds = everyKind, rowsOnly }: Pick<ModelsOptions, "kinds" | "rowsOnly">): Flags {
  return rowsOnly === true ? kinds : judgingKinds(kinds);
}

interface Beside extends ModelsOptions {
  /** Kinds of which objects were not read. */
  readonly unread: readonly ObjectKind[];
  readonly workloads: readonly Workload[];
}

export function modelsOf(objects: readonly WorldObject[], options: Beside): WorldModels {
  const { kinds = everyKind, rowsOnly, unread, workloads } = options;
  const living = [...objects, ...workloads.map(({ template }) => template)];
  const proven = rowsOnly === true ? [] : provenNamespaces(living);
  const all = proven.length === 0 ? objects : [...objects, ...proven];
  const others = rowsOnly === true ? [] : kindsOfOthers(kinds);
  const { dialects, modelOf } = modelsWith(kindsRead(options), options, unread, others);
  if (others.length === 0) {
    const model = modelOf(objects);
    const judged = all === objects ? model : modelOf(all);
    return { model, judged, compared: judged, proven, records: [...model.records()], dialects, modelOf };
  }
  const isOwn = (object: WorldObject): boolean => !isApiObject(object) || !isOneOf(others, object);
  const { modelOf: ownModelOf } = modelsWith(kinds, options, unread);
  const model = ownModelOf(objects.filter(isOwn));
  const judged = modelOf(all);
  const theirs = [...judged.records()].filter(({ object }) => !isOwn(object));
  return {
    ...{ model, judged, proven, dialects, modelOf, records: [...model.records(), ...theirs] },
    compared: all === objects ? model : ownModelOf(all.filter(isOwn)),
  };
}

/**
 * Models by the kinds that are read: of a cluster of `--cni` without the rows of a backend. `others`: kinds that another program
 * enforces.
 */
export function modelsWith(
  kinds: Flags,
  { families, zone, backend, backendFlags }: Omit<ModelsOptions, "kinds">,
  unread: readonly ObjectKind[],
  others: readonly ObjectKind[] = [],
): Pick<WorldModels, "dialects" | "modelOf"> {
  const { dialects: all, tierLayout } = installed(kinds);
  const isPlugins = cniNamed(kinds[cniFlag]) !== null;
  const isOthers = ({ kinds: own }: Dialect): boolean =>
    isPlugins || own.some((kind) => others.some((one) => isSameKind(one, kind)));
  const dialects = withUnread(all, unread).map((one) => (isOthers(one) ? { ...one, isOthers: true } : one));
  if (isPlugins) return { dialects, modelOf: (objects) => modelWithoutRows(objects, dialects, families) };
  const modelOf = (objects: readonly WorldObject[]) =>
    backendNamed(backend).model({ objects, dialects, families, zone, backendFlags, tierLayout });
  return { dialects, modelOf };
}

/** Of a cluster whose network plugin enforces the policies: none is refused for want of a place or of rows. */
function modelWithoutRows(
  objects: readonly WorldObject[],
  dialects: readonly Dialect[],
  families: ModelsOptions["families"],
): RenderedModel {
  const backend: BackendPreview = { ...noBackend, unmatchedPorts: () => [] };
  const model = new OfflineModel({ dialects, families, backend: () => backend });
  model.observe(objects);
  return model;
}

export function isOneOf(
  kinds: readonly ObjectKind[],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): boolean {
  return kinds.some((one) => isSameKind(one, { group: groupOf(apiVersion), kind }));
}
