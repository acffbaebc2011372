// What `run` asks of a backend: to open it, which of several instances writes, whether it can write now, and what it reports beside
// its policies. A backend opens what it writes to at once and connects in the background; it never rejects for an outage.

import type { Clock } from "./lib/clock.ts";
import type { Logger } from "./lib/logger.ts";
import type { IpAddress, IpFamily } from "./model/ip.ts";
import type { ObjectKind } from "./model/object.ts";
import type { TlsFiles } from "./ovsdb/index.ts";
import type { Backend } from "./policy/contracts/backend.ts";
import type { Dialect, PolicyKindTraits } from "./policy/contracts/dialect.ts";
import type { Flags } from "./policy/contracts/flags.ts";
import type { Membership } from "./policy/contracts/membership.ts";
import type { TierLayout } from "./policy/contracts/tier-layout.ts";
import type { Proof } from "./policy/contracts/proof.ts";
import type { HostNameGroup, PolicyKey } from "./policy/ir.ts";

/** The settings and what they name do not fit, and no wait mends that: the program ends with 78 (EX_CONFIG of sysexits.h). */
export class SettingsRefusedError extends Error {
  override readonly name = "SettingsRefusedError";
}

/** The settings of a run that concern what is written. */
export interface WriteSettings {
  /** As `--nb` takes it; "" for a backend without remotes. */
  readonly remotes: string;
  readonly tls: TlsFiles | null;
  /** The node whose pods are local; null: every pod is. */
  readonly zone: string | null;
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Of every dialect. */
  readonly kindFlags: Flags;
  /** Of every backend. */
  readonly backendFlags: Flags;
  /** Of the installed dialects; `threeTiers` unless given. */
  readonly tierLayout?: TierLayout;
}

export interface RunRequest {
  readonly settings: WriteSettings;
  readonly dialects: readonly Dialect[];
  /** The kinds that are followed, by owner type. */
  readonly owners: ReadonlyMap<string, PolicyKindTraits>;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes the right to write once, at the start, from an instance that writes with other flags. */
  readonly takeOver: boolean;
  /** Milliseconds until a proof is called late; null: what is acknowledged is in force. */
  readonly proofWithinMs: number | null;
  /** Whether this instance knows its source well enough to write: as of so many milliseconds on the clock, at least. */
  readonly mayClaim: (currentAfterMs: number) => boolean;
  /** Whether the source of objects is out of contact. */
  readonly isBlind: () => boolean;
  /** Whether a policy that was never seen may exist all the same, unread. */
  readonly mayExist: (key: PolicyKey) => boolean;
  /** Is called after every acknowledged write, with its duration. */
  readonly committed: (
    operations: readonly { readonly op: string; readonly table?: string }[],
    milliseconds: number,
  ) => void;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
  /** For settings that do not fit: with a SettingsRefusedError. */
  readonly ended: (error: unknown) => void;
}

/** Which of several instances writes. */
export interface WriterRole {
  /** This one does. */
  readonly leads: boolean;
  /** Another one, as people know it; null: none is known. */
  readonly other: string | null;
  /** The flags in which the other one differs, one sentence each. */
  otherFlags(): readonly string[];
}

export interface RunningBackend {
  readonly backend: Backend;
  readonly role: WriterRole;
  /** Proves that what was committed is in force; null: an acknowledged commit is sufficient proof. */
  readonly askProof: ((proof: Proof) => void) | null;
  /** How many policies of the kind have something written; null: not known yet. */
  countPolicies(kind: ObjectKind): number | null;
  /** The addresses that what is written has for the host names now; none where that is not known. */
  heldAddresses(group: HostNameGroup): readonly IpAddress[];
  /** How much is written, by sort, for people. */
  totals(): readonly { readonly name: string; readonly value: number }[];
  /** Why nothing can be written yet, one line each. */
  pending(): readonly string[];
  /** What is wrong with what is written, one line each. */
  notes(): readonly string[];
  /** `callback` is called when what is written is known, also again after an outage. */
  onReady(callback: () => void): void;
  /** What `mayClaim` or `isBlind` answers may be another than before. Cheap. */
  reconsider(): void;
  /** Gives the right to write back: another instance may begin, and nothing is written any more. */
  release(): Promise<void>;
  /** Ends a commit whose answer does not arrive. */
  abandon(): Promise<void>;
  /** After the last commit: stops what runs beside it. */
  halt(): Promise<void>;
  close(): Promise<void>;
}
