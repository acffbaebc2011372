// A policy model says which kinds of policy there are, and what order all of them have together. The rows of every kind depend
// on it, so that a cluster has one. src/dialects.ts lists them.

import type { ObjectKey, ObjectKind, PolicyObject, ReferencedObject } from "../../model/object.ts";
import type { Problem } from "../../model/problem.ts";
import type { Dialect } from "./dialect.ts";
import type { Chosen, FlagOptions, Flags } from "./flags.ts";
import { chosenOf } from "./flags.ts";
import type { TierLayout } from "./tier-layout.ts";

/** The flag by which users choose one. */
export const modelFlag = "policy-model";

interface Description<O extends FlagOptions, S extends FlagOptions> {
  /** The value of the flag. */
  readonly name: string;
  /** How its tiers share those of a backend, by the flags of the command. */
  readonly tierLayout: (flags: Flags) => TierLayout;
  /** By flag without dashes: what is chosen of how a cluster is read. Manifests are read alike. */
  readonly options: O;
  /** Options of the first model's dialects that those of this one have too. They are declared there. */
  readonly sharedOptions: S;
  /** Of kinds that this model alone has. */
  readonly dialects: (options: Chosen<O> & Chosen<S>) => readonly Dialect[];
  /** By flag without dashes: what is chosen of the places of rows, for `tierLayout`. */
  readonly placeOptions: FlagOptions;
  /**
   * By flag without dashes: which kinds another program enforces, of commands that compare with rows. They still judge these kinds, as
   * their defaults say.
   */
  readonly othersOptions: FlagOptions;
  /** What is kept beside the policies in force, to be tried. */
  readonly staging: (options: Chosen<O>) => Staging;
  /** A dialect of the first model as this one has it; null: its kinds are not read. */
  readonly adapt: (dialect: Dialect) => Dialect | null;
  /** What other flags must say, in the order in which they are checked. */
  readonly demands: readonly FlagDemand[];
}

/** A model beside the first one, which has every dialect as it is. */
export interface OtherModel extends Omit<Description<FlagOptions, FlagOptions>, "dialects" | "staging"> {
  /** Of flags that were checked against their choices. */
  dialects(flags: Flags): readonly Dialect[];
  staging(flags: Flags): Staging;
}

export function otherModel<const O extends FlagOptions, const S extends FlagOptions>(
  description: Description<O, S>,
): OtherModel {
  const { options, sharedOptions } = description;
  return {
    ...description,
    dialects: (flags) =>
      description.dialects({ ...chosenOf(options, flags), ...chosenOf(sharedOptions, flags) }),
    staging: (flags) => description.staging(chosenOf(options, flags)),
  };
}

/** Kinds of policy that are never in force. */
export interface Staging {
  readonly kinds: readonly ObjectKind[];
  /** Pure. `object`: of one of the kinds. */
  effectOf(object: ReferencedObject): StagedEffect;
}

/** What becomes of the policies when a staged one is enforced. */
export type StagedEffect =
  /** It replaces the policy of its key, or is new. Its spec is not checked. */
  | { readonly kind: "set"; readonly policy: PolicyObject }
  | { readonly kind: "delete"; readonly key: ObjectKey }
  | { readonly kind: "none"; readonly problems: readonly Problem[] };

export interface FlagDemand {
  readonly flag: string;
  /** The values that go with the model. */
  readonly values: readonly string[];
  /** Whether a command that writes must be given the flag: its default is for the first model. */
  readonly mustBeGiven: boolean;
  /** Follows the flag and its value in a sentence. */
  readonly reason: string;
}

/** A kind of policy that is not read. */
export interface UnreadPolicyKind {
  readonly kind: ObjectKind;
  /** What is reported of its objects: one sentence without a full stop. null: they are left alone. */
  readonly message: string | null;
}
