// The checks of a node's packet filter, for doctor, on the node itself: its tools answer, the traffic of pods passes its rules, and an
// instance writes. Takes no lock and writes nothing.

import type { Examination } from "../../../backend-kind.ts";
import type { Finding } from "../../../doctor/finding.ts";
import { fail, ok } from "../../../doctor/finding.ts";
import { ipFamilies } from "../../../model/ip.ts";
import { isOfTools } from "../../live/filter-tools.ts";
import type { KernelFiles } from "./node-checks.ts";
import { bypasses, kernelFiles } from "./node-checks.ts";
import { isLocked } from "../node-lock.ts";
import type { NodeSide, OpenNodeSide } from "../node-side.ts";
import { nodePlace } from "../tool-process.ts";

/** What is looked at beside the tools. */
interface ExaminedNode {
  readonly files: KernelFiles;
  readonly isLocked: () => Promise<boolean>;
}

/** `node`: this one unless given. */
export async function examineNode(
  { settings, clock }: Examination,
  open: OpenNodeSide,
  node: ExaminedNode = { files: kernelFiles, isLocked },
): Promise<readonly Finding[]> {
  const families = settings.families ?? ipFamilies;
  const ignored = () => undefined;
  const options = { place: nodePlace, flags: settings.backendFlags, families, clock };
  const side = open({ ...options, ran: ignored, changed: ignored });
  try {
    const filter = await readingOf(side);
    return [...filter, ...(await traffic(node.files)), writerOf(await node.isLocked())];
  } finally {
    side.stop();
  }
}

async function readingOf(side: NodeSide): Promise<readonly Finding[]> {
  try {
    await side.filter.read();
  } catch (error) {
    if (!isOfTools(error)) throw error;
    const remedy = "run doctor on the node, as root, with the tools that docs/netfilter.md names";
    return [fail("packet-filter", error.message, remedy)];
  }
  const amiss = side.notes();
  if (amiss.length === 0) return [ok("packet-filter", "the node's packet filter can be read")];
  return amiss.map((note) =>
    fail("packet-filter", note, "docs/netfilter.md explains what is needed of a node"),
  );
}

async function traffic(files: KernelFiles): Promise<readonly Finding[]> {
  const found = await bypasses(files);
  if (found.length === 0)
    return [ok("traffic", "nothing on the node leads the traffic of pods past the rules")];
  return found.map((text) => fail("traffic", text, "docs/netfilter.md explains how a node is set up"));
}

function writerOf(isHeld: boolean): Finding {
  return isHeld
    ? ok("writer", "an instance on this node writes")
    : fail(
        "writer",
        "no instance on this node writes: its rules follow nothing",
        "start northgate run on the node",
      );
}
