// The catalogue as docs/lint.md has it: a section for each rule, between two marks in the page.

import { invariant } from "../lib/invariant.ts";
import { catalogue } from "./catalogue.ts";

const marks = { begin: "<!-- catalogue: node scripts/lint-doc.ts -->", end: "<!-- end of the catalogue -->" };

/** The page with the present catalogue. */
export function withCatalogue(page: string): string {
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  invariant(begin >= 0 && end > begin, "the page has no place for the catalogue");
  return `${page.slice(0, begin + marks.begin.length)}\n\n${catalogueText()}\n\n${page.slice(end)}`;
}

function catalogueText(): string {
  const sections = catalogue.map(
    ({ id, name, severities, found, help }) =>
      `### ${id} ${name}\n\n${severities.join(" or ")}. Found when ${found}.\n\n${help}`,
  );
  return sections.join("\n\n");
}
