// The list of installed policy frontends. A new dialect adds one line.

import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./anp/index.ts";
import type { Dialect } from "./policy/dialect.ts";

export const dialects: readonly Dialect[] = [adminNetworkPolicy, baselineAdminNetworkPolicy];
