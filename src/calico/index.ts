// The policy model of projectcalico.org/v3, and its dialect. The other files of this folder are private.

import type { OtherModel } from "../policy/contracts/policy-model.ts";
import { calicoDialect } from "./compile.ts";
import { adapted } from "./model/others.ts";
import { demands, layoutOf } from "./model/flags.ts";

export const calico: OtherModel = {
  name: "calico",
  tierLayout: layoutOf,
  dialects: [calicoDialect],
  adapt: adapted,
  demands,
};
