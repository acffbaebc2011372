// What `make audit` lets pass: this tree's production dependencies, and nothing that it does not understand.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { readAdvisories } from "../../scripts/support/advisories.ts";
import type { LockedPackage } from "../../scripts/support/licences.ts";
import { isAllowed, licencesOf } from "../../scripts/support/licences.ts";

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-only)", true],
  ["GPL-3.0-only OR AGPL-3.0-only", false],
  ["MIT AND ISC", true],
  ["MIT AND GPL-2.0-only", false],
  ["MIT OR ISC AND GPL-2.0-only", false],
  ["(MIT OR ISC) AND GPL-2.0-only", false],
  ["GPL-3.0-or-later", false],
  ["SEE LICENSE IN LICENSE", false],
  ["UNLICENSED", false],
  ["", false],
])("the licence %j is allowed: %j", (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test("packages for development and our own do not count; optional and nested ones do, and silence is no licence", () => {
  const packages: Readonly<Record<string, LockedPackage>> = {
    "": { version: "1", license: "GPL-3.0-only" },
    "node_modules/tool": { version: "1", license: "GPL-3.0-only", dev: true },
    "node_modules/a": { version: "1", license: "MIT" },
    "node_modules/a/node_modules/@s/b": { version: "2", license: "AGPL-3.0-only" },
    "node_modules/c": { version: "3" },
    "node_modules/d": { version: "4", license: { type: "MIT" } },
  };
  const refused = licencesOf(packages).filter(({ allowed }) => !allowed);
  expect(refused.map(({ name }) => name)).toEqual(["@s/b@2", "c@3", "d@4"]);
  expect(licencesOf(packages)).toHaveLength(4);
});

test("every production dependency of this tree has an allowed licence", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = licencesOf(packages);
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter(({ allowed }) => !allowed)).toEqual([]);
});

test.each([
  ["no advisories", { auditReportVersion: 2, vulnerabilities: {} }, { kind: "none" }],
  [
    "one, with its cause",
    {
      auditReportVersion: 2,
      vulnerabilities: {
        ws: { severity: "high", via: [{ title: "DoS" }] },
        a: { severity: "high", via: ["ws"] },
      },
    },
    { kind: "found", lines: ["ws: high, DoS", "a: high, by ws"] },
  ],
  [
    "a registry that does not answer",
    { message: "405 Method Not Allowed\nmore" },
    { kind: "unknown", why: "405 Method Not Allowed" },
  ],
  [
    "an error",
    { error: { code: "ENOTFOUND", summary: "no such host" } },
    { kind: "unknown", why: "no such host" },
  ],
  ["something else", {}, { kind: "unknown", why: "npm printed no report" }],
  ["a report without its part", { auditReportVersion: 2 }, { kind: "unknown", why: "npm printed no report" }],
])("npm audit prints %s", (_, report, read) => {
  expect(readAdvisories(JSON.stringify(report))).toEqual(read);
});

test.each(["", "npm error something", "[", "null"])("npm audit prints %j, which is not 'none'", (printed) => {
  expect(readAdvisories(printed).kind).toBe("unknown");
});
