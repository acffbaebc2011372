// What iptables-save and ipset save print of a filter that was loaded is what was printed: the text is canonical, in both flavours.

import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { refusalsOf } from "../../src/netfilter/admission.ts";
import { world } from "../backend/generator-world.ts";
import { anyPolicy, policiesOf } from "../backend/generator.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { tries } from "../support/length.ts";
import { describeWithNetfilter } from "./describe.ts";
import { textWithName } from "./hostile-name.ts";
import { textsOf } from "./nodes.ts";
import { withNumber } from "./protocol-numbers.ts";
import { flavours, RealFilter } from "./tools.ts";

for (const flavour of flavours)
  describeWithNetfilter(`a filter that iptables-${flavour} has loaded`, flavour, () => {
    let namespace: NamespaceProcess;
    let filter: RealFilter;

    beforeAll(async () => {
      namespace = await NamespaceProcess.hold();
      filter = new RealFilter(namespace, flavour);
    });
    afterEach(() => {
      filter.clear();
    });
    afterAll(async () => {
      await namespace.end();
    });

    test("is saved as it was printed", () => {
      const trial = fc.record({
        ...{ given: world, policies: policiesOf(anyPolicy, 5) },
        established: fc.constantFrom("keep", "recheck"),
      });
      let rules = 0;
      const property = fc.property(trial, ({ given, policies, established }) => {
        filter.clear();
        const admitted = policies.filter((policy) => refusalsOf(policy).length === 0);
        const text = textsOf(given, admitted, { established })("n");
        filter.load(text);
        expect(filter.savedSets().toSorted()).toEqual(linesOf(text, /^(create|add) /).toSorted());
        for (const tool of ["iptables", "ip6tables"] as const) {
          const printed = partOf(text, tool);
          const saved = filter.saved(tool).map(withNumber);
          rules += saved.length;
          expect(saved.toSorted()).toEqual(
            linesOf(printed, /^-[AI] /)
              .map(appended)
              .toSorted(),
          );
          // Within a chain, the order decides.
          for (const [chain, own] of byChain(linesOf(printed, /^-A /)))
            expect([chain, byChain(saved).get(chain)]).toEqual([chain, own]);
        }
      });
      fc.assert(property, { numRuns: tries(50, 20) });
      expect(rules).toBeGreaterThan(200);
    });

    test("whatever a user writes as a name is a comment of few signs", () => {
      const text = textWithName(
        `Hostile.test/x" -j ACCEPT\n-A FORWARD -j ACCEPT${"y".repeat(300)}`,
        "iptables",
      );
      filter.load(text);
      expect(text).not.toMatch(/ACCEPT[^?y]/);
      expect(filter.saved("iptables")).toEqual(
        expect.arrayContaining([expect.stringContaining("Hostile.test/x??-j?ACCEPT?")]),
      );
    });
  });

function partOf(text: string, tool: string): string {
  const start = text.indexOf(`# ${tool}\n`);
  const end = text.indexOf("\n# ", start);
  return text.slice(start, end < 0 ? undefined : end);
}

function linesOf(text: string, which: RegExp): readonly string[] {
  return text.split("\n").filter((line) => which.test(line));
}

/** `-I FORWARD 1` is saved as `-A FORWARD`. */
function appended(line: string): string {
  return line.replace(/^-I (\S+) 1 /, "-A $1 ");
}

function byChain(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(lines, (line) => line.split(" ")[1] ?? "");
}
