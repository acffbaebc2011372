// How long a session waits, on a clock that the test moves: for answers, for the cache to be filled, for a leader, and for
// members that are behind. The limits are the defaults that the product has.

import { describe, expect, test } from "@jest/globals";
import { PendingRequests, type Movement } from "../../src/ovsdb/wire/pending-requests.ts";
import { type LeaderChoice, EndpointSelector } from "../../src/ovsdb/session/endpoint-selector.ts";
import { settle } from "../../src/ovsdb/session/options.ts";
import { FillTimeout } from "../../src/ovsdb/session/fill-timeout.ts";
import { HandClock } from "../support/scripted-api.ts";
import { description } from "./scripted-schema.ts";

const settings = (remotes: string) => settle({ remotes, database: description, monitors: {} });
const second = 1000;

describe("an answer that is awaited", () => {
  function watched(movement: () => Partial<Movement> = () => ({})) {
    const clock = new HandClock();
    const told: (string | number)[] = [];
    const awaited = new PendingRequests({
      clock,
      movement: () => ({ messages: 0, unfinished: 0, isBehind: false, ...movement() }),
      gone: (reason) => told.push(reason),
    });
    const begin = () =>
      awaited.begin("transact", { limitMs: 15 * second, overdue: (milliseconds) => told.push(milliseconds) });
    const elapse = (seconds: number) => {
      for (let at = 0; at < seconds * 10; at++) clock.elapse(100);
    };
    return { clock, awaited, told, begin, elapse };
  }

  test("is waited for as long as the limit, and not longer", () => {
    const { told, begin, elapse } = watched();
    begin();
    elapse(14.9);
    expect(told).toEqual([]);
    elapse(0.2);
    expect(told).toEqual([15 * second, "transact was not answered within 15000 ms"]);
    elapse(100);
    expect(told).toHaveLength(2);
  });

  test("keeps no timer when it has come", () => {
    const { clock, begin } = watched();
    begin()();
    expect(clock.tasks).toBe(0);
  });

  test("may take for ever with a limit of 0", () => {
    const { clock, awaited } = watched();
    awaited.begin("transact", { limitMs: 0 });
    expect(clock.tasks).toBe(0);
  });

  test("is waited for anew when an earlier request has its answer, not when a later one has", () => {
    const { told, begin, elapse } = watched();
    const first = begin();
    elapse(10);
    begin();
    elapse(4);
    first();
    elapse(14);
    expect(told).toEqual([]);
    elapse(2);
    expect(told).toHaveLength(2);

    const other = watched();
    other.begin();
    other.elapse(10);
    other.begin()();
    other.elapse(6);
    expect(other.told).toHaveLength(2);
  });

  test("is under way while a message grows or messages wait for us", () => {
    let unfinished = 0;
    const growing = watched(() => ({ unfinished: unfinished++ }));
    growing.begin();
    growing.elapse(100);
    expect(growing.told).toEqual([]);
    const busy = watched(() => ({ isBehind: true }));
    busy.begin();
    busy.elapse(100);
    expect(busy.told).toEqual([]);
  });

  test("is not under way while whole messages come, however many", () => {
    let messages = 0;
    const { told, begin, elapse } = watched(() => ({ messages: ++messages, unfinished: messages % 50 }));
    begin();
    elapse(16);
    expect(told).toHaveLength(2);
  });

  test("is given its time again when this program slept", () => {
    const { clock, told, begin, elapse } = watched();
    begin();
    elapse(10);
    clock.elapse(3600 * second);
    expect(told).toEqual([]);
    elapse(14);
    expect(told).toEqual([]);
    elapse(2);
    expect(told).toHaveLength(2);
  });
});

describe("the cache", () => {
  test("is to be filled within 15 s where there is another remote, within 60 s where there is none", () => {
    const many = new FillTimeout(settings("unix:a,unix:b"));
    expect([many.request.limitMs, many.dump.limitMs]).toEqual([15 * second, 15 * second]);
    const one = new FillTimeout(settings("unix:a"));
    expect([one.request.limitMs, one.dump.limitMs]).toEqual([60 * second, 60 * second]);
  });

  test("may take longer in each round in which no remote had the rows in time, until it is filled", () => {
    const patience = new FillTimeout(settings("unix:a,unix:b"));
    const limits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) {
      const { dump } = patience;
      limits.push(dump.limitMs / second);
      dump.overdue?.(0);
    }
    expect(limits).toEqual([15, 15, 30, 30, 60, 60, 60]);
    expect(patience.request.limitMs).toBe(15 * second);
    patience.filled();
    expect(patience.dump.limitMs).toBe(15 * second);
  });
});

describe("a member of a cluster", () => {
  function members(remotes: number, leader: LeaderChoice = "first") {
    const clock = new HandClock();
    const { behindTimeoutMs } = settings("unix:a");
    return { clock, members: new EndpointSelector({ clock, remotes, leader, behindTimeoutMs }) };
  }

  test("that follows is used when no remote led for 5 s, and all were tried; the leader, always", () => {
    const { clock, members: of } = members(3);
    of.attempt();
    expect(of.takesFollowers).toBe(false);
    of.passBy();
    clock.elapse(6 * second);
    for (const isTaken of [false, false, true]) {
      of.attempt();
      expect(of.takesFollowers).toBe(isTaken);
    }
    of.used();
    of.attempt();
    expect(of.takesFollowers).toBe(false);
  });

  test("that follows is used when it is the only remote, or any will do", () => {
    expect(members(1).members.takesFollowers).toBe(true);
    expect(members(3, "any").members.takesFollowers).toBe(true);
    expect(members(1, "only").members.takesFollowers).toBe(false);
  });

  test("that is behind is refused; believed when all have been behind for 30 s, once", () => {
    const { clock, members: of } = members(2);
    of.attempt();
    expect(of.judge("c", 7)).toBe("level");
    for (let attempt = 0; attempt < 29; attempt++) {
      of.attempt();
      expect(of.judge("c", 5)).toBe("behind");
      clock.elapse(second);
    }
    clock.elapse(second);
    of.attempt();
    expect(of.judge("c", 5)).toBe("restored");
    expect(of.judge("c", 5)).toBe("level");
    expect(of.judge("c", 4)).toBe("behind");
  });

  test("that is behind is refused as long as another is level, or another was not tried", () => {
    const { clock, members: of } = members(2);
    of.judge("c", 7);
    for (let round = 0; round < 100; round++) {
      of.attempt();
      expect(of.judge("c", 5)).toBe("behind");
      clock.elapse(second);
      of.attempt();
      expect(of.judge("c", 7)).toBe("level");
    }
    of.attempt();
    expect(of.judge("c", 5)).toBe("behind");
    clock.elapse(60 * second);
    of.attempt();
    expect(of.judge("c", 5)).toBe("behind");
    of.attempt();
    expect(of.judge("c", 5)).toBe("restored");
  });

  test("of another cluster is not measured by the first one", () => {
    const { members: of } = members(2);
    expect([of.judge("c", 7), of.judge("d", 1)]).toEqual(["level", "level"]);
  });
});
