// Programs in nftables: one table for both families.

import { ipFamilies } from "../../model/ip.ts";
import { withGeneration } from "../live/generation.ts";
import type { FilterLanguage } from "../live/language.ts";
import type { FilterForm } from "../options.ts";
import { tableChains } from "./chain-items.ts";
import { numberIn } from "./established.ts";
import { hookChains } from "./hooks.ts";
import { nftChains } from "./print-chains.ts";
import { nftSetForm } from "./sets.ts";

export function nftLanguage(form: FilterForm): FilterLanguage {
  return {
    tables: [{ name: "inet", families: ipFamilies }],
    sets: nftSetForm,
    chains: tableChains,
    print: (program, { families }) => nftChains(program, families, form),
    numbered: (desired, actual, { families }) => {
      if (form.established === "keep") return desired;
      return withGeneration(desired, actual, {
        print: (number) => hookChains(families, form, number),
        numberIn,
      });
    },
    setsIn: (rule) => Array.from(rule.matchAll(/@(\S+)/g), ([, name = ""]) => name),
  };
}
