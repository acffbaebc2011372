// The table of docs/install.md about an upgrade and the way back.

import type { Circumstances } from "../../scripts/support/measuring.ts";
import type { Rolled } from "./roll.ts";

export interface UpgradeResults extends Circumstances {
  readonly when: string;
  readonly load: number;
  readonly rolled: readonly Rolled[];
}

export function upgradeTable({ machine, node, ovn, load, when, rolled }: UpgradeResults): string {
  const row = (...cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const heads = [
    ...["from", "to", "new writer after", "operations on rows", "rows changed, removed"],
    ...["conditions written", "the new standby says", "an edit after it is written after"],
  ];
  const lines = rolled.map((one) =>
    row(
      ...[`\`${one.from}\``, `\`${one.to}\``, rounded(one.takeoverMs), one.operations],
      ...[
        `${one.changed}, ${one.removed}`,
        one.conditionsWritten,
        `\`${one.standby}\``,
        one.editMs === null ? "–" : rounded(one.editMs),
      ],
    ),
  );
  const where = `${machine}; Node ${node}, OVN ${ovn}; load ${load.toFixed(1)}; ${when.slice(0, 10)}.`;
  return `${where}\n\n${[row(...heads), row(...heads.map(() => "---")), ...lines].join("\n")}\n`;
}

const rounded = (ms: number): string => `${Math.round(ms)} ms`;
