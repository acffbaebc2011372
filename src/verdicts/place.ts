// An end as a world sees it: what of it the rules of that world can see.

import type { NamespaceFact } from "../model/facts.ts";
import type { Sign } from "./signs.ts";

export interface EndPlace {
  /** null: no pod. */
  readonly pod: PodPlace | null;
  /** Of the address. */
  readonly piece: number;
}

export interface PodPlace {
  /** null: it is unknown, and no selector selects the pod. */
  readonly namespace: NamespaceFact | null;
  readonly namespaceSign: Sign;
  readonly sign: Sign;
  readonly node: string | null;
}
