// The backend of a node's packet filter in nftables under the contract, on the strict double of nft and on the real one. What is in force
// is read from what nft prints, and judged by a walk through those rules.

import type { TableTools } from "../../src/netfilter/live/filter-tools.ts";
import { FilterRefusedError } from "../../src/netfilter/live/filter-tools.ts";
import { lower } from "../../src/netfilter/lower.ts";
import { nftLanguage } from "../../src/netfilter/nft/language.ts";
import { nftSetForm } from "../../src/netfilter/nft/sets.ts";
import { TableFilter } from "../../src/netfilter/nft/table-filter.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { packetOf } from "../netfilter/packet.ts";
import { readNftText } from "../netfilter/nft-text.ts";
import { walkNft } from "../netfilter/nft-walk.ts";
import { FakeTable } from "./fake-table.ts";
import type { TestNode } from "./filter-harness.ts";
import { filterHarness, Gate } from "./filter-harness.ts";
import type { Harness, Snapshot } from "./harness.ts";

export interface TestTable extends TestNode<TableTools> {
  /** What the node has of others. */
  readonly foreign: () => Promise<string>;
}

export function fakeTableHarness(): Harness {
  const tools = new FakeTable();
  return tableHarness({
    ...{ tools, intervalMs: 5 },
    foreign: async () => tools.others,
    clear: async () => {
      tools.clear();
    },
    dispose: async () => undefined,
  });
}

export function tableHarness({ tools, intervalMs, foreign, clear, dispose }: TestTable): Harness {
  const gate = new Gate();
  const gated = new GatedTable(tools, gate);
  return filterHarness({
    ...{ gate, intervalMs, dispose, language: nftLanguage(filterFormOf({})) },
    filter: () => new TableFilter(gated),
    snapshot: async () => snapshotOf(await tools.list(), await foreign()),
    plantForeign: () =>
      tools.apply("table inet others {\n\tchain NG-FORWARD {\n\t\tip saddr 192.0.2.1 accept\n\t}\n}\n"),
    // Whatever is in the table of ours is replaced, so that nothing on a node makes nft refuse the rules of one policy.
    block: async (policy) => {
      const listed = await tools.list();
      const name = setsNeeded(policy).findLast((one) => !listed.includes(`set ${one} {`));
      if (name === undefined) throw new Error("the policy needs no set that is not there");
      gated.blocked = name;
    },
    unblock: async () => {
      gated.blocked = null;
    },
    clear: async () => {
      gated.blocked = null;
      await clear();
    },
  });
}

class GatedTable implements TableTools {
  readonly #tools: TableTools;
  readonly #gate: Gate;
  /** A set that nft refuses. */
  blocked: string | null = null;

  constructor(tools: TableTools, gate: Gate) {
    this.#tools = tools;
    this.#gate = gate;
  }

  list(): Promise<string> {
    return this.#gate.read(() => this.#tools.list());
  }

  apply(script: string): Promise<void> {
    return this.#gate.write(script, true, () => {
      if (this.blocked === null || !script.includes(`set ${this.blocked} {`))
        return this.#tools.apply(script);
      return Promise.reject(new FilterRefusedError("nft: Error: No space left on device"));
    });
  }
}

/** Of IPv4. */
function setsNeeded(policy: Policy): readonly string[] {
  return nftSetForm
    .of(lower([policy]))
    .map((set) => nftSetForm.head(set, "v4"))
    .filter(({ type }) => !type.endsWith(": verdict"))
    .map(({ name }) => name);
}

function snapshotOf(listed: string, foreign: string): Snapshot {
  const text = readNftText(`table inet northgate\ndelete table inet northgate\n${listed}`);
  const sorted = (blocks: ReadonlyMap<string, unknown>) =>
    [...blocks].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sets = sorted(text.sets).map(([name]) => [
    name,
    text.sets.get(name)?.type,
    elementsOf(text.sets.get(name)?.elements),
  ]);
  const maps = sorted(text.maps).map(([name]) => [
    name,
    [...(text.maps.get(name)?.verdicts ?? [])].toSorted(),
  ]);
  const state = JSON.stringify([sets, maps, sorted(text.chains)]);
  return {
    ...{ state, fresh: state, foreign },
    judge: (connection) => (walkNft(text, packetOf(connection), "FORWARD") === "accepted" ? "allow" : "deny"),
  };
}

function elementsOf(elements: ReadonlySet<string> | undefined): readonly string[] {
  return [...(elements ?? [])].toSorted();
}
