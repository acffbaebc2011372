// The sides of a connection to a Service: those of the pods behind it, which egress rules see in its place. Open where the pods end
// otherwise, or are not known.

import type { AskedService } from "../../analysis/end-sets.ts";
import type { NamedEnd } from "../../analysis/ends.ts";
import { podKey } from "../../model/facts.ts";
import { workloadText } from "../../model/workload.ts";
import type { Connection } from "../../policy/evaluate.ts";
import type { Backend, Side } from "../answer.ts";
import type { AskedWorld } from "../asked.ts";
import { endSides } from "../many/end-sides.ts";
import type { Endpoint, ServiceDestination } from "./services.ts";
import { behind, behindNamed, commonSide, connectionTo, serviceCaveat } from "./services.ts";
import type { Sides } from "../side.ts";
import type { ExplainOptions } from "../sides.ts";
import { sidesOf } from "../sides.ts";

export interface ServiceSides extends Sides {
  readonly backends?: readonly Backend[];
}

/** `to`: of a Service that was asked for by its name, an address of the family that is meant. */
interface AskedEnds {
  readonly from: NamedEnd;
  readonly to: NamedEnd;
}

const mostBackends = 10;

/** `named`: the Service that was asked for by its name; null: none was. Null: the destination is no Service's. */
export function serviceSides(
  asked: AskedWorld,
  ends: AskedEnds,
  named: AskedService | null,
  connection: Connection,
  options: ExplainOptions,
): ServiceSides | null {
  const { to } = ends;
  const found = named === null ? behind(asked, to, connection) : behindNamed(asked, named, to.ip, connection);
  return found === null
    ? null
    : sidesBehind(asked, { ...ends, isNamed: named !== null }, found, connection, options);
}

function sidesBehind(
  asked: AskedWorld,
  { from, to, isNamed }: AskedEnds & { readonly isNamed: boolean },
  found: ServiceDestination,
  connection: Connection,
  options: ExplainOptions,
): ServiceSides {
  const isBalanced = found.service?.isBalanced !== false;
  const told = found.endpoints.map((endpoint, at) => {
    const isDetailed = options.isDetailed && at === 0;
    const workloads = { from: from.workload, to: endpoint.workload };
    const balanced = connectionTo(endpoint, connection, isBalanced);
    const pods = { from: from.pod, to: endpoint.pod };
    return { endpoint, sides: endSides(asked, balanced, { workloads, pods }, { ...options, isDetailed }) };
  });
  const all = told.map(({ endpoint, sides }): Backend => ({
    ...{ to: textOf(endpoint), port: endpoint.port, verdict: sides.verdict },
  }));
  const caveat = serviceCaveat(isNamed ? null : to.ip, connection, found, all);
  const [first] = told;
  const { egress, ingress } = first?.sides ?? sidesOf(asked, connection, options);
  const isOne = first !== undefined && all.every(({ verdict }) => verdict === first.sides.verdict);
  const more = all.length - mostBackends;
  return {
    verdict: isOne ? first.sides.verdict : "unknown",
    egress: first === undefined ? opened(egress) : commonSide(told.map(({ sides }) => sides.egress)),
    ingress: first === undefined ? ingress : commonSide(told.map(({ sides }) => sides.ingress)),
    caveats: [
      more > 0 ? { ...caveat, text: `${caveat.text} (${mostBackends} are shown)` } : caveat,
      ...told.flatMap(({ sides }) => sides.caveats),
    ],
    backends: all.slice(0, mostBackends),
  };
}

function textOf({ pod: { namespace, name }, ip, workload }: Endpoint): string {
  return workload === null ? `${podKey(namespace, name)}@${ip}` : workloadText(workload);
}

function opened(side: Side | null): Side | null {
  return side === null || side.by === "exempt" ? side : { ...side, verdict: "unknown" };
}
