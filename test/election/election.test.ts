// Who writes, on a real ovsdb-server: several elections on connections of their own, with short times. What must never
// be is that a writer who lost the claim writes; when another takes over is counted in transactions, not in seconds.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import { claimIn, claiming } from "../../src/nbdb/write/claim.ts";
import type { ElectionTimes } from "../../src/nbdb/write/election.ts";
import { Election, electionLock } from "../../src/nbdb/write/election.ts";
import { NorthboundWriter, PreconditionFailedError } from "../../src/nbdb/write/northbound-writer.ts";
import type { Operation, SocketSession } from "../../src/ovsdb/index.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { startOvn } from "../../src/sandbox/ovn.ts";
import { owners } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";

/** One that never gives up a claim because a machine is slow. */
const patient: ElectionTimes = { renew: 50, expire: 3_600_000, grace: 20 };

interface Instance {
  readonly session: SocketSession<typeof northbound>;
  readonly election: Election;
  readonly writer: NorthboundWriter;
}

await describeWithOvn("election", () => {
  let ovn: Ovn;
  let open: Instance[];

  beforeEach(async () => {
    ovn = await startOvn({ northd: false });
    open = [];
  });
  afterEach(async () => {
    for (const { session, election } of open) {
      await election.stop();
      await session.close();
    }
    await ovn.stop();
  });

  async function instance(token: string, times: ElectionTimes = patient): Promise<Instance> {
    const session = openSession({
      remotes: ovn.nb,
      database: northbound,
      monitors: northboundMonitors(rowOwners(owners)),
      lock: electionLock,
    });
    const election = new Election({
      ...{ session, writer: new NorthboundWriter({ session }), token, place: `here ${token}` },
      ...{ clock: systemClock, logger: silentLogger, times },
    });
    const writer = new NorthboundWriter({ session, precondition: () => election.precondition() });
    open.push({ session, election, writer });
    await session.opened();
    return { session, election, writer };
  }

  const leads = (one: Instance) =>
    eventually(() => {
      expect(one.election.leads).toBe(true);
    });
  const standsBy = (one: Instance, behind: string) =>
    eventually(() => {
      expect([one.election.leads, one.election.other]).toEqual([false, `here ${behind}`]);
    });
  async function claimSeen({ session }: Instance) {
    await session.transact([{ op: "select", table: "NB_Global", where: [], columns: [] }]);
    const claim = claimIn(session.cache);
    if (claim === null) throw new Error("nobody holds the claim");
    return claim;
  }
  const insert = (name: string): Operation => ({ op: "insert", table: "Address_Set", row: { name } });
  const sets = async () =>
    (await ovn.nbctl("--bare", "--columns=name", "list", "Address_Set")).split(/\s+/).filter(Boolean);

  test("the first one leads, in a database that nobody has used before; the second stands by and cannot write", async () => {
    const first = await instance("a");
    await leads(first);
    const second = await instance("b");
    await standsBy(second, "a");
    await first.writer.transact([insert("of_a")]);
    await expect(second.writer.transact([insert("of_b")])).rejects.toThrow(PreconditionFailedError);
    expect(await sets()).toEqual(["of_a"]);
    expect([first.writer.stats, second.election.stats]).toEqual([
      { transactions: 1, operations: 1 },
      { claim: 0, renewal: 0, release: 0 },
    ]);
  });

  test("one that ends gives the claim back, and the next takes it in its next transaction", async () => {
    const first = await instance("a");
    await leads(first);
    const second = await instance("b");
    await standsBy(second, "a");
    await first.election.stop();
    await leads(second);
    expect(second.election.stats.claim).toBe(1);
    await second.election.stop();
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
  });

  test("one that ends while its claim is under way leaves no claim behind", async () => {
    const { session } = await instance("a", patient);
    const sending = Promise.withResolvers<undefined>();
    const transact = (operations: readonly Operation[]) => {
      sending.resolve(undefined);
      return session.transact(operations);
    };
    // Another process would have a connection of its own; only the claim matters here.
    await open[0]?.election.stop();
    const election = new Election({
      ...{ session, writer: new NorthboundWriter({ session: { transact } }), token: "b", place: "here" },
      ...{ clock: systemClock, logger: silentLogger, times: patient },
    });
    await sending.promise;
    await election.stop();
    expect(election.stats).toMatchObject({ claim: 1, release: 1 });
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
  });

  test("of many that start at once, one leads", async () => {
    const all = await Promise.all(["a", "b", "c", "d", "e"].map((token) => instance(token)));
    await eventually(() => {
      expect(all.filter(({ election }) => election.leads)).toHaveLength(1);
      expect(all.filter(({ election }) => election.other !== null)).toHaveLength(4);
    });
  });

  test("the end of the holder's connection is noticed long before its signs would be missed", async () => {
    const first = await instance("a");
    await leads(first);
    await eventually(() => {
      expect(first.session.lockedAt).toBe("standalone");
    });
    const second = await instance("b");
    await standsBy(second, "a");
    // Without a word, as kill -9 does it.
    await first.session.close();
    await leads(second);
  });

  test("a holder without the lock gets it, so that its end is noticed as soon", async () => {
    const second = await instance("b", { ...patient, renew: 3_600_000 });
    await leads(second);
    const first = await instance("a");
    await second.election.stop();
    await leads(first);
    // The lock is still the other's, whose process lives on.
    expect(first.session.lockedAt).toBeNull();
    second.session.giveWay();
    await eventually(() => {
      expect(first.session.lockedAt).toBe("standalone");
    });
    await second.session.close();
    const third = await instance("c");
    await standsBy(third, "a");
    await first.session.close();
    await leads(third);
  });

  test("a holder that gives no sign loses the claim, and its next transaction fails in the database", async () => {
    const first = await instance("a", { ...patient, renew: 3_600_000 });
    await leads(first);
    const second = await instance("b", { ...patient, expire: 100 });
    await leads(second);
    await expect(first.writer.transact([insert("stale")])).rejects.toThrow(PreconditionFailedError);
    expect(await sets()).toEqual([]);
    await standsBy(first, "b");
  });

  test("who saw an older sign of a holder that lives does not get its claim", async () => {
    const first = await instance("a");
    await leads(first);
    const seen = await claimSeen(first);
    await eventually(async () => {
      expect((await claimSeen(first)).sign).not.toBe(seen.sign);
    });
    const late = claiming({ writer: "b there", sign: "1 -" }, seen, true);
    await expect(first.session.transact(late)).rejects.toThrow(/timed out/);
    const never = claiming({ writer: "b there", sign: "1 -" }, null, true);
    await expect(first.session.transact(never)).rejects.toThrow(/timed out/);
    expect(first.election.leads).toBe(true);
  });

  test("a claim that somebody removes is taken again", async () => {
    const first = await instance("a");
    await leads(first);
    await ovn.nbctl("clear", "NB_Global", ".", "external_ids");
    await eventually(() => {
      expect(first.election.stats.claim).toBe(2);
    });
    await leads(first);
  });

  test("a server that comes back finds its writer, which goes on", async () => {
    const first = await instance("a");
    await leads(first);
    await ovn.restartNb();
    await first.session.opened();
    await leads(first);
    await first.writer.transact([insert("after")]);
    expect(first.election.stats.claim).toBe(1);
  });
});
