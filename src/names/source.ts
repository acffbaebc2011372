// Answers of DNS as objects of a source, beside those of another one: the loop reads both alike. The other source says when it is
// synced; answers come when they come.

import type { ObjectKey, Source, SourceListener, WorldObject } from "../model/object.ts";
import { hostNameKind, kindText, kindTextOf, objectKey, splitKey } from "../model/object.ts";
import type { Answers } from "./answers.ts";

const hostNames = kindText(hostNameKind);

export class NamesSource implements Source {
  readonly #inner: Source;
  readonly #answers: Pick<Answers, "fact">;
  #listener: SourceListener | null = null;

  constructor(inner: Source, answers: Pick<Answers, "fact">) {
    this.#inner = inner;
    this.#answers = answers;
  }

  start(listener: SourceListener): void {
    this.#listener = listener;
    this.#inner.start(listener);
  }

  /** The fact of the name may be another. */
  changed(name: string): void {
    this.#listener?.changed(objectKey(hostNameKind, null, name));
  }

  read(key: ObjectKey): WorldObject | null {
    return kindTextOf(key) === hostNames ? this.#answers.fact(splitKey(key).name) : this.#inner.read(key);
  }

  mayExist(key: ObjectKey): boolean {
    return kindTextOf(key) !== hostNames && this.#inner.mayExist(key);
  }

  stop(): Promise<void> {
    this.#listener = null;
    return this.#inner.stop();
  }
}
