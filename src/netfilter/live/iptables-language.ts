// Programs in iptables and ipset: a table for each family.

import { ipFamilies } from "../../model/ip.ts";
import { numberIn } from "../established.ts";
import type { FilterForm } from "../options.ts";
import { hookChains, marksOf } from "../print-hooks.ts";
import { chainTexts } from "../print-iptables.ts";
import { ipsetForm } from "../set-contents.ts";
import { iptablesChains } from "./chain-items.ts";
import { withGeneration } from "./generation.ts";
import type { FilterLanguage } from "./language.ts";

export function iptablesLanguage(form: FilterForm): FilterLanguage {
  return {
    tables: ipFamilies.map((family) => ({ name: family, families: [family] })),
    sets: ipsetForm,
    chains: iptablesChains,
    print: (program, { families }) => families.flatMap((family) => chainTexts(program, family, form)),
    numbered: (desired, actual, { families }) => {
      if (form.established === "keep") return desired;
      return withGeneration(desired, actual, {
        print: (number) => families.flatMap((family) => hookChains(family, form, marksOf(form), number)),
        numberIn,
      });
    },
    setsIn: (rule) => Array.from(rule.matchAll(/--match-set (\S+)/g), ([, name = ""]) => name),
  };
}
