// A unit that policies share, as a test double: one address set with the subjects of all its users, to which every ACL of
// theirs refers. Policies whose names begin with "shared" use it.

import type { Layout } from "../../src/nbdb/rows/layout.ts";
import { hashedName, keys, ownerController } from "../../src/nbdb/rows/names.ts";
import type { Owners } from "../../src/nbdb/rows/owners.ts";
import { renderPolicy } from "../../src/nbdb/rows/render.ts";
import { groupKeys } from "../../src/contents/rule-peers.ts";
import type { SharedUnit } from "../../src/nbdb/rows/sets/shared-unit.ts";
import type { UnitKey } from "../../src/nbdb/rows/unit.ts";
import { sharedUnit } from "../../src/nbdb/rows/unit.ts";
import type { Policy, PolicyKey } from "../../src/policy/ir.ts";
import type { SharedUnits } from "./controller.ts";

const ownerType = "TestSharedSet";
const externalIds = new Map([
  [keys.id, `${ownerController}:${ownerType}:subjects:v4`],
  [keys.name, "subjects"],
  [keys.ownerController, ownerController],
  [keys.ownerType, ownerType],
]);

export const sharedSet: { readonly unit: UnitKey; readonly name: string } = {
  unit: sharedUnit(ownerType, "subjects"),
  name: hashedName(externalIds),
};

const uses = ({ ref }: Policy): boolean => ref.name.startsWith("shared");

const layout: Layout = {
  render: (policy, options, before) => {
    if (!uses(policy)) return renderPolicy(policy, options, before);
    const rows = renderPolicy(policy, options);
    const parts = Array.from(rows.parts, ([key, part]) => {
      const acls = part.acls.map(({ id, row }) => {
        return { id, row: { ...row, match: `${row.match} && ip4.src != $${sharedSet.name}` } };
      });
      return [key, { ...part, acls }] as const;
    });
    return { ...rows, parts: new Map(parts), shared: new Map([[sharedSet.unit, described()]]), delta: null };
  },
};

function described(): SharedUnit {
  const users = new Map<PolicyKey, Policy>();
  return {
    unit: sharedSet.unit,
    users: {
      set: (policy) => void users.set(policy.key, policy),
      remove: (key) => void users.delete(key),
    },
    render: ({ families }) => {
      const { unit, name } = sharedSet;
      const subjects = [...users.values()].flatMap(({ subject }) => groupKeys(subject));
      const groups = [...new Set(subjects)].sort();
      const set = { unit, name, externalIds, family: "v4", groups, networks: new Set<never>() } as const;
      const part = { portGroup: null, addressSets: [set], acls: [], namedPorts: null };
      return { unit, families, portGroups: [], parts: new Map([["subjects", part]]) };
    },
  };
}

const sharedOwners: Owners = new Map([[ownerType, () => sharedSet.unit]]);

export const sharedUnits: SharedUnits = { layout, sharedOwners };
