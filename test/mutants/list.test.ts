// The list of mutants cannot rot unseen: each stands exactly once in its file and leaves a file that can be read.

import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "@jest/globals";
import { mutants } from "./list.ts";
import { areas, planted, StaleMutantError } from "./mutant.ts";

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

describe("mutants", () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))("%s", (_, mutant) => {
    const mistaken = planted(mutant, textOf(mutant.file));
    expect(() => stripTypeScriptTypes(mistaken)).not.toThrow();
  });

  test("have names of their own, and there are enough of each area", () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const area of areas)
      expect(mutants.filter((mutant) => mutant.area === area).length).toBeGreaterThanOrEqual(6);
  });

  test("are refused where their text does not stand exactly once", () => {
    const mutant = { name: "m", area: "planner", file: "f", was: "a", becomes: "$&", harm: "" } as const;
    expect(() => planted(mutant, "bb")).toThrow(StaleMutantError);
    expect(() => planted(mutant, "aa")).toThrow(StaleMutantError);
    expect(planted(mutant, "bab")).toBe("b$&b");
  });
});
