// The policy model of projectcalico.org/v3, and its dialect. The other files of this folder are private.

import { otherModel } from "../policy/contracts/policy-model.ts";
import { namesFlag, namesOption } from "../policy/contracts/names.ts";
import { calicoDialectWith } from "./compile.ts";
import { adapted } from "./model/others.ts";
import { demands, layoutOf, othersOptions, placeOptions } from "./model/flags.ts";
import { apiOption, askedAs, stagingAskedAs } from "./model/api.ts";
import { staging } from "./model/staged.ts";

export const calico = otherModel({
  name: "calico",
  tierLayout: layoutOf,
  options: { "calico-api": apiOption },
  placeOptions,
  othersOptions,
  sharedOptions: { [namesFlag]: namesOption },
  dialects: ({ [namesFlag]: names, "calico-api": api }) => [askedAs(calicoDialectWith(names), api)],
  staging: (options) => stagingAskedAs(staging, options["calico-api"]),
  adapt: adapted,
  demands,
});
