// `make proof BACKEND=iptables`: worlds of all kinds of policies, through the filter of a node that routes between its pods and of one
// that has them on a bridge, with each flavour of iptables and with nftables; BACKEND=nftables: with that alone.

import fc from "fast-check";
import { FilterLaboratory, sites } from "../../test/netfilter/laboratory.ts";
import type { Tool } from "../../test/netfilter/nodes.ts";
import { flavours, netfilterMissing } from "../../test/netfilter/tools.ts";

const progressMs = 5000;

/** Each tool and each way has a like share of the worlds. `tool`: null means every one. Resolves with the exit code, as scripts/proof.ts has it. */
export async function proveFilters(worlds: number, seed: number, tool: Tool | null): Promise<number> {
  const missing = flavours.map(netfilterMissing).find((why) => why !== null) ?? null;
  if (missing !== null) {
    process.stderr.write(`no packet filter to be had: ${missing}\n`);
    return 3;
  }
  const chosen = sites.filter((site) => tool === null || site.tool === tool);
  const share = Math.ceil(worlds / chosen.length);
  process.stdout.write(`proving ${share * chosen.length} worlds on packet filters, seed ${seed}\n`);
  let code = 0;
  for (const [at, site] of chosen.entries()) {
    const laboratory = new FilterLaboratory(site);
    const progress = setInterval(() => process.stdout.write(`   ${laboratory.text}\n`), progressMs);
    const details = await laboratory.check(share, seed + at);
    clearInterval(progress);
    if (details.failed) {
      process.stdout.write(`${fc.defaultReportMessage(details) ?? "failed"}\n`);
      code = 1;
    }
    process.stdout.write(`${details.failed ? "DISAGREED" : "agreed"}: ${laboratory.text}, seed ${seed}\n`);
  }
  return code;
}
