// The ipset that stays, on the real one: it says when all is done, what was refused, and it is started again when it has ended.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { FilterLostError, FilterRefusedError } from "../../src/netfilter/live/filter-tools.ts";
import { IpsetPipe } from "../../src/netfilter/run/ipset-pipe.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { describeWithNetfilter } from "./describe.ts";
import { placeOf, RealFilter } from "./tools.ts";

describeWithNetfilter("an ipset that stays", "nft", () => {
  let namespace: NamespaceProcess;
  let filter: RealFilter;
  let pipe: IpsetPipe;
  beforeAll(async () => {
    namespace = await NamespaceProcess.hold();
    filter = new RealFilter(namespace, "nft");
    filter.ipset("create one hash:ip family inet maxelem 3\ncreate two hash:ip,port family inet6\n");
    pipe = new IpsetPipe(placeOf(namespace));
  });
  afterAll(async () => {
    pipe.stop();
    await namespace.end();
  });
  const elements = () => filter.savedSets().filter((line) => line.startsWith("add "));

  test("has changed the sets when it says so, and forgives repeats", async () => {
    await pipe.change(["add one 10.0.0.1", "add one 10.0.0.1", "del one 10.0.0.9", "add two fd00::1,tcp:80"]);
    expect(elements()).toEqual(["add one 10.0.0.1", "add two fd00::1,tcp:80"]);
    await pipe.change(["del one 10.0.0.1"]);
    expect(elements()).toEqual(["add two fd00::1,tcp:80"]);
  });

  test.each([
    ["add none 10.0.0.1", "The set with the given name does not exist"],
    ["add one fd00::1", "Syntax error"],
  ])("gives the tool's words for what is refused, and takes what comes next: %s", async (line, why) => {
    const refused = pipe.change([line, "add one 10.0.0.2"]);
    await expect(refused).rejects.toThrow(FilterRefusedError);
    await expect(refused).rejects.toThrow(why);
    await pipe.change(["del one 10.0.0.2"]);
    expect(elements()).toEqual(["add two fd00::1,tcp:80"]);
  });

  test("refuses the element for which a set has no room", async () => {
    const lines = [1, 2, 3, 4].map((last) => `add one 10.0.0.${last}`);
    await expect(pipe.change(lines)).rejects.toThrow("Hash is full");
    await pipe.change(lines.map((line) => line.replace("add", "del")));
  });

  test("changes that are asked for at a time are done one after the other", async () => {
    const all = Array.from({ length: 20 }, (_, at) => [
      at % 2 === 0 ? "add one 10.0.0.7" : "del one 10.0.0.7",
    ]);
    await Promise.all(all.map((lines) => pipe.change(lines)));
    expect(elements()).toEqual(["add two fd00::1,tcp:80"]);
  });

  test("is lost when it is ended, and started again with the next change", async () => {
    // The signal is there before the change, and nothing of it is known here yet.
    pipe.stop();
    const lost = pipe.change(["add one 10.0.0.5"]);
    await expect(lost).rejects.toThrow(FilterLostError);
    await pipe.change(["add one 10.0.0.6"]);
    expect(elements()).toContain("add one 10.0.0.6");
  });
});
