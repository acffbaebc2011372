import { measureSlowness, patience, slownessVariable } from "./test/support/patience.ts";

// Measured before the tests themselves make the machine busy, and handed to the processes that run them.
process.env[slownessVariable] ??= String(measureSlowness());

/** @type {import('jest').Config} */
export default {
  testEnvironment: "node",
  testSequencer: "<rootDir>/scripts/support/longest-first.ts",
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2024" }, module: { type: "es6" } },
    ],
  },
  testMatch: ["<rootDir>/src/**/*.test.ts", "<rootDir>/test/**/*.test.ts", "<rootDir>/e2e/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/.cache"],
  // A bound against hanging, not a measure: the machine may be busy with other things.
  testTimeout: patience(60_000),
  watchman: false,
};
