// A workload behind an API server, and its changes. What it holds is bounded by the cluster: objects as text, and no history that
// no watch needs.

import { type ObjectKey, kindTextOf, type KindText, splitKey } from "../../src/model/object.ts";
import { type ApiObject, FakeApiServer } from "../../test/support/fake-api-server.ts";
import { ProtobufForms } from "../../test/support/protobuf/served.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { type Change, made, objectsOf, worldOf } from "../workloads/world.ts";
import { apiObjectOf, collectionOf, withoutEffect } from "./objects.ts";

const pods = "/api/v1/pods";
/** Updates that are written before the event loop turns: a busy cluster's, and not all at once. */
const together = 100;
const betweenMs = 10;
/** Changes after which older versions are forgotten, as an API server compacts its history every five minutes. */
const remembered = 10_000;

/**
 * Calico keeps its objects in this group or shows them in projectcalico.org, where the workload has them. A server that answers for both has
 * the same objects in both; one that has them in one answers 404 for the other, and not with an empty list.
 */
const notServed = "/apis/crd.projectcalico.org/";

export class ServedWorld {
  readonly server: FakeApiServer;
  /** Of kinds, where their objects are listed. */
  readonly #collections = new Map<KindText, string>();
  #changes = 0;

  /** `tls`: as of FakeApiServer. */
  constructor(workload: Workload, tls: ConstructorParameters<typeof FakeApiServer>[0] = null) {
    this.server = new FakeApiServer(tls, new ProtobufForms());
    this.server.fault = ({ collection }) => (collection.startsWith(notServed) ? { status: 404 } : null);
    for (const object of objectsOf(worldOf(workload))) this.#apply(made(object));
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.#apply(change);
  }

  /** Every pod in turn has another status, until so many updates are written. */
  async touch(updates: number): Promise<void> {
    for (let update = 0; update < updates;)
      for (const pod of this.server.each(pods)) {
        if (update === updates) return;
        update++;
        this.#put(pods, withoutEffect(pod, update));
        if (update % together === 0) await new Promise((resolve) => setTimeout(resolve, betweenMs));
      }
  }

  #apply({ key, object }: Change): void {
    if (object === null) this.#remove(key);
    else {
      const collection = collectionOf(object);
      this.#collections.set(kindTextOf(key), collection);
      this.#put(collection, apiObjectOf(object));
    }
  }

  #put(collection: string, object: ApiObject): void {
    this.server.put(collection, object);
    this.#changed();
  }

  #remove(key: ObjectKey): void {
    const { namespace, name } = splitKey(key);
    const metadata = namespace === null ? { name } : { name, namespace };
    this.server.remove(this.#collections.get(kindTextOf(key)) ?? "", { metadata });
    this.#changed();
  }

  #changed(): void {
    if (++this.#changes % remembered > 0) return;
    this.server.compact();
    // A watch that begins again does so at a version that the server has.
    for (const stream of this.server.streams()) stream.bookmark();
  }
}
