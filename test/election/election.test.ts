// Who writes, on a real ovsdb-server: several elections on connections of their own, with short times. What must never
// be is that a writer who lost the claim writes; when another takes over is counted in transactions, not in seconds.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import { claimIn, claiming } from "../../src/nbdb/write/claim.ts";
import type { ElectionOptions, ElectionTimes } from "../../src/nbdb/write/election.ts";
import { Election, electionLock, unconditional } from "../../src/nbdb/write/election.ts";
import type { WriterProfile } from "../../src/nbdb/write/writer-profile.ts";
import { NorthboundWriter, PreconditionFailedError } from "../../src/nbdb/write/northbound-writer.ts";
import type { Operation, SocketSession } from "../../src/ovsdb/index.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
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

  async function instance(
    token: string,
    times: ElectionTimes = patient,
    more: Partial<ElectionOptions> = {},
  ): Promise<Instance> {
    const session = openSession({
      remotes: ovn.nb,
      database: northbound,
      monitors: northboundMonitors(rowOwners(owners)),
      lock: electionLock,
    });
    const election = new Election({
      ...{ session, writer: new NorthboundWriter({ session }), token, place: `here ${token}` },
      ...{ clock: systemClock, logger: silentLogger, times, ...unconditional, ...more },
    });
    const writer = new NorthboundWriter({
      ...{ session, precondition: () => election.precondition(), confirm: () => election.confirm() },
    });
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
  const standsByAt = (one: Instance, place: string) =>
    eventually(() => {
      expect([one.election.leads, one.election.other]).toEqual([false, place]);
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
      ...{ clock: systemClock, logger: silentLogger, times: patient, ...unconditional },
    });
    await sending.promise;
    await election.stop();
    expect(election.stats).toMatchObject({ claim: 1, release: 1 });
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
  });

  test("one that ends while a sign of its has no answer gives the claim back", async () => {
    const { session, election: idle } = await instance("a", patient);
    await idle.stop();
    let answers = true;
    const unanswered = Promise.withResolvers<never>();
    const transact = (operations: readonly Operation[]) => {
      const answer = session.transact(operations);
      const isSign = operations.some(({ op }) => op === "wait") && election.leads && !answers;
      if (!isSign) return answer;
      answers = true;
      return unanswered.promise;
    };
    const election: Election = new Election({
      ...{ session, writer: new NorthboundWriter({ session: { transact } }), token: "b", place: "here" },
      ...{ clock: systemClock, logger: silentLogger, times: patient, ...unconditional },
    });
    await eventually(() => {
      expect(election.leads).toBe(true);
    });
    answers = false;
    await eventually(() => {
      expect(answers).toBe(true);
    });
    await election.stop();
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
    second.session.unlock();
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

  test("where no instance can take the place of a holder that has ended, none is said to write", async () => {
    const times: ElectionTimes = { renew: 50, expire: 1_000, grace: 20 };
    const first = await instance("a", times);
    await leads(first);
    const second = await instance("b", times);
    await standsBy(second, "a");
    // As a backup of a server that is away: it takes no transaction.
    await ovn.appctl("nb", "ovsdb-server/set-active-ovsdb-server", "tcp:127.0.0.1:1");
    await ovn.appctl("nb", "ovsdb-server/connect-active-ovsdb-server");
    await first.session.close();
    await eventually(() => {
      expect([second.session.ready, second.election.leads, second.election.other]).toEqual([
        true,
        false,
        null,
      ]);
    });
    await ovn.appctl("nb", "ovsdb-server/disconnect-active-ovsdb-server");
    await leads(second);
  });

  test("a holder whose last sign is old renews its claim before it writes, and writes in order", async () => {
    const first = await instance("a", { ...patient, renew: 3_600_000, expire: 200 });
    await leads(first);
    // With the server's lock, which the claim must tell, comes a sign of its own.
    await eventually(async () => {
      expect((await claimSeen(first)).sign).toMatch(/ standalone$/);
    });
    await first.writer.transact([insert("early")]);
    await new Promise((resolve) => setTimeout(resolve, 250));
    const sent: string[] = [];
    const transact = first.session.transact.bind(first.session);
    first.session.transact = (operations) => {
      sent.push(operations.map(({ op }) => op).join());
      return transact(operations);
    };
    await Promise.all([first.writer.transact([insert("late")]), first.writer.transact([insert("later")])]);
    expect(sent).toEqual(["wait,mutate", "wait,insert", "wait,insert"]);
    expect(await sets()).toEqual(expect.arrayContaining(["early", "late", "later"]));
  });

  test("who saw an older sign of a holder that lives does not get its claim", async () => {
    const first = await instance("a");
    await leads(first);
    const seen = await claimSeen(first);
    await eventually(async () => {
      expect((await claimSeen(first)).sign).not.toBe(seen.sign);
    });
    const mine = { writer: "b there", sign: "1 -", isBlind: false, profile: null };
    const late = claiming(mine, seen, true);
    await expect(first.session.transact(late)).rejects.toThrow(/timed out/);
    const never = claiming(mine, null, true);
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

  test.each([[['northgate-writer="by hand"']], [['northgate-writer=""', "northgate-writer-zone=x"]]])(
    "a claim that has no sign lapses as any other: %j",
    async (written) => {
      await ovn.nbctl("set", "NB_Global", ".", ...written.map((pair) => `external_ids:${pair}`));
      const first = await instance("a", { ...patient, expire: 100 });
      await leads(first);
      expect(await claimSeen(first)).toMatchObject({ writer: "a here a", zone: undefined });
    },
  );

  test("who saw a claim without a sign does not get it from a holder that has given one", async () => {
    const first = await instance("a");
    await leads(first);
    const { writer } = await claimSeen(first);
    const mine = { writer: "b there", sign: "1 -", isBlind: false, profile: null };
    const late = claiming(mine, { writer, sign: null }, true);
    await expect(first.session.transact(late)).rejects.toThrow(/timed out/);
    expect(await claimSeen(first)).toMatchObject({ writer });
    expect(first.election.leads).toBe(true);
  });

  describe("what a claim says of its holder", () => {
    const profile = (zone: string | null, sets = "rule"): { readonly profile: WriterProfile } => ({
      profile: { zone, flags: new Map([["address-sets", sets]]) },
    });
    const ids = async () => await ovn.nbctl("get", "NB_Global", ".", "external_ids");

    test("is its zone and its flags, and is removed with it", async () => {
      const first = await instance("a", patient, profile("n1", "shared"));
      await leads(first);
      expect(await ids()).toContain('northgate-writer-flags="a address-sets=shared"');
      expect(await ids()).toContain('northgate-writer-zone="a node n1"');
      expect(await claimSeen(first)).toMatchObject({ zone: "n1", isBlind: false });
      await first.election.stop();
      expect(await ids()).toBe("{}\n");
    });

    test("who has another zone is refused by a holder that lives, and takes nothing from it", async () => {
      await leads(await instance("a", patient, profile("n1")));
      const refused: (string | null | undefined)[] = [];
      const otherZone: ElectionOptions["otherZone"] = ({ zone }) => refused.push(zone);
      const takeOver = { takeOver: true, otherZone };
      const second = await instance("b", patient, { ...profile("n2", "shared"), ...takeOver });
      await eventually(() => {
        expect(refused).toContain("n1");
      });
      expect([second.election.leads, second.election.stats.claim]).toEqual([false, 0]);
    });

    test("a claim of another zone that was given back, or whose holder is silent, refuses nobody", async () => {
      const first = await instance("a", patient, profile("n1"));
      await leads(first);
      await first.election.stop();
      const otherZone = () => {
        throw new Error("refused");
      };
      const second = await instance("b", { ...patient, renew: 3_600_000 }, { ...profile("n2"), otherZone });
      await leads(second);
      const third = await instance("c", { ...patient, expire: 100 }, { ...profile(null), otherZone });
      await leads(third);
    });

    test("who has other flags stands by and says which, and leads when the claim is given back", async () => {
      const first = await instance("a", patient, profile(null));
      await leads(first);
      const second = await instance("b", patient, profile(null, "shared"));
      await standsBy(second, "a");
      expect(second.election.differences).toEqual([{ flag: "address-sets", theirs: "rule", ours: "shared" }]);
      await first.election.stop();
      await leads(second);
      expect(second.election.differences).toEqual([]);
    });

    test("who is to take over does so from other flags; the displaced one does not claim back", async () => {
      const first = await instance("a", patient, { ...profile(null), takeOver: true });
      await leads(first);
      const second = await instance("b", patient, { ...profile(null, "shared"), takeOver: true });
      await leads(second);
      await standsBy(first, "b");
      const { sign } = await claimSeen(first);
      await eventually(async () => {
        expect((await claimSeen(first)).sign).not.toBe(sign);
      });
      // A claim that meets a sign of the holder on its way is refused, and tried again.
      expect(first.election.stats.claim).toBe(1);
      expect([first.election.leads, second.election.leads]).toEqual([false, true]);
      await expect(first.writer.transact([insert("stale")])).rejects.toThrow(PreconditionFailedError);
      await second.election.stop();
      await leads(first);
    });

    test("who is to take over stands by behind the same flags, and behind a holder that says nothing", async () => {
      const first = await instance("a", patient, profile(null));
      await leads(first);
      const second = await instance("b", patient, { ...profile(null), takeOver: true });
      await standsBy(second, "a");
      const third = await instance("c", patient, unconditional);
      await standsBy(third, "a");
      expect([second.election.stats.claim, third.election.differences]).toEqual([0, []]);
    });

    test("keys that an earlier holder has left say nothing of the present one", async () => {
      const first = await instance("a", patient, profile("n1", "shared"));
      await leads(first);
      await first.session.close();
      // As a version does that does not know the other keys.
      const written = ['northgate-writer="old there"', 'northgate-writer-sign="1 -"'];
      for (const key of written) await ovn.nbctl("set", "NB_Global", ".", `external_ids:${key}`);
      const second = await instance("b", patient, profile("n2"));
      await standsByAt(second, "there");
      expect(await claimSeen(second)).toMatchObject({ zone: undefined, flags: new Map(), isBlind: false });
      expect(second.election.differences).toEqual([]);
      const third = await instance("c", { ...patient, expire: 100 }, profile("n2"));
      await leads(third);
      expect(await claimSeen(third)).toMatchObject({ zone: "n2" });
    });
  });

  describe("a claim and the source", () => {
    test("who does not know what the policies say takes no claim, not even an abandoned one", async () => {
      let knows = false;
      const first = await instance("a", patient, { mayClaim: () => knows });
      await first.session.transact([{ op: "select", table: "NB_Global", where: [], columns: [] }]);
      expect([first.election.leads, first.election.stats.claim]).toEqual([false, 0]);
      knows = true;
      first.election.reconsider();
      await leads(first);
    });

    test("a holder that does not see says so, keeps the claim from the blind, and gives it to who sees", async () => {
      let blind = false;
      const first = await instance("a", { ...patient, renew: 3_600_000 }, { isBlind: () => blind });
      await leads(first);
      // It has no answer of its source since then.
      const mayClaim = (currentAfterMs: number) => currentAfterMs === -Infinity;
      const second = await instance("b", patient, { mayClaim, isBlind: () => true });
      await standsBy(second, "a");
      blind = true;
      first.election.reconsider();
      await eventually(async () => {
        expect((await claimSeen(second)).isBlind).toBe(true);
      });
      second.election.reconsider();
      expect([first.election.leads, second.election.stats.claim]).toEqual([true, 0]);
      blind = false;
      first.election.reconsider();
      await eventually(async () => {
        expect((await claimSeen(second)).isBlind).toBe(false);
      });
      blind = true;
      first.election.reconsider();
      const third = await instance("c");
      await leads(third);
      await standsBy(first, "c");
    });
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
