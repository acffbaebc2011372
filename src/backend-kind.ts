// What commands ask of a backend: a preview of what it would write, what exists beside it, the removal of what it has written, and
// for `run` the backend itself.

import type { Ref } from "./analysis/ref.ts";
import type { Finding } from "./doctor/finding.ts";
import type { Answer, AnsweredVerdict } from "./explain/answer.ts";
import type { Clock } from "./lib/clock.ts";
import type { RowFault } from "./lint/context.ts";
import type { ReadMetric } from "./metrics/read-metric.ts";
import type { NodeAddresses, PodFact } from "./model/facts.ts";
import type { Cidr, IpAddress, IpFamily } from "./model/ip.ts";
import type { ObjectKind, WorldObject } from "./model/object.ts";
import type { SampleSource } from "./observe/decode/source.ts";
import type { ObservedDatabases, RuleFlows } from "./observe/flows.ts";
import type { RenderedModel } from "./offline/rendered.ts";
import type { TlsFiles } from "./ovsdb/index.ts";
import type { RowChanges } from "./plan/report.ts";
import type { Dialect, PolicyKindTraits } from "./policy/contracts/dialect.ts";
import type { FlagOptions, Flags } from "./policy/contracts/flags.ts";
import type { TierLayout } from "./policy/contracts/tier-layout.ts";
import type { HostNameGroup, PolicyKey } from "./policy/ir.ts";
import type { RunningBackend, RunRequest, WriteSettings } from "./running-backend.ts";
import type { Both } from "./verdicts/worlds.ts";

/** A model of these objects, and how their policies are to be enforced. */
export interface ModelRequest {
  readonly objects: Iterable<WorldObject>;
  readonly dialects: readonly Dialect[];
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** The node whose pods are local; null: every pod is. */
  readonly zone: string | null;
  /** Of every backend. */
  readonly backendFlags: Flags;
  /** Of the installed dialects; `threeTiers` unless given. */
  readonly tierLayout?: TierLayout | undefined;
}

/** How many rows of each sort a policy has, in the order in which they are shown. */
export type RowCounts = Readonly<Record<string, number>>;

/** What exists says of a connection, beside what the policies say. More fields are for JSON. */
export interface RowsVerdict {
  readonly verdict: AnsweredVerdict;
  /** The verdict and the deciding rule are the policies'. */
  readonly agrees: boolean;
  /** Sentences; none where they agree. */
  readonly differences: readonly string[];
}

/** Rows of policies as they exist. */
export interface OwnedRows {
  /** Of the database, where a server has said it. */
  readonly schemaVersion: string | null;
  /** Columns by their names. */
  readonly tables: Readonly<Record<string, readonly object[]>>;
}

/** What a backend has written, or another program, read once. Models are those of the same backend. */
export interface ExistingRows {
  /** Of the kinds that are not another program's. */
  readonly owned: OwnedRows;
  counts(model: RenderedModel): (policy: Ref) => RowCounts;
  /** Whether a policy has other rows than it asks for. */
  differing(model: RenderedModel): (policy: Ref) => boolean;
  faults(model: RenderedModel): readonly RowFault[];
  /** The addresses that they have for the host names. */
  heldAddresses(group: HostNameGroup): readonly IpAddress[];
  verdicts(model: RenderedModel): (answer: Answer) => RowsVerdict;
  /** From what exists to what the model asks for. */
  changes(model: RenderedModel, dialects: readonly Dialect[]): RowChanges;
}

/** What a policy owns; `policy` null: what several share. */
export interface OwnedPolicy {
  readonly policy: PolicyKey | null;
  readonly rows: RowCounts;
}

/** What a run with these settings would write to, to be checked. */
export interface Examination {
  /** With "" as remotes where none are named. */
  readonly settings: WriteSettings;
  readonly dialects: readonly Dialect[];
  /** The kinds that the run follows, by owner type. */
  readonly owners: ReadonlyMap<string, PolicyKindTraits>;
  /** The pods of the cluster, read at each call. Rejects with an Error of one sentence. */
  readonly pods: () => Promise<readonly PodFact[]>;
  readonly clock: Clock;
}

