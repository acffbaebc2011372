// What instances say of themselves on /readyz and what the conditions of policies say, held against what is so. What is wrong
// is counted in the arena, and ends the time.

import type { Arena } from "../arena/arena.ts";
import type { Instance, Status } from "../arena/instance.ts";
import { until } from "../arena/until.ts";
import { names } from "../arena/world.ts";

export interface Told {
  readonly code: number;
  readonly text: RegExp;
}

export const isLeading: Told = { code: 200, text: /^ok(?![^]*standby)/ };
export const isStandby: Told = { code: 200, text: /^ok[^]*standby/ };
export const isBlind: Told = { code: 503, text: /^the source is out of contact: .* for \d+ s/m };
export const isHeld: Told = { code: 503, text: /nothing is written/ };

const fits = ({ code, text }: Status, told: Told) => code === told.code && told.text.test(text);

function wrong(arena: Arena, what: string): never {
  arena.wrongStatus++;
  throw new Error(what);
}

/** It comes to say so. */
export async function says(arena: Arena, one: Instance, told: Told): Promise<void> {
  let last: Status = { code: null, text: "" };
  const check = async (): Promise<boolean> => fits((last = await one.status()), told);
  await until(`${one.name} says ${told.code} ${String(told.text)}`, check).catch((error: unknown) =>
    wrong(arena, `${String(error)}; it says ${String(last.code)} ${last.text}`),
  );
}

/** It says so now. */
export async function saysNow(arena: Arena, one: Instance, told: Told): Promise<void> {
  const { code, text } = await one.status();
  if (!fits({ code, text }, told))
    wrong(arena, `${one.name} says ${String(code)} ${text}, not ${told.code} ${String(told.text)}`);
}

/**
 * One leads, all others stand by, and every policy is in force as it is now. The claim may move until then, and stays where it is
 * from then on.
 */
export async function allWell(arena: Arena): Promise<void> {
  const { instances, cluster } = arena;
  let last: readonly string[] = [];
  const agree = async (): Promise<boolean> => {
    const all = await Promise.all(instances.map(async (one) => ({ one, status: await one.status() })));
    const { leader, observer } = arena;
    last = all.map(({ one, status }) => `${one.name} says ${String(status.code)} ${status.text}`);
    return (
      !observer.isHolderBlind &&
      all.every(({ one, status }) => fits(status, one === leader ? isLeading : isStandby))
    );
  };
  await until("the holder of the claim leads, and the others stand by", agree).catch((error: unknown) =>
    wrong(arena, `${String(error)}; ${last.join("; ")}`),
  );
  if (cluster === null) return;
  let bad: readonly string[] = [];
  const check = async (): Promise<boolean> => {
    const policies = await cluster.conditions();
    const isRight = ({ conditions, generation }: (typeof policies)[number]) =>
      conditions.length === 1 &&
      conditions.every(
        ({ status, observedGeneration }) => status === "True" && observedGeneration === generation,
      );
    bad = policies.filter((policy) => !isRight(policy)).map(({ name }) => name);
    return policies.length > 0 && bad.length === 0;
  };
  await until("every policy's condition is True", check).catch((error: unknown) =>
    wrong(arena, `${String(error)}: not ${bad.join(", ")}`),
  );
}

/** The policy that was edited while nobody saw is not called in force as it is now. */
export async function nothingFlatters(arena: Arena): Promise<void> {
  const policies = (await arena.cluster?.conditions()) ?? [];
  const edited = policies.find(({ name }) => name === names.counted);
  if (edited === undefined) throw new Error(`there is no policy ${names.counted}`);
  if (edited.conditions.some(({ observedGeneration }) => observedGeneration === edited.generation))
    wrong(arena, `${names.counted} has a condition of an edit that nobody has seen`);
}
