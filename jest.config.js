import { existsSync } from "node:fs";
import { keepCachesInClone } from "./scripts/support/caches.ts";
import { measureSlowness, patience, slownessVariable } from "./test/support/patience.ts";

// Measured before the tests themselves make the machine busy, and handed to the processes that run them.
process.env[slownessVariable] ??= String(measureSlowness());

// The processes that run the tests inherit these too.
keepCachesInClone();

// Of programs in Go, such as the API server: to collect garbage less often saves two fifths of their processor time, and for each API
// server takes 160 MB more.
process.env["GOGC"] ??= "400";

/** Where sources and tests are. Without the list jest would look through all of .cache and node_modules at each start. */
const folders = ["src", "tools", "test", "scripts", "bench", "soak", "faults", "e2e"];

/** @type {import('jest').Config} */
export default {
  testEnvironment: "<rootDir>/scripts/support/plain-environment.ts",
  // A copy of the sources may have only some of them.
  roots: folders
    .filter((folder) => existsSync(new URL(folder, import.meta.url)))
    .map((folder) => `<rootDir>/${folder}`),
  cacheDirectory: "<rootDir>/.cache/jest",
  testSequencer: "<rootDir>/scripts/support/longest-first.ts",
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2024" }, module: { type: "es6" } },
    ],
  },
  testMatch: ["src", "tools", "test", "e2e"].map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  moduleNameMapper: { "^fast-check$": "<rootDir>/test/support/fast-check.ts" },
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/.cache"],
  // A bound against hanging, not a measure: the machine may be busy with other things.
  testTimeout: patience(60_000),
  watchman: false,
};
