// What CHANGELOG.md says of one version: the text of its section, without the heading. Its links to files lead to the version's tag.

import { home } from "./home.ts";

/**
 * The section `## [1.2.3]`, with or without a day; of a version that has none, `## [Unreleased]`.
 * Throws where there is neither, and where the section is empty.
 */
export function notesOf(changelog: string, version: string): string {
  const sections = new Map<string, string>();
  for (const part of changelog.split(/^## /m).slice(1)) {
    const [, name = ""] = /^\[([^\]]+)\]/.exec(part) ?? [];
    sections.set(name, part.slice(part.indexOf("\n")).replace(/^\[[^\]]+\]: .*$/gm, ""));
  }
  const text = (sections.get(version) ?? sections.get("Unreleased"))?.trim();
  if (text === undefined || text === "")
    throw new Error(
      `CHANGELOG.md says nothing of ${version}, neither under its version nor under Unreleased`,
    );
  const linked = text.replaceAll(/\]\((?!https?:|#)/g, `](${home}/blob/v${version}/`);
  return `# Northgate ${version}\n\n${linked}\n`;
}
