// A line for each connection: why a verdict is unknown stands below it, and a terminal folds what is too long.

import { expect, test } from "@jest/globals";
import { deny, toDb, webToDb, worldOf } from "../../../test/support/asked-world.ts";
import { anp } from "../../../test/support/policies.ts";
import { explain } from "../../explain/explain.ts";
import { formatAnswers } from "./answers-table.ts";

const allow = { action: "Allow", to: toDb };
const tied = explain(worldOf([anp("p", { egress: [allow] }), anp("q", { egress: [deny] })]), webToDb, {
  isDetailed: false,
});
const denied = explain(worldOf([anp("p", { egress: [deny] })]), webToDb, { isDetailed: false });
const reason =
  "Tie: AdminNetworkPolicy p egress[0] Allow and AdminNetworkPolicy q egress[0] Deny match, in the admin tier with equal priority: " +
  "which of them decides is open";

test("an unknown verdict has its reason below it, others have none", () => {
  expect(formatAnswers([denied, tied], { colours: false }).split("\n")).toEqual([
    "DENY     red/web → blue/db-0  tcp 80  p egress[0]; no policy",
    "UNKNOWN  red/web → blue/db-0  tcp 80  a tie in the admin tier; no policy",
    `         ${reason}`,
    "",
    "2 answered",
    "",
  ]);
});

test("a terminal folds lines, indented below the connection, and colours the verdict alone", () => {
  const lines = formatAnswers([tied], { colours: false, width: 50 }).split("\n");
  expect(lines.filter((line) => line.length > 50)).toEqual([]);
  expect(lines.slice(1, 4).every((line) => line.startsWith("         "))).toBe(true);
  expect(lines.slice(0, -3).join(" ").replace(/\s+/g, " ")).toContain(reason);
  const [first] = formatAnswers([tied], { colours: true, width: 50 }).split("\n");
  const [, behind = ""] = first?.split("UNKNOWN") ?? [];
  expect(first?.startsWith("\u001b[")).toBe(true);
  expect(behind).toContain("\u001b[");
  expect(behind).toMatch(/ {2}red\/web → blue\/db-0 {2}tcp 80/);
});
