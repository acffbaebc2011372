// What each judge says of a packet, and whether they agree.

import type { Opinion } from "./judges.ts";
import { opinionText, sameOpinion } from "./judges.ts";
import type { Probe } from "./packets.ts";
import { probeText } from "./packets.ts";
import type { Stricter } from "./worlds.ts";

export interface Judged {
  readonly probe: Probe;
  readonly meant: Opinion;
}

export interface Voices {
  /** Undefined: not asked; so are the dataplane and the rows. */
  readonly ovn: Opinion | undefined;
  readonly dataplane: Opinion["verdict"] | undefined;
  /** null: it cannot tell. */
  readonly explain: Opinion | null;
  /** A text: why they do not know. */
  readonly rows: Opinion | string | undefined;
  /** The rules that samples name. A text: why they are not known. */
  readonly samples: readonly string[] | string | undefined;
  /** null: equal priorities leave it open. */
  readonly compiled: Opinion | null | undefined;
}

export function agree({ meant }: Judged, voices: Voices): boolean {
  const { ovn, dataplane, explain, rows, samples, compiled } = voices;
  const isSame = (other: Opinion | string | null | undefined) =>
    other === undefined || (other !== null && typeof other !== "string" && sameOpinion(meant, other));
  if (![ovn, rows, explain, compiled].every(isSame)) return false;
  if (samples !== undefined && (typeof samples === "string" || samples.join() !== meant.rules.join()))
    return false;
  return (dataplane ?? meant.verdict) === meant.verdict;
}

/** Whether the rows drop the packet: what is meant may be that too, by a later rule. */
export function isDropped({ ovn, rows, dataplane }: Voices): boolean {
  const ofRows = typeof rows === "string" ? undefined : rows?.verdict;
  return (ovn?.verdict ?? ofRows ?? dataplane) === "drop";
}

/** As `agree`, but that rows may drop what is meant to be allowed. */
export function agreeOrStricter(one: Judged, voices: Voices, stricter: Stricter): boolean {
  if (isDropped(voices)) return agreeButForRows(one, voices);
  return agree(one, voices) || agreeInWords(one, voices, stricter);
}

const unasked = {
  ...{ ovn: undefined, rows: undefined, dataplane: undefined },
  ...{ samples: undefined, compiled: undefined },
};

/** Those that ask the rows agree with each other, and the others with what is meant. */
function agreeButForRows(one: Judged, voices: Voices): boolean {
  const { ovn, rows, dataplane, explain, compiled } = voices;
  const dropped = ovn ?? (typeof rows === "string" ? undefined : rows) ?? { verdict: "drop", rules: [] };
  return (
    agree(one, { ...unasked, explain, compiled }) &&
    agree({ ...one, meant: dropped }, { ...unasked, ovn, rows, dataplane, explain: dropped })
  );
}

/** As `agree`, where rules are compared by their words. */
function agreeInWords({ probe, meant }: Judged, voices: Voices, { word }: Stricter): boolean {
  const inWords = ({ verdict, rules }: Opinion): Opinion => ({
    verdict,
    rules: rules.flatMap((rule) => word(rule) ?? []),
  });
  const { ovn, dataplane, explain, rows, compiled } = voices;
  return agree(
    { probe, meant: inWords(meant) },
    {
      ...{ ovn: ovn && inWords(ovn), dataplane, explain: explain && inWords(explain), samples: undefined },
      ...{ rows: typeof rows === "object" ? inWords(rows) : rows, compiled: compiled && inWords(compiled) },
    },
  );
}

export function faultText(
  { probe, meant }: Judged,
  { ovn, dataplane, explain, rows, samples, compiled }: Voices,
): string {
  const textOf = (opinion: Opinion | string | null | undefined) => {
    if (opinion === undefined) return "not asked";
    if (opinion === null) return "cannot tell";
    return typeof opinion === "string" ? opinion : opinionText(opinion);
  };
  return [
    probeText(probe),
    `${compiled === undefined ? "policies:  " : "witness:   "}${opinionText(meant)}`,
    ...(compiled === undefined ? [] : [`policies:  ${textOf(compiled)}`]),
    `explain:   ${textOf(explain)}`,
    `OVN:       ${textOf(ovn)}`,
    `rows:      ${textOf(rows)}`,
    `dataplane: ${dataplane ?? "not asked"}`,
    ...(samples === undefined
      ? []
      : [`samples:   ${typeof samples === "string" ? samples : samples.join(", ")}`]),
  ].join("\n  ");
}
