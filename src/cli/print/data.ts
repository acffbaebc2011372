// Data on standard output as JSON or YAML. It holds users' text, so what is invisible is written by its number, as both allow
// between double quotes: the data are the same, and a terminal takes nothing in them for an instruction.

import { Document, visit } from "yaml";
import { visibleJson } from "../../model/quote.ts";

export function formatData(data: unknown, format: "json" | "yaml"): string {
  return visible(format === "json" ? `${JSON.stringify(data, null, 2)}\n` : yamlOf(data));
}

function visible(text: string): string {
  return text.split("\n").map(visibleJson).join("\n");
}

function yamlOf(data: unknown): string {
  // The same object in several places is written each time: an alias of YAML is not for people.
  const document = new Document(data, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      const { value } = scalar;
      if (typeof value === "string" && visibleJson(value) !== value) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}
