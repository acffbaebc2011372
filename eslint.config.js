import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", ".cache/", "node_modules/", "e2e/controlplane/"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      complexity: ["error", 14],
      "max-depth": ["error", 3],
      "max-params": ["error", 5],
      "no-console": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
    },
  },
  {
    // Small rooms: a longer file or function has more than one reason to exist.
    files: ["src/**/*.ts", "src/**/*.js"],
    ignores: ["**/*.test.ts"],
    rules: {
      "max-lines": ["error", { max: 300 }],
      "max-lines-per-function": ["error", { max: 60 }],
    },
  },
  {
    // Every transaction to the Northbound database goes through one door, where a precondition can be put at its head.
    files: ["src/**/*.ts"],
    // The rows of a node's switch are in another database, with a door of their own.
    ignores: [
      ...["src/ovsdb/**", "src/nbdb/write/northbound-writer.ts"],
      "src/observe/openvswitch/collector-rows.ts",
    ],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...[
          "MemberExpression[property.name='transact']:not([object.name='writer']):not([object.property.name='writer'])",
          "ObjectPattern > Property[key.name='transact']",
        ].map((selector) => ({ selector, message: "write through the NorthboundWriter" })),
      ],
    },
  },
  {
    // And the backend holds nothing else that could write.
    files: ["src/nbdb/**/*.ts"],
    // tools/ opens sessions of its own for commands, and run/ that of a run: both write through the writer too. observe/ only reads.
    ignores: [
      "src/nbdb/write/northbound-writer.ts",
      ...["src/nbdb/tools/**", "src/nbdb/run/**", "src/nbdb/observe/**", "**/*.test.ts"],
    ],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: [
                "**/ovsdb/session/session.ts",
                "**/ovsdb/session/socket-session.ts",
                "**/ovsdb/index.ts",
              ],
              importNames: ["Session", "SocketSession", "openSession"],
              message: "take a NorthboundView to read and a NorthboundWriter to write",
            },
          ],
        },
      ],
    },
  },
  {
    // A test double may do nothing, and node:test-like callbacks need not await.
    files: ["**/*.test.ts", "test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-empty-function": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      // The rows of a table of cases are its tests' parameters.
      "max-params": "off",
    },
  },
  {
    // Limits of tests grow with the machine's load (test/support/patience.ts): a number alone does not.
    files: ["test/**/*.ts", "e2e/**/*.ts"],
    ignores: ["test/ovsdb/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...["[callee.name=/^(test|before|after)/]", "[callee.callee.object.name='test']"].map((call) => ({
          selector: `CallExpression${call} > Literal[raw=/^[0-9]/]`,
          message: "patience(…), or jest.setTimeout(patience(…)) at the top of the file",
        })),
      ],
    },
  },
  {
    // winston's own transport classes are declared apart from the class its options ask for.
    files: ["src/log.ts"],
    rules: { "@typescript-eslint/no-unsafe-class-instance-assignment": "off" },
  },
  { files: ["src/lib/logger.ts"], rules: { "@typescript-eslint/no-empty-function": "off" } },
  {
    // The page's scripts: checked for types by src/ui/page/tsconfig.json.
    files: ["src/ui/page/*.js"],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...["document", "location", "history", "fetch", "setTimeout", "clearTimeout", "addEventListener"],
          ...[
            "dispatchEvent",
            "scrollTo",
            "scrollX",
            "scrollY",
            "URLSearchParams",
            "AbortController",
            "DOMException",
            "EventSource",
            "FormData",
          ],
          ...["Node", "Element", "Event", "PopStateEvent", "HTMLElement", "HTMLInputElement"],
        ].map((name) => [name, "readonly"]),
      ),
    },
  },
  {
    files: ["**/*.js", "**/*.cjs"],
    languageOptions: {
      globals: { process: "readonly", URL: "readonly", module: "writable", console: "readonly" },
    },
  },
);
