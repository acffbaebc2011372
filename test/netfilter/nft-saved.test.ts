// What nft prints of a table that was loaded is what was printed: the text is canonical.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { refusalsOf } from "../../src/netfilter/admission.ts";
import { world } from "../backend/generator-world.ts";
import { anyPolicy, policiesOf } from "../backend/generator.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { describeWithNetfilter } from "./describe.ts";
import { readNftText } from "./nft-text.ts";
import { textWithName } from "./hostile-name.ts";
import { textsOf } from "./nodes.ts";
import { RealFilter } from "./tools.ts";

describeWithNetfilter("a table that nft has loaded", "nft", () => {
  let namespace: NamespaceProcess;
  let filter: RealFilter;

  beforeAll(async () => {
    namespace = await NamespaceProcess.hold();
    filter = new RealFilter(namespace, "nft");
  });
  afterAll(async () => {
    await namespace.end();
  });

  test("is listed as it was printed, and takes the place of the one before", () => {
    let rules = 0;
    const trial = fc.record({ given: world, policies: policiesOf(anyPolicy, 5) });
    const property = fc.property(trial, ({ given, policies }) => {
      const admitted = policies.filter((policy) => refusalsOf(policy).length === 0);
      const text = textsOf(given, admitted, {}, "nftables")("n");
      filter.load(text);
      const printed = readNftText(text);
      if (printed.chains.size === 0) {
        expect(() => filter.savedTable()).toThrow("No such file or directory");
        return;
      }
      const listed = readNftText(`table inet northgate\ndelete table inet northgate\n${filter.savedTable()}`);
      expect(listed).toEqual(printed);
      rules += [...listed.chains.values()].flatMap((chain) => chain.rules).length;
    });
    fc.assert(property, { numRuns: 50 });
    expect(rules).toBeGreaterThan(200);
  });

  test("whatever a user writes as a name is a comment of few signs", () => {
    const text = textWithName(`Hostile.test/x" accept\n\t\taccept #${"y".repeat(300)}`, "nftables");
    filter.load(text);
    expect(filter.savedTable()).toContain('comment "Hostile.test/x??accept???accept??y');
  });
});
