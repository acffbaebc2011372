// The ends of a group for people: workloads with how many of their pods, and addresses. Long lists are cut and counted.

import type { Members, WorkloadPart } from "../../can/report.ts";
import { printable } from "../../model/quote.ts";

/** "3 pods of 2 workloads, 1 workload without pods"; each once, in however many of the groups it is. "" of addresses alone. */
export function countedText(all: readonly Members[]): string {
  const parts = all.flatMap((one) => one.workloads);
  const workloads = new Map(parts.filter((part) => !isAbsent(part)).map((part) => [part.title, part]));
  const absent = new Set(parts.filter(isAbsent).map(titleText));
  const pods = [...workloads.keys()].reduce((sum, title) => sum + podsOf(title, all), 0);
  return [
    ...(pods > 0 ? [`${podsText(pods)} of ${countText(workloads.size, "workload")}`] : []),
    ...(absent.size > 0 ? [`${countText(absent.size, "workload")} without pods`] : []),
  ].join(", ");
}

/** How many workloads stand for pods. */
export function withoutPods({ workloads }: Members): number {
  return workloads.filter(isAbsent).length;
}

/** Of a workload, each pod once, in however many groups it is. */
function podsOf(title: string, all: readonly Members[]): number {
  const parts = all.flatMap(({ workloads }) => workloads.filter((part) => part.title === title));
  const whole = parts.find(({ names }) => names === undefined);
  return whole?.of ?? new Set(parts.flatMap(({ names = [] }) => names)).size;
}

/** `most`: workloads that are shown; `role`: before each line. */
export function membersLines(
  { workloads, addressesTitle }: Members,
  most: number,
  role: string,
): readonly string[] {
  // One more is no longer than to count it.
  const cut = workloads.length > most + 1 ? most : workloads.length;
  const [shown, rest] = [workloads.slice(0, cut), workloads.slice(cut)];
  const pods = rest.reduce((sum, part) => sum + part.pods, 0);
  const lines = [
    ...shown.map((part) => `${partText(part).padEnd(12)}  ${titleText(part)}`),
    ...(rest.length > 0 ? [restText(pods, rest.length)] : []),
    ...(addressesTitle === "" ? [] : [`${"addresses".padEnd(12)}  ${printable(addressesTitle)}`]),
  ];
  return lines.map((line) => `${role}${line}`);
}

function restText(pods: number, workloads: number): string {
  if (pods === 0) return `${"workloads".padEnd(12)}  ${workloads} more`;
  return `${podsText(pods).padEnd(12)}  of ${workloads} more workloads`;
}

/** It stands for pods that are not there. */
function isAbsent({ of }: WorkloadPart): boolean {
  return of === 0;
}

function partText(part: WorkloadPart): string {
  if (isAbsent(part)) return "workload";
  const { pods, of } = part;
  return pods === of ? podsText(pods) : `${pods} of ${podsText(of)}`;
}

function titleText({ title, kind }: WorkloadPart): string {
  return kind === null ? printable(title) : `${printable(title)} (${printable(kind)})`;
}

function podsText(count: number): string {
  return countText(count, "pod");
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
