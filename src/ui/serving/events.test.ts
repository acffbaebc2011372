// Streams under a clock of the test's: a state is sent when it is another and never otherwise, streams are bounded in number and
// in time, and without one nothing is looked at.

import { expect, test } from "@jest/globals";
import { HandClock } from "../../../test/support/scripted-api.ts";
import { beatMs, Events, lookMs, mostStreams, streamMs } from "./events.ts";

class Client {
  readonly got: string[] = [];
  #ended: () => void = () => undefined;

  readonly sink = {
    write: (text: string): void => void this.got.push(text),
    end: (): void => {
      this.got.push("end");
      this.#ended();
    },
    onEnd: (ended: () => void): void => {
      this.#ended = ended;
    },
  };

  leave(): void {
    this.#ended();
  }
}

function scene() {
  const clock = new HandClock();
  let revision = 1;
  const seen = { looked: 0, made: 0 };
  const events = new Events(clock, () => {
    seen.looked++;
    return {
      version: String(revision),
      json: () => {
        seen.made++;
        return `{"revision":${revision}}`;
      },
    };
  });
  const join = (): Client | number => {
    const client = new Client();
    const answer = events.answer();
    if (!("begin" in answer)) return answer.status;
    answer.begin(client.sink);
    return client;
  };
  const client = (): Client => {
    const joined = join();
    if (typeof joined === "number") throw new Error("refused");
    return joined;
  };
  const change = (): void => {
    revision++;
  };
  return { clock, events, seen, join, client, change };
}

const state = (revision: number) => `event: state\ndata: {"revision":${revision}}\n\n`;
const start = "retry: 2000\n\n";

test("the state comes at once, and again when it is another, once for all", () => {
  const { clock, seen, client, change } = scene();
  const [one, other] = [client(), client()];
  clock.elapse(lookMs);
  clock.elapse(lookMs);
  expect([one.got, other.got]).toEqual([
    [start, state(1)],
    [start, state(1)],
  ]);
  const made = seen.made;
  change();
  clock.elapse(lookMs);
  expect([one.got.at(-1), other.got.at(-1), seen.made - made]).toEqual([state(2), state(2), 1]);
});

test("nothing is looked at when nobody listens, and again when somebody comes", () => {
  const { clock, seen, client, change } = scene();
  clock.elapse(60_000);
  expect([seen.looked, clock.tasks]).toEqual([0, 0]);
  const one = client();
  one.leave();
  clock.elapse(lookMs);
  const { looked } = seen;
  clock.elapse(60_000);
  expect([seen.looked, clock.tasks]).toEqual([looked, 0]);
  change();
  expect(client().got).toEqual([start, state(2)]);
});

test("a stream that has nothing to say beats, and ends after its time", () => {
  const { clock, events, client } = scene();
  const one = client();
  for (let at = 0; at < beatMs / lookMs; at++) clock.elapse(lookMs);
  expect(one.got).toEqual([start, state(1), "event: beat\ndata:\n\n"]);
  for (let at = 0; at < streamMs / lookMs; at++) clock.elapse(lookMs);
  expect([one.got.at(-1), events.size]).toEqual(["end", 0]);
});

test("as many as there may be, and another one when one has gone", () => {
  const { events, join, client } = scene();
  const all = Array.from({ length: mostStreams }, client);
  expect(join()).toBe(503);
  all[3]!.leave();
  expect([typeof join(), join(), events.size]).toEqual(["object", 503, mostStreams]);
  events.stop();
  expect(events.size).toBe(0);
});
