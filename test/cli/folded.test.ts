// Tables and texts at 80 columns and at 40: no line is wider, but for single words, and no word is lost. Without a width each line is whole.

import { expect, jest, test } from "@jest/globals";
import { patience } from "../support/patience.ts";
import { northgateIn } from "../support/program.ts";

jest.setTimeout(patience(120_000));

const sample = ["-f", "examples/cluster-control"];
const splunk = "splunk/splunk-5f8c6d9f7b-7jx2p";
const dns = "kube-system/coredns-76f75df574-5sn7h";
const udp = ["--protocol", "udp", "--port", "5353"];

const wordsOf = (text: string) =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .sort();
/** A word of half the width, behind what stands left of it, may have no room. */
const tooWide = (text: string, width: number, longest = Infinity) =>
  text
    .split("\n")
    .filter((line) => line.length > width && line.trim().includes(" "))
    .filter((line) => line.split(" ").every(({ length }) => length < longest));

test.each<readonly [line: string, ...args: readonly string[]]>([
  ["get", "get", ...sample],
  ["get -o wide", "get", "-o", "wide", ...sample],
  ["get rules", "get", "rules", ...sample],
  ["get pod", "get", "pod", splunk, ...sample],
  ["lint", "lint", "--all", ...sample],
  ["can --to", "can", "--to", dns, ...sample],
  ["can --all", "can", "--all", ...sample],
  ["explain", "explain", "--from", splunk, "--to", dns, ...udp, ...sample],
  ["explain of many", "explain", "--from", "splunk/*", "--to", "kube-system/*", ...udp, ...sample],
  ["plan", "plan", "-f", "examples/multi-tenant/flipped", "--against", "dir:examples/multi-tenant"],
])("%s", (_, ...args) => {
  const whole = northgateIn({ COLUMNS: "" }, ...args).stdout;
  expect(tooWide(whole, 80)).not.toEqual([]);
  for (const width of [80, 40]) {
    const { stdout } = northgateIn({ COLUMNS: String(width) }, ...args);
    expect(tooWide(stdout, width, width < 80 ? width / 2 : Infinity)).toEqual([]);
    expect(wordsOf(stdout)).toEqual(wordsOf(whole));
  }
});

test("matrix: columns that do not fit are a grid of their own, and names give way to numbers", () => {
  const args = ["matrix", ...sample];
  const whole = northgateIn({ COLUMNS: "" }, ...args).stdout;
  const signs = (text: string) =>
    [
      ...text
        .split("\n\n")
        .slice(1, -1)
        .join("\n")
        .matchAll(/[●◐○?]/g),
    ].length;
  const { stdout } = northgateIn({ COLUMNS: "30" }, ...args);
  expect(tooWide(stdout, 30)).toEqual([]);
  expect(stdout.match(/^from ╲ to/gm)?.length).toBeGreaterThan(1);
  expect(signs(stdout)).toBe(signs(whole));
});
