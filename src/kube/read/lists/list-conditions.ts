// Lists the conditions of every object of some kinds once, for commands that ask what was reported on them.

import type { ObjectKind } from "../../../model/object.ts";
import { Field, Problems } from "../../../model/reader.ts";
import type { KubeApi } from "../../transport/api.ts";
import { collectionPath } from "../../transport/paths.ts";
import { defaultTiming } from "../../transport/timing.ts";
import type { Condition } from "../conditions.ts";
import { readConditions } from "../conditions.ts";
import { list } from "../list.ts";

export interface ReportedObject {
  /** null: of no namespace. */
  readonly namespace: string | null;
  readonly name: string;
  readonly generation: number | null;
  readonly conditions: readonly Condition[];
}

/** `as`: where the server serves the kind. Throws a Failure when it cannot be listed. */
export async function listConditions(api: KubeApi, as: ObjectKind): Promise<readonly ReportedObject[]> {
  const found: ReportedObject[] = [];
  await list({
    ...{ api, path: collectionPath(as), pageSize: defaultTiming.pageSize },
    ...{ signal: new AbortController().signal, asked: () => undefined },
    absorb: (item) => {
      const metadata = new Field(new Problems(), "", item).at("metadata");
      const { raw: name } = metadata.at("name");
      const { raw: namespace } = metadata.at("namespace");
      const { raw: generation } = metadata.at("generation");
      if (typeof name !== "string") return;
      found.push({
        ...{ name, conditions: readConditions(item) },
        namespace: typeof namespace === "string" ? namespace : null,
        generation: typeof generation === "number" ? generation : null,
      });
    },
  });
  return found;
}
