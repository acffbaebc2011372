// The table of docs/real-cluster.md: what each fault did to connections, and when the other replica wrote.

import { placeBetween } from "../../../scripts/support/page-part.ts";
import type { Circumstances } from "../../../scripts/support/measuring.ts";
import type { Outcome } from "./run.ts";

const heads = [
  "fault",
  "times, right",
  "allowed connections: made, lost",
  "denied connections: stopped, let through",
  "the other replica writes after: median / maximum",
];

export function table(outcomes: readonly Outcome[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return `${[row(heads), row(heads.map(() => "---")), ...outcomes.map((one) => row(cellsOf(one)))].join("\n")}\n`;
}

function cellsOf({
  name,
  asked,
  right,
  made,
  lost,
  stopped,
  letThrough,
  takeover,
}: Outcome): readonly string[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  return [
    ...[name, `${asked}, ${right === asked ? "all" : String(right)}`],
    ...[`${made}, ${lost}`, `${stopped}, ${letThrough}`],
    takeover === null ? "–" : `${seconds(takeover.median)} / ${seconds(takeover.worst)}`,
  ];
}

export async function intoPage(
  page: string,
  {
    machine,
    node,
    ovn,
    load,
    outcomes,
  }: Circumstances & { readonly load: number; readonly outcomes: readonly Outcome[] },
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const where = `${machine}; Node ${node}, OVN ${ovn}; load ${load.toFixed(1)}; ${day}.`;
  await placeBetween(page, "cluster-faults", `${where}\n\n${table(outcomes)}`);
}
