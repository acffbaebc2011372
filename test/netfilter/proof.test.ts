// Packets through a node's filter, in worlds of all kinds of policies: as the rows of OVN are proved, with the same worlds. The worlds
// are others in each run, and the same ones with `SEED=`.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { panel } from "../proof/panel.ts";
import { lacking } from "../support/lacking.ts";
import { patience } from "../support/patience.ts";
import { describeWithNetfilter } from "./describe.ts";
import { FilterLaboratory, sites } from "./laboratory.ts";

jest.setTimeout(patience(600_000));

/** Of those of `make test`, a few for each variant and each way. */
const worlds = Math.ceil(panel.worlds / 8);

for (const [at, site] of sites.entries())
  describeWithNetfilter(`a node with ${site.name}`, site.flavour, () => {
    const way = site.isBridged ? "has its pods on a bridge" : "routes between its pods";
    test(`that ${way} does to packets what policies mean, in ${worlds} random worlds`, async () => {
      const laboratory = new FilterLaboratory(site);
      let seed = panel.seed + at;
      const run = async (): Promise<void> => {
        const details = await laboratory.check(worlds, seed);
        expect(details.failed ? fc.defaultReportMessage(details) : null).toBeNull();
        seed += sites.length;
      };
      const least = { packets: 10 * worlds, ruled: 5 * worlds, dropped: worlds };
      expect(await lacking(laboratory.tally, least, run)).toEqual([]);
      process.stderr.write(`  SEED=${panel.seed}: ${laboratory.text}\n`);
    });
  });
