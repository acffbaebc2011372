// The notes of a version, from a changelog as Keep a Changelog has it.

import { expect, test } from "@jest/globals";
import { notesOf } from "../../scripts/support/release-notes.ts";

const changelog = `# Changelog

What users see.

## [Unreleased]

### Added

- a page ([docs/a.md](docs/a.md), [more](https://example.org))

## [1.2.3] - 2026-01-02

### Fixed

- \`## no heading\` in a line

## [1.2.2] - 2026-01-01

[unreleased]: docs/versions.md
`;

test("a version's own section, and nothing of another", () => {
  expect(notesOf(changelog, "1.2.3")).toBe("# Northgate 1.2.3\n\n### Fixed\n\n- `## no heading` in a line\n");
});

test("of a version without a section: what is unreleased, with links that lead somewhere", () => {
  expect(notesOf(changelog, "2.0.0")).toBe(
    "# Northgate 2.0.0\n\n### Added\n\n- a page ([docs/a.md](https://github.com/northgate-ovn/northgate/blob/v2.0.0/docs/a.md), [more](https://example.org))\n",
  );
});

test("nothing to say is an error", () => {
  expect(() => notesOf(changelog, "1.2.2")).toThrow("CHANGELOG.md says nothing of 1.2.2");
  expect(() => notesOf("# Changelog\n", "1.0.0")).toThrow("CHANGELOG.md says nothing of 1.0.0");
});
