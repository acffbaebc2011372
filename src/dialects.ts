// The list of installed policy frontends, and what follows from it. A new dialect adds one line.

import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./anp/index.ts";
import { clusterNetworkPolicy } from "./cnp/index.ts";
import type { ShownKey } from "./model/object.ts";
import { shownAmong } from "./model/object.ts";
import type { Dialect } from "./policy/dialect.ts";
import { kindsToRead, ownersOf } from "./policy/dialect.ts";

export const dialects: readonly Dialect[] = [
  adminNetworkPolicy,
  baselineAdminNetworkPolicy,
  clusterNetworkPolicy,
];

export const { policies, references } = kindsToRead(dialects);

/** What help texts call them. */
export const kindNames: readonly string[] = policies.map(({ kind }) => kind);

export const owners = ownersOf(dialects);

export const shownKey: ShownKey = shownAmong([...policies, ...references]);
