// Says whether this machine has iptables, ipset, root and netfilter in its kernel. Without them tests are skipped and say why;
// REQUIRE=netfilter makes that a failure.

import { describe } from "@jest/globals";
import type { Flavour } from "./tools.ts";
import { netfilterMissing } from "./tools.ts";
import { skippedGroup } from "../support/skipped-group.ts";

/** Whether the tools of the flavour can be used; without them, there is a group of that name that says why it is skipped. */
export function hasNetfilter(name: string, flavour: Flavour): boolean {
  const lacking = netfilterMissing(flavour);
  if (lacking === null) return true;
  if (process.env["REQUIRE"]?.split(",").includes("netfilter") === true)
    throw new Error(`${name}: ${lacking}`);
  process.stderr.write(`SKIPPED: ${name}: ${lacking}\n`);
  skippedGroup(name, "needs what is said above");
  return false;
}

/** Runs tests with the tools of a flavour. */
export function describeWithNetfilter(name: string, flavour: Flavour, tests: () => void): void {
  if (hasNetfilter(name, flavour)) describe(name, tests);
}
