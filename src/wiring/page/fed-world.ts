// The page's world in the thread of a controller: made of the objects that the controller passes on, in the states in which its
// engine has read them, and of what it says of itself. Findings and plans are not made here: they take seconds on a large
// cluster. Nothing is asked before everything has arrived. The controller follows no policies of kinds that it does not
// enforce, and Services only where policies may name them: each answer says so.

import { installed } from "../../dialects.ts";
import type { NotRead } from "../../unknowns/foreign.ts";
import { formatSourceProblem } from "../../informers/index.ts";
import { Sharing } from "../../kube/read/sharing.ts";
import type { ObjectKey, ObjectKind } from "../../model/object.ts";
import { kindText } from "../../model/object.ts";
import { serviceKind } from "../../model/service.ts";
import { backendNamed } from "../../backends.ts";
import { ovnCni } from "../../cni/answers.ts";
import { placedFinding } from "../../status/findings.ts";
import { FollowedWorld } from "../../ui/followed.ts";
import { PageRevision } from "../../ui/page-revision.ts";
import type { LastChange, Live, ShownWorld, ThreadAnswers } from "../../ui/world.ts";
import { changeOf } from "../../ui/world.ts";
import type { ReadRecord } from "../../unknowns/unknowns.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { FedChange, FedLive, FedStart } from "./page-messages.ts";

const serviceText = kindText(serviceKind);

function notReadBy(followed: readonly ObjectKind[]): NotRead {
  const sentence = followed.some((kind) => kindText(kind) === serviceText)
    ? "the controller does not follow policies of kinds that it does not enforce"
    : "the controller follows neither Services nor policies of kinds that it does not enforce";
  return { policies: [], sentences: [sentence] };
}

export class FedWorld implements ShownWorld {
  readonly from: string;
  readonly cni = ovnCni;
  readonly workloads = [];
  readonly findings = null;
  readonly plan = null;
  readonly matrix: ShownWorld["matrix"];
  readonly reach: ShownWorld["reach"];
  readonly compare: ShownWorld["compare"];
  readonly #revision = new PageRevision(() => String(this.#followed.revision));
  readonly #followed: FollowedWorld;
  readonly #places = new Map<ObjectKey, ReadonlyMap<string, string>>();
  readonly #sharing = new Sharing();
  #isReady = false;
  #lastChange: LastChange | null = null;
  #told: { readonly live: FedLive; readonly reasons: ReadonlyMap<ObjectKey, string> } | null = null;

  /** `threads` answers from threads about the world of which it is given the revision. */
  constructor(
    { families, kinds, mode, from }: FedStart,
    threads: (world: FollowedWorld, revision: PageRevision) => ThreadAnswers,
  ) {
    const { dialects, references, tierLayout } = installed(kinds);
    this.from = from;
    this.#followed = new FollowedWorld({
      ...{
        model: backendNamed(mode.backend).model({ ...mode, objects: [], dialects, families, tierLayout }),
        dialects,
        families,
      },
      ...{ serviceNetworks: [], placeOf: (key, field) => this.#places.get(key)?.get(field) ?? null },
      isProving: false,
    });
    this.#followed.setNotRead(notReadBy(references));
    const { matrix, reach, compare } = threads(this.#followed, this.#revision);
    this.matrix = matrix;
    this.reach = reach;
    this.compare = compare;
  }

  change(changes: readonly FedChange[]): void {
    for (const { key, object, kept, isNew, places } of changes) {
      if (kept !== null || isNew) this.#followed.keep(key, kept);
      // A copy that has crossed shares nothing with the others.
      this.#followed.set(key, object === null ? null : this.#sharing.share(object));
      if (places.length === 0) this.#places.delete(key);
      else this.#places.set(key, new Map(places.map(({ field, place }) => [field, place])));
    }
    const last = changes.at(-1);
    if (this.#isReady && last !== undefined) this.#lastChange = changeOf(last.key, new Date());
    // Now, and not at the first question, which would wait for all of it.
    this.#followed.settle();
  }

  synced(): void {
    this.#isReady = true;
  }

  record(key: PolicyKey): ReadRecord | null {
    return this.#followed.model.record(key);
  }

  /** Of the objects that came after those of the start. */
  get lastChange(): LastChange | null {
    return this.#lastChange;
  }

  say(live: FedLive): void {
    this.#told = { live, reasons: new Map(live.notInForce) };
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get revision(): string {
    return this.#revision.now;
  }

  get facts() {
    return this.#followed.model.facts;
  }

  get asked() {
    return this.#followed.asked;
  }

  get membership() {
    return this.#followed.model.membership;
  }

  get policyCount(): number {
    return Iterator.from(this.#followed.model.records()).reduce((count) => count + 1, 0);
  }

  get problems(): readonly string[] {
    const { model, placeOf } = this.#followed;
    const refused = [...model.records()].flatMap((record) =>
      record.problems.map((problem) => formatSourceProblem(placedFinding(record, problem, placeOf))),
    );
    return [...new Set([...(this.#told?.live.problems ?? []), ...refused])];
  }

  get live(): Live {
    if (this.#told === null)
      return {
        counts: [],
        unenforced: [],
        pending: ["the controller has not reported yet"],
        writer: null,
        whyNotInForce: () => null,
      };
    const { live, reasons } = this.#told;
    const { counts, unenforced, pending, writer, everywhere } = live;
    return {
      ...{ counts, unenforced, pending, writer },
      whyNotInForce: (key) => everywhere ?? reasons.get(key) ?? null,
    };
  }
}
