// The frame and the kinds of ends of each family, and the traffic cut at every border that a rule has: what every question of
// the engine starts with.

import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { Kind, Role } from "./ends/kinds.ts";
import { kindsOf } from "./ends/kinds.ts";
import type { Basis, Frame } from "./frame.ts";
import { basisOf, frameOf, rulesOf } from "./frame.ts";
import { Lists } from "./lists.ts";
import { TrafficCuts } from "./traffic.ts";
import type { Both, PolicyWorld } from "./worlds.ts";
import { worldsIn } from "./worlds.ts";

export interface Framed {
  readonly frame: Frame;
  readonly kinds: Readonly<Record<Role, readonly Kind[]>>;
}

export interface Options {
  readonly open: ReadonlySet<string>;
  /** Lists have the entries that decide nothing, too. */
  readonly isWhole: boolean;
  /** Networks of the question, at whose borders ends are told apart too; none unless given. */
  readonly borders?: readonly Cidr[];
  /** Addresses that a workload's pods cannot have, beside those of pods and nodes; none unless given. */
  readonly taken?: readonly IpAddress[];
  /** Ports of the question, likewise. */
  readonly ports?: readonly PortMatch[];
}

export interface Frames {
  readonly basis: Basis;
  readonly frames: Readonly<Record<IpFamily, Framed>>;
  readonly cuts: TrafficCuts;
}

export function framesOf(worlds: Both<PolicyWorld>, { open, isWhole, ...asked }: Options): Frames {
  const basis = basisOf(worlds, open, asked);
  const framed = (family: IpFamily): Framed => {
    const frame = frameOf(basis, family, new Lists(isWhole));
    return { frame, kinds: kindsOf(frame) };
  };
  const frames = { v4: framed("v4"), v6: framed("v6") };
  const rules = worldsIn(worlds)
    .flatMap(({ policies }) => policies)
    .flatMap(rulesOf);
  const ports = new Set([...rules.flatMap((rule) => rule.ports ?? []), ...(asked.ports ?? [])]);
  const isDivided = rules.some(({ translated }) => translated === true);
  return { basis, frames, cuts: new TrafficCuts(ports, basis.declared.all(), isDivided) };
}
