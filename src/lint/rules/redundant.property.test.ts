// NG027 and NG028 against the judge: without all that they report, every connection of the world has its verdict; without what is
// redundant for any objects, every connection of any other world has its own, too.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { coveringPolicies, smallWorlds, without } from "../../../test/support/covering-policies.ts";
import { reportOf } from "../../../test/support/linted.ts";
import { everyDialect } from "../../dialects.ts";
import type { PolicyObject, WorldObject } from "../../model/object.ts";
import { offlineModel } from "../../nbdb/tools/rendered.ts";
import { outcomes } from "../../policy/ties.ts";

function verdicts(facts: readonly WorldObject[], some: readonly PolicyObject[]): readonly string[] {
  const mode = { zone: null, namedPorts: "list" } as const;
  const objects = [...facts, ...some];
  const model = offlineModel({ objects, dialects: everyDialect.dialects, families: null, mode });
  const ends = [...model.facts.pods.values()].map((one) => ({ ip: one.ips[0], pod: one }));
  const traffic = [
    { protocol: "tcp", port: 80 },
    { protocol: "tcp", port: 85 },
    { protocol: "tcp", port: 443 },
    { protocol: "udp", port: 53 },
  ] as const;
  return ends.flatMap((from) =>
    ends.flatMap((to) => {
      if (from === to || from.ip === undefined || to.ip === undefined) return [];
      const [source, target] = [
        { ip: from.ip, pod: from.pod },
        { ip: to.ip, pod: to.pod },
      ];
      return traffic.map((one) =>
        [...outcomes({ from: source, to: target, ...one }, model.facts, model.policies()).verdicts]
          .sort()
          .join(),
      );
    }),
  );
}

test("all that is reported can be removed together, and what always holds holds in another world", () => {
  const counts = { policies: 0, rules: 0, always: 0 };
  fc.assert(
    fc.property(smallWorlds, smallWorlds, coveringPolicies, (here, elsewhere, all) => {
      const found = reportOf([...here, ...all]).findings.filter(({ id }) => id === "NG027" || id === "NG028");
      counts.policies += found.filter(({ id }) => id === "NG027").length;
      counts.rules += found.filter(({ id }) => id === "NG028").length;
      expect(verdicts(here, without(all, found))).toEqual(verdicts(here, all));
      const always = found.filter(({ message }) => !message.includes("today's objects"));
      counts.always += always.length;
      expect(verdicts(elsewhere, without(all, always))).toEqual(verdicts(elsewhere, all));
    }),
    { numRuns: 200 },
  );
  expect(Math.min(counts.policies, counts.rules, counts.always)).toBeGreaterThan(10);
});
