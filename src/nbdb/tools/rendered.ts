// The offline model with the rows that the Northbound database would get: what `northgate render` prints, and what tests
// and plans compare with. Refuses nothing but what the model refuses.

import { invariant } from "../../lib/invariant.ts";
import type { WorldObject } from "../../model/object.ts";
import type { ModelOptions } from "../../offline/model.ts";
import { OfflineModel } from "../../offline/model.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import { expectedPriorities, policyKinds } from "../../policy/contracts/dialect.ts";
import { Preview } from "../desired/preview.ts";
import type { Layout } from "../rows/layout.ts";
import type { SampledTables, Tables } from "../rows/records.ts";
import type { RenderMode } from "../rows/render-mode.ts";

export interface RenderedOptions extends Omit<ModelOptions<Preview>, "backend" | "zone"> {
  readonly objects: Iterable<WorldObject>;
  readonly mode: RenderMode;
  /** One unit for each policy unless given. */
  readonly layout?: Layout | undefined;
}

class NorthboundModel extends OfflineModel<Preview> {
  /** The rows of all policies now in force; at existing places, where the order of policies allows them. */
  tables(existing?: Parameters<Preview["tables"]>[0]): Tables {
    return this.backend.tables(existing);
  }
}

/** A model that has observed the objects. */
export function offlineModel({ objects, mode, layout, ...options }: RenderedOptions): NorthboundModel {
  const expected = expectedPriorities(policyKinds(options.dialects));
  const model = new NorthboundModel({
    ...options,
    zone: mode.zone,
    backend: (membership) => new Preview(membership, { ...mode, expected }, layout),
  });
  model.observe(objects);
  return model;
}

/** As NorthboundModel.tables, of a model that offlineModel has made. */
export function tablesOf({ backend }: RenderedModel, existing?: Parameters<Preview["tables"]>[0]): Tables {
  invariant(backend instanceof Preview, "the model is of another backend");
  return backend.tables(existing);
}

/** As tablesOf, with what ACLs are sampled with, where they are. */
export function sampledTablesOf({ backend }: RenderedModel): Tables | SampledTables {
  invariant(backend instanceof Preview, "the model is of another backend");
  return backend.sampledTables();
}
