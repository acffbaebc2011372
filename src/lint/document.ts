// The catalogue as the documentation has it: a section for each rule in docs/lint.md, and the head of each rule's own page.

import { invariant } from "../lib/invariant.ts";
import { catalogue } from "./catalogue.ts";
import type { CatalogueRule } from "./catalogue-rule.ts";

const marks = { begin: "<!-- catalogue: node scripts/lint-doc.ts -->", end: "<!-- end of the catalogue -->" };
const headMarks = { begin: "<!-- the rule: node scripts/lint-doc.ts -->", end: "<!-- end of the rule -->" };

/** docs/lint.md with the present catalogue. */
export function withCatalogue(page: string): string {
  const sections = catalogue.map(
    (rule) => `### ${titleOf(rule)}\n\n${textOf(rule)}\n\n[Examples](lint/${rule.id}.md)`,
  );
  return between(page, marks, sections.join("\n\n"));
}

/** The page of the rule, docs/lint/ID.md, with its present title and text. */
export function withRule(page: string, rule: CatalogueRule): string {
  return between(page, headMarks, `# ${titleOf(rule)}\n\n${textOf(rule)}`);
}

function between(page: string, { begin, end }: typeof marks, text: string): string {
  const [first, last] = [page.indexOf(begin), page.indexOf(end)];
  invariant(first >= 0 && last > first, "the page has no place for the catalogue");
  return `${page.slice(0, first + begin.length)}\n\n${text}\n\n${page.slice(last)}`;
}

function titleOf({ id, name }: CatalogueRule): string {
  return `${id} ${name}`;
}

function textOf({ severities, found, help }: CatalogueRule): string {
  return `${severities.join(" or ")}. Found when ${found}.\n\n${help}`;
}
