// What commands ask of the Northbound database's rows: those that policies would have, and those that exist.

import type { Ref } from "../../analysis/ref.ts";
import type { BackendKind, ExistingRows, LiveBackend, OwnedRows, RowCounts } from "../../backend-kind.ts";
import type { DatabaseRows } from "../audit/index.ts";
import { everyDialect } from "../../dialects.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { ObjectKind } from "../../model/object.ts";
import type { Owners } from "../rows/owners.ts";
import type { Answer } from "../../explain/answer.ts";
import type { RowFault } from "../../lint/context.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import type { RowChanges } from "../../plan/report.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import type { HostNameGroup } from "../../policy/ir.ts";
import { both } from "../../verdicts/worlds.ts";
import { DatabaseFlows } from "../observe/rule-flows.ts";
import { heldAddresses } from "../rows/sets/name-sets.ts";
import { DatabaseSamples } from "../observe/samples.ts";
import { northboundOptions, renderModeOf } from "../rows/options.ts";
import { NorthboundRun } from "../run/northbound-run.ts";
import { northboundMetrics } from "../run/run-metrics.ts";
import { formatRowsAnswer } from "./answer-text.ts";
import type { RowsAnswer } from "./answers.ts";
import { cleanUp } from "./cleanup.ts";
import { AskedRows } from "./answers.ts";
import { rowsOf } from "./counts.ts";
import { examine } from "./examine/examine.ts";
import { differingPolicies } from "./differing.ts";
import { rowFaults } from "./faults.ts";
import { changesOfModels, changesOfExisting } from "./model-changes.ts";
import { offlineModel, sampledTablesOf, tablesOf } from "./rendered.ts";
import type { ReadDatabase } from "./existing.ts";
import { ownedRows, ownersWithout, readDatabaseRows, rowDifferences } from "./existing.ts";
import { formatTable } from "./tables-text.ts";

const live: LiveBackend = {
  existing: async (remote, tls, others) => new Existing(await readDatabaseRows(remote, tls), others),
  cleanUp,
  examine,
  nothingOwned: "no rows of Northgate's are in the database",
  verdictText: formatRowsAnswer,
  hasRemotes: true,
  metrics: northboundMetrics,
  observation: {
    ruleFlows: (databases) => new DatabaseFlows(databases),
    samples: (databases, now) => new DatabaseSamples(databases, now),
  },
  open: (request) => new NorthboundRun(request),
};

export const ovn: BackendKind = {
  name: "ovn",
  writes: "rows of an OVN Northbound database",
  options: northboundOptions,
  needsZone: false,
  families: null,
  forms: {},
  model: ({ zone, backendFlags, tierLayout, ...request }) =>
    offlineModel({ ...request, mode: renderModeOf(zone, backendFlags, tierLayout) }),
  data: (model) => sampledTablesOf(model),
  text: (model) => formatTable(sampledTablesOf(model)),
  counts: (model) => rowsOf(model),
  changes: (models, flags, ...asked) =>
    changesOfModels(
      both((age) => tablesOf(models[age])),
      flags,
      ...asked,
    ),
  live,
};

class Existing implements ExistingRows {
  readonly #rows: DatabaseRows;
  readonly #owners: Owners;

  readonly #schemaVersion: string | null;

  constructor({ rows, schemaVersion }: ReadDatabase, others: readonly ObjectKind[] = []) {
    this.#rows = rows;
    this.#schemaVersion = schemaVersion;
    this.#owners = ownersWithout(others);
  }

  get owned(): OwnedRows {
    return { schemaVersion: this.#schemaVersion, tables: ownedRows(this.#rows, this.#owners) };
  }

  counts(model: RenderedModel): (policy: Ref) => RowCounts {
    return rowsOf(model, this.#rows.records);
  }

  heldAddresses(group: HostNameGroup): readonly IpAddress[] {
    const sets = this.#rows.records.Address_Set;
    return heldAddresses(group, everyDialect.owners.values(), (wanted) =>
      sets.flatMap(({ name, addresses }) => (name === wanted ? addresses : [])),
    );
  }

  differing(model: RenderedModel): (policy: Ref) => boolean {
    return differingPolicies(this.#rows, model, rowDifferences(this.#rows, model, this.#owners));
  }

  faults(model: RenderedModel): readonly RowFault[] {
    return rowFaults(this.#rows, model, this.#owners);
  }

  verdicts(model: RenderedModel): (answer: Answer) => RowsAnswer {
    const asked = new AskedRows(this.#rows, model, this.#owners);
    return (answer) => asked.answer(answer);
  }

  changes(model: RenderedModel, dialects: readonly Dialect[]): RowChanges {
    return changesOfExisting(this.#rows, model, dialects, this.#owners);
  }
}
