// The offline model with the rows that the Northbound database would get: what `northgate render` prints, and what tests
// and plans compare with. Refuses nothing but what the model refuses.

import type { Tables } from "../nbdb/rows/records.ts";
import { Preview } from "../nbdb/desired/preview.ts";
import type { Layout } from "../nbdb/rows/layout.ts";
import type { RenderMode } from "../nbdb/rows/render-mode.ts";
import type { WorldObject } from "../model/object.ts";
import { expectedPriorities, policyKinds } from "../policy/dialect.ts";
import type { ModelOptions } from "./model.ts";
import { OfflineModel } from "./model.ts";

export interface RenderedOptions extends Omit<ModelOptions<Preview>, "backend" | "zone"> {
  readonly objects: Iterable<WorldObject>;
  readonly mode: RenderMode;
  /** One unit for each policy unless given. */
  readonly layout?: Layout | undefined;
}

export class RenderedModel extends OfflineModel<Preview> {
  /** The rows of all policies now in force; at places that stand, where the order of policies allows them. */
  tables(standing?: Parameters<Preview["tables"]>[0]): Tables {
    return this.backend.tables(standing);
  }
}

/** A model that has observed the objects. */
export function offlineModel({ objects, mode, layout, ...options }: RenderedOptions): RenderedModel {
  const expected = expectedPriorities(policyKinds(options.dialects));
  const model = new RenderedModel({
    ...options,
    zone: mode.zone,
    backend: (membership) => new Preview(membership, { ...mode, expected }, layout),
  });
  model.observe(objects);
  return model;
}
