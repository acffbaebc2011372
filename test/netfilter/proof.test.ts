// Packets through a node's filter, in worlds of all kinds of policies: as the rows of OVN are proved, with the same worlds. The worlds
// are others in each run, and the same ones with `SEED=`.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { withAntrea } from "../proof/antrea-policies.ts";
import { withOwnNetworkPolicies } from "../proof/own-network-policies.ts";
import { panel } from "../proof/panel.ts";
import { proofWorld } from "../proof/worlds.ts";
import { patience } from "../support/patience.ts";
import { describeWithNetfilter } from "./describe.ts";
import { FilterLaboratory } from "./laboratory.ts";
import type { Flavour } from "./tools.ts";

jest.setTimeout(patience(600_000));

const flavours: readonly Flavour[] = ["nft", "legacy"];
/** Of those of `make test`, a few for each flavour and each way. */
const worlds = Math.ceil(panel.worlds / 8);

for (const [at, flavour] of flavours.entries())
  describeWithNetfilter(`a node with iptables-${flavour}`, flavour, () => {
    test.each([
      ["routes between its pods", false],
      ["has its pods on a bridge", true],
    ])(`that %s does to packets what policies mean, in ${worlds} random worlds`, async (_what, isBridged) => {
      const seed = panel.seed + 2 * at + Number(isBridged);
      const laboratory = new FilterLaboratory(flavour, isBridged);
      const property = fc.asyncProperty(withAntrea(withOwnNetworkPolicies(proofWorld)), (world) =>
        laboratory.prove(world),
      );
      await fc.assert(property, { numRuns: worlds, seed, endOnFailure: true });
      const { packets, dropped, ruled } = laboratory.tally;
      process.stderr.write(
        `  iptables-${flavour}${isBridged ? ", bridged" : ""}: SEED=${panel.seed}, ${laboratory.tally.worlds} worlds, ${packets} packets ` +
          `(${dropped} dropped, ${ruled} met a rule)\n`,
      );
      expect(packets).toBeGreaterThan(10 * worlds);
      expect(ruled).toBeGreaterThan(5 * worlds);
      expect(dropped).toBeGreaterThan(worlds);
    });
  });
