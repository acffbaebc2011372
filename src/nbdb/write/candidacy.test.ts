// When a program may take the claim of another: what flags, zones, sight and --take-over change.

import { describe, expect, test } from "@jest/globals";
import { LineLogger } from "../../../test/support/scripted-api.ts";
import type { CandidacyOptions } from "./candidacy.ts";
import { Candidacy } from "./candidacy.ts";
import type { Claim } from "./claim.ts";
import { CompetingWriter } from "./competing-writer.ts";
import { flagDifferences, flagsFrom, flagsText, zoneFrom, zoneText } from "./writer-profile.ts";

const flags = (text: string) => flagsFrom(text);
const claim = (more: Partial<Claim> = {}): Claim => ({
  ...{ writer: "t there", sign: "1 -", zone: null, flags: flags("address-sets=rule"), isBlind: false },
  ...more,
});
const expire = 12_000;

function asked(held: Claim | null, more: Partial<CandidacyOptions> = {}) {
  const logger = new LineLogger();
  const rival = new CompetingWriter({ expire, grace: 1_500 });
  rival.see(held, 0);
  const candidacy = new Candidacy({
    profile: { zone: null, flags: flags("address-sets=shared") },
    mayClaim: () => true,
    takeOver: false,
    logger,
    ...more,
  });
  return { candidacy, logger, atMs: () => candidacy.claimableAtMs(rival, "-") };
}

describe("a claim may be taken", () => {
  test("at once when there is none, and when its holder does not see", () => {
    expect(asked(null).atMs()).toBe(-Infinity);
    expect(asked(claim({ isBlind: true })).atMs()).toBe(-Infinity);
  });

  test("when it looks abandoned, whatever its flags and zone are", () => {
    expect(asked(claim()).atMs()).toBe(expire);
    expect(asked(claim({ zone: "n1", isBlind: true }), { takeOver: true }).atMs()).toBe(expire);
  });

  test("never by a program that does not know what the policies say", () => {
    expect(asked(null, { mayClaim: () => false }).atMs()).toBe(Infinity);
    // It lost its source with the holder: it has no answer since then.
    const mayClaim = (currentAfterMs: number) => currentAfterMs === -Infinity;
    expect(asked(claim({ isBlind: true }), { mayClaim }).atMs()).toBe(expire);
  });

  test("once, at the start, by who is to take over from other flags", () => {
    const { candidacy, atMs } = asked(claim(), { takeOver: true });
    expect(atMs()).toBe(-Infinity);
    candidacy.won();
    expect(atMs()).toBe(expire);
    const same = asked(claim({ flags: flags("address-sets=shared") }), { takeOver: true });
    expect([same.atMs(), same.atMs()]).toEqual([expire, expire]);
  });
});

test("flags differ where both name one and the values are others; it is logged once for each holder", () => {
  expect(flagDifferences(flags("a=1 b=2"), flags("b=3 c=4"))).toEqual([
    { flag: "b", theirs: "2", ours: "3" },
  ]);
  const { candidacy, logger } = asked(null);
  candidacy.report(claim());
  candidacy.report(claim({ sign: "2 -" }));
  candidacy.report(claim({ flags: new Map() }));
  expect(logger.said.map(([level, , fields]) => [level, fields["flags"]])).toEqual([
    ["warn", "--address-sets is rule there and shared here"],
  ]);
});

test("what a claim says is read as it was written", () => {
  for (const zone of [null, "n1", "central"])
    expect(zoneFrom(zoneText({ zone, flags: new Map() }))).toBe(zone);
  expect(zoneFrom("")).toBeUndefined();
  const written = flags("address-sets=rule ip-families=ipv4,ipv6");
  expect(flagsFrom(flagsText({ zone: null, flags: written }))).toEqual(written);
});
