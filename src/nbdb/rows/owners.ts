// Whose a row is: its external_ids name our controller, an owner type and a name. For each owner type that is ours there
// is a function from the external_ids to the unit; a row of any other type is somebody else's and is never written to.

import type { PolicyKey } from "../../policy/ir.ts";
import type { ExternalIds } from "./names.ts";
import { keys, ownerController } from "./names.ts";
import type { UnitKey } from "./unit.ts";
import { unitOfPolicy } from "./unit.ts";

/** By owner type: the unit that external_ids of the type name; null when they name none. */
export type Owners = ReadonlyMap<string, (externalIds: ExternalIds) => UnitKey | null>;

/** Kinds of policy, each of which is the owner type of its policies' own units. */
export function policyOwners(kinds: Iterable<string>): Owners {
  return new Map(
    Array.from(kinds, (kind) => [
      kind,
      (externalIds) => {
        const name = externalIds.get(keys.name);
        return name === undefined ? null : unitOfPolicy(`${kind}/${name.replace(":", "/")}` as PolicyKey);
      },
    ]),
  );
}

/** The unit that external_ids name as a row's owner; null for a row that is not ours. */
export function ownerOf(externalIds: ExternalIds, owners: Owners): UnitKey | null {
  if (externalIds.get(keys.ownerController) !== ownerController) return null;
  const type = externalIds.get(keys.ownerType);
  const unitOf = type === undefined ? undefined : owners.get(type);
  return unitOf?.(externalIds) ?? null;
}
