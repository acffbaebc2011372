// Data on standard output as JSON or YAML. It holds users' text, so what is invisible is written as JSON writes it: the data
// are the same, and a terminal takes nothing in them for an instruction.

import { stringify as toYaml } from "yaml";
import { visibleJson } from "../model/quote.ts";

export function formatData(data: unknown, format: "json" | "yaml"): string {
  if (format === "json") {
    const lines = JSON.stringify(data, null, 2).split("\n");
    return `${lines.map(visibleJson).join("\n")}\n`;
  }
  // The same object in several places is written each time: an alias of YAML is not for people.
  return toYaml(data, { lineWidth: 0, aliasDuplicateObjects: false, defaultStringType: "PLAIN" });
}
