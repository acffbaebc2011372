// Sets as text for `ipset restore`, on a node that has none of them. Addresses are canonical: ipset looks other words up by DNS.

import type { IpFamily } from "../model/ip.ts";

export type SetType = "hash:ip" | "hash:ip,port";

export interface SetHead {
  readonly name: string;
  readonly family: IpFamily;
  /** As the tool prints it; of ipset a SetType. */
  readonly type: string;
}

export interface SetContents extends SetHead {
  /** As `ipset save` prints them, ascending. */
  readonly elements: readonly string[];
}

/** The default, 65,536, is fewer than a large cluster's pods; a larger one costs nothing until it is used. */
const mostElements = 1_048_576;

export function ipsetText(sets: readonly SetContents[]): string {
  const texts = sets.flatMap(({ name, family, type, elements }) => [
    createText({ name, family, type }),
    ...elements.map((element) => `add ${name} ${element}`),
  ]);
  return texts.map((text) => `${text}\n`).join("");
}

export function createText({ name, family, type }: SetHead): string {
  return `create ${name} ${type} family ${family === "v4" ? "inet" : "inet6"} maxelem ${mostElements}`;
}