/** Which kinds' rows are to be removed, and what is called when. */
export interface Cleanup {
  /** As `--nb` of `run`. */
  readonly remotes: string;
  readonly tls: TlsFiles | null;
  /** By owner type. */
  readonly owners: ReadonlyMap<string, PolicyKindTraits>;
  /** False: nothing is removed. */
  readonly removes: boolean;
  /** Is called once, before anything is removed. */
  readonly show: (owned: readonly OwnedPolicy[]) => void;
  /** Receives a line about another instance that writes. */
  readonly warn: (line: string) => void;
  /** Is called when the rows are removed, while no other instance writes. */
  readonly removed: () => Promise<void>;
}

export interface Observation {
  /** Follows which flow entries of a node's switch are those of rules. */
  ruleFlows(databases: ObservedDatabases): RuleFlows;
  /** Follows what samples of packets mean. `now`: milliseconds since 1970. */
  samples(databases: ObservedDatabases, now: () => number): SampleSource;
}

/** What commands need of a backend that writes: `run` and `cleanup`, and those that read what exists. */
export interface LiveBackend {
  /**
   * `remote`: as `--nb` takes it; `others`: kinds whose rows are another program's. Rejects with an Error of one sentence.
   */
  existing(remote: string, tls: TlsFiles | null, others?: readonly ObjectKind[]): Promise<ExistingRows>;
  /** Resolves with whether no instance writes again what was removed; rejects with an Error of one sentence. */
  cleanUp(cleanup: Cleanup): Promise<boolean>;
  /** Checks what policies are written to, and which instance writes; writes nothing. Never rejects but for a bug. */
  examine(examination: Examination): Promise<readonly Finding[]>;
  /** What `cleanup` says where nothing is left to remove, a sentence without its full stop. */
  readonly nothingOwned: string;
  /** For people, below what the policies say; `said`: the verdict in a word. */
  verdictText(verdict: RowsVerdict, said: string): string;
  /** Whether `run` needs `--nb`: what it writes to is a database that remotes name. */
  readonly hasRemotes: boolean;
  /** Of a run with this backend, beside those that every run has. */
  readonly metrics: readonly ReadMetric<RunningBackend>[];
  /** What is known of packets on a node; null: it has no switch that counts and samples. */
  readonly observation: Observation | null;
  /** Opens what policies are written to. Throws an Error of one sentence when a file or a remote cannot be used. */
  open(request: RunRequest): RunningBackend;
}

export interface BackendKind {
  /** The value of `--backend`. */
  readonly name: string;
  /** What it writes, in a few words of the help. */
  readonly writes: string;
  /** The flags that say how it writes what policies mean; several backends may have the same one. */
  readonly options: FlagOptions;
  /** Whether what it writes is one node's, so that `--zone` is needed. */
  readonly needsZone: boolean;
  /** The families that are written where none are named; null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** The addresses of nodes in the networks of its clusters; `status` unless given. */
  nodeAddresses?(flags: Flags): NodeAddresses;
  /** The networks outside of which policies say nothing; none unless given. */
  inside?(flags: Flags): readonly Cidr[];
  /** Further values of `render -o`, with the text that each prints. */
  readonly forms: Readonly<Record<string, (model: RenderedModel) => string>>;
  /** A model that has observed the objects. */
  model(request: ModelRequest): RenderedModel;
  /** What would be written, for `render`: as data, and as text for people. */
  data(model: RenderedModel): object;
  text(model: RenderedModel): string;
  counts(model: RenderedModel): (policy: Ref) => RowCounts;
  changes(
    models: Both<RenderedModel>,
    flags: Flags,
    dialects: readonly Dialect[],
    tierLayout?: TierLayout,
  ): RowChanges;
  readonly live: LiveBackend;
}
