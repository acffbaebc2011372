// The page's world when the controller serves it: the controller's own facts and policies, read where they are. Nothing is
// copied and nothing is followed twice; what would take seconds (findings, plans) is not looked for here. Services are not
// followed by the controller, so that nothing is said of their addresses.

import type { RunConfig } from "../config/config.ts";
import type { Engine } from "../controller/engine.ts";
import type { Loop } from "../controller/loop.ts";
import { AskedWorld } from "../explain/asked.ts";
import { formatSourceProblem } from "../informers/index.ts";
import type { Groups } from "../groups/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Checks } from "../metrics/server.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { NorthboundBackend } from "../nbdb/backend.ts";
import type { Dialect } from "../policy/dialect.ts";
import { placedFinding } from "../status/findings.ts";
import type { ReportedPolicies } from "../status/reported.ts";
import type { UiServer } from "../ui/server.ts";
import { serveUi } from "../ui/server.ts";
import type { Live, ShownWorld } from "../ui/world.ts";
import type { OpenedSource } from "./sources.ts";

export interface ControllerParts {
  readonly config: Pick<RunConfig, "families" | "source">;
  readonly dialects: readonly Dialect[];
  readonly engine: Engine;
  readonly facts: FactStore;
  readonly groups: Groups;
  readonly loop: Loop;
  readonly source: OpenedSource;
  readonly backend: Pick<NorthboundBackend, "actual">;
  readonly reported: ReportedPolicies;
  readonly checks: Checks;
}

/** A page may take a tenth of the controller's time. */
const rest = 9;
const tables = [
  ["port groups", "Port_Group"],
  ["address sets", "Address_Set"],
  ["ACLs", "ACL"],
] as const;

/** null: no page is wanted. Rejects with one line when the address cannot be used. */
export async function openUi(
  listen: RunConfig["ui"],
  parts: ControllerParts,
  logger: Logger,
): Promise<UiServer | null> {
  if (listen === null) return null;
  const server = await serveUi({ ...listen, world: controllerWorld(parts), clock: systemClock, rest });
  logger.info("the page is served", { address: server.address });
  return server;
}

export function controllerWorld(parts: ControllerParts): ShownWorld {
  const { config, dialects, engine, facts, groups, loop, source } = parts;
  const placeOf: OpenedSource["placeOf"] = (key, field) => source.placeOf(key, field);
  const model = { facts, records: () => engine.records(), policies: () => [...engine.policies()] };
  let made: { readonly asked: AskedWorld; readonly revision: number } | null = null;
  return {
    get revision() {
      return String(loop.revision);
    },
    get isReady() {
      return loop.synced;
    },
    from: config.source.kind === "kube" ? "the cluster" : config.source.path,
    facts,
    get policyCount() {
      return Iterator.from(engine.records()).reduce((count) => count + 1, 0);
    },
    get asked() {
      if (made?.revision !== loop.revision)
        made = {
          asked: new AskedWorld(model, { dialects, placeOf, families: config.families }),
          revision: loop.revision,
        };
      return made.asked;
    },
    membership: groups,
    get problems() {
      return [...engine.records()].flatMap((record) =>
        record.problems.map((problem) => formatSourceProblem(placedFinding(record, problem, placeOf))),
      );
    },
    findings: null,
    plan: null,
    get live() {
      return liveOf(parts);
    },
  };
}

function liveOf({ engine, loop, backend, reported, checks }: ControllerParts): Live {
  const inForce = Iterator.from(reported.inForce()).reduce((count) => count + 1, 0);
  const all = [...engine.records()];
  const refused = all.filter(({ rejected }) => rejected).length;
  const { size, delayed } = loop.queue;
  const waiting =
    size === 0 ? [] : [`${size} ${size === 1 ? "object waits" : "objects wait"} for the next pass`];
  const rows = tables.map(([name, table]) => ({
    name,
    value: [...backend.actual.count(table).values()].reduce((sum, count) => sum + count, 0),
  }));
  return {
    counts: [
      { name: "policies in force", value: inForce },
      { name: "policies refused", value: refused },
      ...rows,
      { name: "objects waiting", value: size },
      { name: "objects tried again later", value: delayed },
    ],
    pending: [...checks.readiness(), ...waiting, ...checks.notes()],
  };
}
