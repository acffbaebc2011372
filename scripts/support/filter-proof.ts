// `make proof BACKEND=iptables`: worlds of all kinds of policies, through the filter of a node that routes between its pods and of one
// that has them on a bridge, with each flavour of iptables.

import fc from "fast-check";
import { withAntrea } from "../../test/proof/antrea-policies.ts";
import { withOwnNetworkPolicies } from "../../test/proof/own-network-policies.ts";
import { proofWorld } from "../../test/proof/worlds.ts";
import { FilterLaboratory } from "../../test/netfilter/laboratory.ts";
import type { Flavour } from "../../test/netfilter/tools.ts";
import { netfilterMissing } from "../../test/netfilter/tools.ts";

const flavours: readonly Flavour[] = ["nft", "legacy"];
const progressMs = 5000;

/** Each flavour and each way has a quarter of the worlds. Resolves with the exit code, as scripts/proof.ts has it. */
export async function proveFilters(worlds: number, seed: number): Promise<number> {
  const missing = flavours.map(netfilterMissing).find((why) => why !== null) ?? null;
  if (missing !== null) {
    process.stderr.write(`no packet filter to be had: ${missing}\n`);
    return 3;
  }
  const runs = flavours.flatMap((flavour) => [false, true].map((isBridged) => ({ flavour, isBridged })));
  const share = Math.ceil(worlds / runs.length);
  process.stdout.write(`proving ${share * runs.length} worlds on iptables and ipset, seed ${seed}\n`);
  let code = 0;
  for (const [at, { flavour, isBridged }] of runs.entries()) {
    const laboratory = new FilterLaboratory(flavour, isBridged);
    const { tally } = laboratory;
    const name = `iptables-${flavour}, pods ${isBridged ? "on a bridge" : "routed"}`;
    const text = () =>
      `${name}: ${tally.worlds} worlds, ${tally.packets} packets (${tally.dropped} dropped, ${tally.ruled} met a rule, ` +
      `${tally.skipped} worlds without a node for it)`;
    const progress = setInterval(() => process.stdout.write(`   ${text()}\n`), progressMs);
    const property = fc.asyncProperty(withAntrea(withOwnNetworkPolicies(proofWorld)), (world) =>
      laboratory.prove(world),
    );
    const details = await fc.check(property, {
      ...{ numRuns: share, seed: seed + at, endOnFailure: true, includeErrorInReport: true },
    });
    clearInterval(progress);
    if (details.failed) {
      process.stdout.write(`${fc.defaultReportMessage(details) ?? "failed"}\n`);
      code = 1;
    }
    process.stdout.write(`${details.failed ? "DISAGREED" : "agreed"}: ${text()}, seed ${seed}\n`);
  }
  return code;
}
