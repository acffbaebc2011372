// A copy of the product that has the dialect of tests: its folder, its line in the list of dialects, and its lines in the layer rules.

import type { ExtendedProgram } from "../support/extended-program.ts";
import { extendedProgram } from "../support/extended-program.ts";

export const rules = ".dependency-cruiser.cjs";

export function trafficProgram(): ExtendedProgram {
  return extendedProgram(
    "traffic",
    "test/dialect",
    ["index.ts", "kinds.ts", "compile.ts", "rules.ts", "stored.ts", "subjects.ts"],
    [
      {
        file: "src/dialects.ts",
        was: 'import { antrea } from "./antrea/index.ts";\n',
        becomes:
          'import { antrea } from "./antrea/index.ts";\nimport { traffic } from "./traffic/index.ts";\n',
      },
      {
        file: "src/dialects.ts",
        was: "networkPolicy, antrea];",
        becomes: "networkPolicy, antrea, traffic];",
      },
      {
        file: rules,
        was: '  antrea: ["kubernetes", ...base],\n',
        becomes: '  antrea: ["kubernetes", ...base],\n  traffic: ["kubernetes", ...base],\n',
      },
      { file: rules, was: '["anp", "antrea",', becomes: '["anp", "antrea", "traffic",' },
    ],
  );
}
