// The directory source over real directories. A hand-driven clock looks at the files when the test says so; one test at
// the end waits for the system's own file events.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { factKinds, objectKey } from "../../model/object.ts";
import { DirectorySource } from "./directory.ts";
import { loadManifests } from "./load.ts";
import { formatSourceProblem } from "../source-problem.ts";
import { bound } from "../../../test/support/bound.ts";

const policies = [
  { group: "policy.example", version: "v1", kind: "Policy", resource: "policies", namespaced: false },
];
const policy = (name: string, spec: string) =>
  `apiVersion: policy.example/v1\nkind: Policy\nmetadata:\n  name: ${name}\nspec: ${spec}\n`;
const key = (name: string) => objectKey({ group: "policy.example", kind: "Policy" }, null, name);

let directory: string;
let running: DirectorySource[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "northgate-"));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((source) => source.stop()));
  rmSync(directory, { recursive: true, force: true });
});

const write = (name: string, text: string | Uint8Array) => {
  writeFileSync(join(directory, name), text);
};

/** Time passes when the test says so. */
class HandClock implements Clock {
  readonly #tasks = new Map<() => void, number>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void) {
    const own = () => {
      task();
    };
    this.#tasks.set(own, this.#now + ms);
    return { cancel: () => this.#tasks.delete(own) };
  }

  /** Runs what falls due on the way, in order. */
  elapse(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#tasks].filter(([, due]) => due <= end).sort(([, a], [, b]) => a - b);
      if (next === undefined) break;
      this.#tasks.delete(next[0]);
      this.#now = next[1];
      next[0]();
    }
    this.#now = end;
  }
}

/** The files stood long before the start. */
const longAfter = () => Infinity;

function started(
  paths = [directory],
  clock: Clock = new HandClock(),
  today = longAfter,
  isRepository = false,
) {
  const notes: string[] = [];
  const onIgnored = (note: string) => notes.push(note);
  const source = new DirectorySource({ paths, policies, clock, today, pollMs: 100, onIgnored, isRepository });
  const log: string[] = [];
  running.push(source);
  source.start({
    changed: (changedKey) => log.push(changedKey),
    synced: () => log.push("synced"),
    problem: (problem) => log.push(formatSourceProblem(problem).replaceAll(`${directory}/`, "")),
  });
  const specOf = (name: string) => {
    const object = source.read(key(name));
    return object !== null && "spec" in object ? object.spec : null;
  };
  /** What the source says in the time that passes, by default enough for every file to come to rest. */
  const next = (ms = 1000) => {
    log.length = 0;
    if (clock instanceof HandClock) clock.elapse(ms);
    return [...log];
  };
  return { source, log, next, notes, specOf };
}

describe("a directory", () => {
  test("is absorbed at the start, its folders too, without hidden names and other endings", () => {
    mkdirSync(join(directory, "sub"));
    mkdirSync(join(directory, ".git"));
    write("b.yml", policy("b", "1"));
    write("sub/a.yaml", policy("a", "1"));
    write("sub/n.json", '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}');
    write(".git/x.yaml", policy("x", "1"));
    write(".y.yaml", policy("y", "1"));
    write("b.yml~", policy("z", "1"));
    const { log, source } = started();
    expect(log).toEqual(["Policy.policy.example/b", "Policy.policy.example/a", "Namespace/n", "synced"]);
    expect(source.read(objectKey(factKinds.Namespace, null, "n"))).toMatchObject({
      kind: "Namespace",
      name: "n",
    });
    expect(source.placeOf(key("a"), "spec")).toBe(`${join(directory, "sub/a.yaml")}:5`);
    expect(source.placeOf(key("x"), "spec")).toBeNull();
  });

  test("of a repository: what is no manifest is left alone, but in a file that is given", () => {
    mkdirSync(join(directory, "repo/chart/templates"), { recursive: true });
    write("repo/a.yaml", policy("a", "1"));
    write("repo/compose.yaml", "services: {}\n");
    write("repo/chart/Chart.yaml", "name: c\n");
    write("repo/chart/templates/b.yaml", "{{ x }}\n");
    write("given.yaml", "services: {}\n");
    const { log } = started(
      [join(directory, "repo"), join(directory, "given.yaml")],
      undefined,
      longAfter,
      true,
    );
    expect(log).toEqual([
      "Policy.policy.example/a",
      "given.yaml:1: error: kind: the kind of the object is required",
      "synced",
    ]);
  });

  test("that is missing is refused by name", () => {
    expect(() => started([join(directory, "nowhere")])).toThrow(/nowhere: error: no such file or directory$/);
  });

  test("is followed through edits, additions, removals and renames, for objects that differ only", () => {
    write("a.yaml", `${policy("a", "1")}---\n${policy("b", "1")}`);
    const { next, specOf } = started();
    expect(next()).toEqual([]);
    write("a.yaml", `# moved\n${policy("a", "1")}---\n${policy("b", "2")}---\n${policy("c", "1")}`);
    expect(next()).toEqual(["Policy.policy.example/b", "Policy.policy.example/c"]);
    expect(specOf("b")).toBe(2);
    renameSync(join(directory, "a.yaml"), join(directory, "z.yaml"));
    expect(next()).toEqual([]);
    write("new.yaml", policy("d", "1"));
    expect(next()).toEqual(["Policy.policy.example/d"]);
    rmSync(join(directory, "z.yaml"));
    expect(next()).toEqual(["Policy.policy.example/a", "Policy.policy.example/b", "Policy.policy.example/c"]);
    expect(specOf("a")).toBeNull();
  });

  test("mounted from a ConfigMap is followed through the swap of its link", () => {
    const version = (name: string, spec: string) => {
      mkdirSync(join(directory, name));
      write(`${name}/p.yaml`, policy("p", spec));
    };
    version("..1", "1");
    symlinkSync("..1", join(directory, "..data"));
    symlinkSync("..data/p.yaml", join(directory, "p.yaml"));
    const { log, next, specOf } = started();
    expect(log).toEqual(["Policy.policy.example/p", "synced"]);
    version("..2", "2");
    symlinkSync("..2", join(directory, "..data_tmp"));
    renameSync(join(directory, "..data_tmp"), join(directory, "..data"));
    rmSync(join(directory, "..1"), { recursive: true });
    expect(next()).toEqual(["Policy.policy.example/p"]);
    expect(specOf("p")).toBe(2);
  });
});

describe("nothing stops being enforced because of", () => {
  const broken: [string, string | Uint8Array, RegExp][] = [
    [
      "half a file",
      `${policy("a", "1")}---\n${policy("b", "{x: [1")}`,
      /^a.yaml:\d+:\d+: error: .* \(its 2 objects stay as before\)$/,
    ],
    [
      "an empty file",
      " \n",
      /^a.yaml: error: is empty; delete the file to delete its objects \(its 2 objects stay as before\)$/,
    ],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0x41]), /^a.yaml: error: is not UTF-8 text \(its/],
    [
      "a binary file",
      new Uint8Array([0x41, 0, 0x42]),
      /^a.yaml: error: is not text: it has a zero byte \(its/,
    ],
    [
      "a slip in a kind",
      `${policy("a", "1")}---\n${policy("b", "1").replace("Policy", "Polcy")}`,
      /^a.yaml:8: error: kind: Polcy/,
    ],
    [
      "a slip in a name",
      `${policy("a", "1")}---\n${policy("B b", "1")}`,
      /^a.yaml:10: error: Policy "B b": metadata.name: "B b" is not/,
    ],
    [
      "a refused object",
      `${policy("a", "1")}---\n${policy("b\n  annotations: 5", "1")}`,
      /^a.yaml:11: error: Policy b: metadata.annotations: must be/,
    ],
  ];

  test.each(broken)("%s", (_, text, line) => {
    write("a.yaml", `${policy("a", "1")}---\n${policy("b", "1")}`);
    const { next, specOf } = started();
    write("a.yaml", text);
    const said = next();
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(line);
    expect([specOf("a"), specOf("b")]).toEqual([1, 1]);
    expect(next()).toEqual([]);
    write("a.yaml", policy("a", "3"));
    expect(next()).toEqual(["Policy.policy.example/a", "Policy.policy.example/b"]);
    expect([specOf("a"), specOf("b")]).toEqual([3, null]);
  });

  test("a directory that is gone as a whole", () => {
    const inner = join(directory, "inner");
    mkdirSync(inner);
    write("inner/a.yaml", policy("a", "1"));
    const { next, specOf } = started([inner]);
    renameSync(inner, `${inner}-away`);
    expect(next()).toEqual(["inner: error: the directory cannot be read; its objects stay as they were"]);
    expect(next()).toEqual([]);
    renameSync(`${inner}-away`, inner);
    expect(next()).toEqual([]);
    expect(specOf("a")).toBe(1);
  });
});

describe("rights that go leave everything in force, are told once, and everything follows when they come back:", () => {
  const cases: [string, string, number, string][] = [
    ["of a file", "in/a.yaml", 0, "in/a.yaml: error: cannot be read (EACCES) (its 1 object stays as before)"],
    [
      "to search a directory",
      "in",
      0o444,
      "in: error: the directory cannot be searched (EACCES); its objects stay as they were",
    ],
    [
      "to a directory",
      "in",
      0,
      "in: error: the directory cannot be read (EACCES); its objects stay as they were",
    ],
    [
      "to a directory below",
      "in/sub",
      0o444,
      "in/sub: error: the directory cannot be searched (EACCES); its objects stay as they were",
    ],
    ["to a parent", "", 0, "in: error: cannot be read (EACCES); its objects stay as they were"],
  ];

  test.each(cases)("%s", (_, changed, mode, line) => {
    mkdirSync(join(directory, "in/sub"), { recursive: true });
    write("in/a.yaml", policy("a", "1"));
    write("in/b.yaml", policy("b", "1"));
    write("in/sub/c.yaml", policy("c", "1"));
    write("in/sub/d.yaml", policy("a", "4"));
    if (process.getuid?.() === 0)
      for (const path of ["", "in", "in/sub", "in/a.yaml", "in/b.yaml", "in/sub/c.yaml"])
        chownSync(join(directory, path), 65534, 65534);
    const { next, specOf, source } = bound(() => started([join(directory, "in")]));
    const specs = () => ["a", "b", "c"].map(specOf);
    chmodSync(join(directory, changed), mode);
    expect(bound(next)).toEqual([line]);
    expect(bound(() => next(60_000))).toEqual([]);
    expect(specs()).toEqual([1, 1, 1]);
    expect(source.mayExist(key("unknown"))).toBe(true);
    chmodSync(join(directory, changed), 0o755);
    const again = bound(next).filter((said) => !said.includes("is defined already"));
    expect(again).toEqual([]);
    expect(source.mayExist(key("unknown"))).toBe(false);
    write("in/a.yaml", policy("a", "2"));
    rmSync(join(directory, "in/b.yaml"));
    write("in/sub/c.yaml", policy("c", "2"));
    bound(next);
    expect(specs()).toEqual([2, null, 2]);
  });

  test("a lone file whose directory is closed, or gone", () => {
    mkdirSync(join(directory, "in"));
    write("in/a.yaml", policy("a", "1"));
    if (process.getuid?.() === 0) chownSync(directory, 65534, 65534);
    const { next, specOf } = bound(() => started([join(directory, "in/a.yaml")]));
    chmodSync(directory, 0o444);
    expect(bound(next)).toEqual(["in/a.yaml: error: cannot be read (EACCES) (its 1 object stays as before)"]);
    chmodSync(directory, 0o755);
    expect(bound(next)).toEqual([]);
    renameSync(join(directory, "in"), join(directory, "away"));
    const line = "in/a.yaml: error: the directory cannot be read (its 1 object stays as before)";
    expect(bound(next)).toEqual([line]);
    expect(specOf("a")).toBe(1);
    renameSync(join(directory, "away"), join(directory, "in"));
    rmSync(join(directory, "in/a.yaml"));
    expect(bound(next)).toEqual(["Policy.policy.example/a"]);
  });

  test("a path that may not be looked at is refused at the start", () => {
    mkdirSync(join(directory, "in"));
    chmodSync(directory, 0);
    expect(() => bound(() => started([join(directory, "in")]))).toThrow(
      /in: error: cannot be read \(EACCES\)$/,
    );
    chmodSync(directory, 0o755);
  });

  test("a link that leads nowhere for a while", () => {
    write("target", policy("a", "1"));
    symlinkSync("target", join(directory, "a.yaml"));
    const { next, specOf } = started();
    renameSync(join(directory, "target"), join(directory, "away"));
    expect(next()).toEqual([
      "a.yaml: error: is a link that leads nowhere (ENOENT) (its 1 object stays as before)",
    ]);
    expect(specOf("a")).toBe(1);
    write("target", policy("a", "2"));
    expect(next()).toEqual(["Policy.policy.example/a"]);
    rmSync(join(directory, "a.yaml"));
    expect(next()).toEqual(["Policy.policy.example/a"]);
    expect(specOf("a")).toBeNull();
  });
});

describe("a file is believed when it is quiet:", () => {
  const documents = ["a", "b", "c", "d"].map((name) => `---\n${policy(name, "2")}`);

  test("one that is rewritten slowly keeps what it had, then has all at once", () => {
    write("a.yaml", ["a", "b", "c"].map((name) => `---\n${policy(name, "1")}`).join(""));
    const { next, specOf } = started();
    write("a.yaml", "");
    for (const document of documents) {
      expect(next(400)).toEqual([]);
      appendFileSync(join(directory, "a.yaml"), document);
    }
    expect(next(400)).toEqual([]);
    expect(specOf("a")).toBe(1);
    expect(next(600)).toHaveLength(4);
    expect(["a", "b", "c", "d"].map(specOf)).toEqual([2, 2, 2, 2]);
  });

  test("a new one that is written slowly comes as a whole", () => {
    const { next, source } = started();
    write("a.yaml", "");
    for (const document of documents) {
      appendFileSync(join(directory, "a.yaml"), document);
      expect(next(400)).toEqual([]);
      expect(source.mayExist(key("a"))).toBe(true);
    }
    expect(next(600)).toHaveLength(4);
  });

  test("one that was removed and is written anew keeps what it had", () => {
    write("a.yaml", policy("a", "1"));
    const { next, specOf } = started();
    rmSync(join(directory, "a.yaml"));
    expect(next(400)).toEqual([]);
    write("a.yaml", "# first line\n");
    expect(next(400)).toEqual([]);
    appendFileSync(join(directory, "a.yaml"), policy("a", "2"));
    expect(next(400)).toEqual([]);
    expect(specOf("a")).toBe(1);
    expect(next(600)).toEqual(["Policy.policy.example/a"]);
  });

  test("one that goes takes its objects when it stayed away, later when a new file is being written", () => {
    write("a.yaml", policy("a", "1"));
    write("b.yaml", policy("b", "1"));
    const { next, specOf } = started();
    rmSync(join(directory, "a.yaml"));
    expect(next(400)).toEqual([]);
    expect(next(300)).toEqual(["Policy.policy.example/a"]);
    rmSync(join(directory, "b.yaml"));
    expect(next(400)).toEqual([]);
    write("z.yaml", policy("b", "1"));
    expect(next(400)).toEqual([]);
    expect(next(600)).toEqual([]);
    expect(specOf("b")).toBe(1);
  });

  test("one that was replaced by a finished file is believed at once", () => {
    write("a.yaml", `${policy("a", "1")}---\n${policy("b", "1")}`);
    const { next } = started();
    write("a.tmp", policy("a", "2"));
    utimesSync(join(directory, "a.tmp"), 1, 1); // Written long before it is renamed.
    renameSync(join(directory, "a.tmp"), join(directory, "a.yaml"));
    expect(next(100)).toEqual(["Policy.policy.example/a", "Policy.policy.example/b"]);
  });

  test("one that never rests is reported once, and keeps its place before other definitions", () => {
    write("a.yaml", policy("p", "1"));
    write("b.yaml", "");
    const { next, specOf } = started();
    const said: string[] = [];
    for (let i = 0; i < 40; i++) {
      appendFileSync(join(directory, "a.yaml"), "# again\n");
      said.push(...next(400));
    }
    expect(said).toEqual(["a.yaml: error: is written without a pause; what it had stays until it rests"]);
    rmSync(join(directory, "a.yaml"));
    write("b.yaml", policy("p", "2"));
    expect(next()).toEqual(["Policy.policy.example/p"]);
    expect(specOf("p")).toBe(2);
  });
});

describe("problems", () => {
  test("are told once for each reading of their file", () => {
    const refused = "apiVersion: policy.example/v1\nkind: Galaxy\n";
    write("a.yaml", refused);
    const { log, next } = started();
    const line =
      "a.yaml:2: error: kind: Galaxy (policy.example/v1) is not one that Northgate reads; of its group it reads Policy";
    expect(log).toEqual([line, "synced"]);
    expect(next()).toEqual([]);
    write("b.yaml", policy("b", "1"));
    expect(next()).toEqual(["Policy.policy.example/b"]);
    write("a.yaml", `${refused}# still\n`);
    expect(next()).toEqual([line]);
  });

  test("are none for objects of other kinds: one note counts them, again when it has changed, and they hide nothing", () => {
    write("a.yaml", "apiVersion: apps/v1\nkind: Deployment\n");
    write("b.yaml", policy("b", "1"));
    const { source, log, next, notes } = started();
    const note = (count: string) => `${count} of kinds that Northgate does not read: `;
    expect([log, notes]).toEqual([
      ["Policy.policy.example/b", "synced"],
      [`${note("1 object")}1 Deployment.apps`],
    ]);
    expect(source.mayExist(key("unknown"))).toBe(false);
    expect(next()).toEqual([]);
    write("c.yaml", "apiVersion: v1\nkind: Secret\n---\napiVersion: apps/v1\nkind: Deployment\n");
    expect(next()).toEqual([]);
    expect(notes.slice(1)).toEqual([`${note("3 objects")}2 Deployment.apps, 1 Secret`]);
    rmSync(join(directory, "a.yaml"));
    rmSync(join(directory, "c.yaml"));
    next();
    expect(notes).toHaveLength(2);
  });

  test("a second definition is named with both places, and takes over when the first goes", () => {
    write("a.yaml", policy("p", "1"));
    write("b.yaml", policy("p", "2"));
    const { log, next, specOf } = started();
    expect(log[1]).toMatch(
      /^b.yaml:4: error: Policy p: metadata.name: is defined already at \S*a.yaml:1, and that definition counts$/,
    );
    expect(specOf("p")).toBe(1);
    rmSync(join(directory, "a.yaml"));
    expect(next()).toEqual(["Policy.policy.example/p"]);
    expect(specOf("p")).toBe(2);
  });

  test("after every path the source holds what a fresh one would", () => {
    write("a.yaml", policy("p", "1"));
    write("b.yaml", policy("q", "2"));
    const { next, source } = started();
    write("a.yaml", policy("q", "5"));
    next();
    write("b.yaml", `${policy("q", "2")}---\n${policy("p", "3")}`);
    next();
    const { objects } = loadManifests([directory], policies);
    expect(objects).toHaveLength(2);
    for (const object of objects) expect(source.read(key(object.name))).toEqual(object);
  });
});

describe("loadManifests", () => {
  test("gives objects, problems and places, of files given twice only once", () => {
    write("a.yaml", policy("p", "1"));
    write("b.yaml", "[");
    const file = join(directory, "a.yaml");
    const { objects, problems, placeOf } = loadManifests(
      [file, directory, join(directory, "none")],
      policies,
    );
    expect(objects).toHaveLength(1);
    expect(placeOf(key("p"), "spec.x")).toBe(`${file}:5`);
    expect(problems.map(({ place }) => place.replace(`${directory}/`, ""))).toEqual(["none", "b.yaml:1:2"]);
  });
});

test("a deletion and a swap of a lone file are seen through the system's events", async () => {
  write("a.yaml", policy("a", "1"));
  const { source, specOf } = started([join(directory, "a.yaml")], systemClock);
  const until = async (condition: () => boolean) => {
    const end = Date.now() + 20_000;
    while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(condition()).toBe(true);
  };
  write("a.tmp", policy("a", "2"));
  renameSync(join(directory, "a.tmp"), join(directory, "a.yaml"));
  await until(() => specOf("a") === 2);
  rmSync(join(directory, "a.yaml"));
  await until(() => source.read(key("a")) === null);
});

describe("a start while files are being written", () => {
  const writtenNow = (): [HandClock, () => number] => {
    const clock = new HandClock();
    const begun = Date.now();
    return [clock, () => begun + clock.now()];
  };

  test("is not synced before they rest, and then has them whole", () => {
    write("a.yaml", policy("a", "1"));
    write("b.yaml", "");
    const [clock, today] = writtenNow();
    const { source, log, next } = started([directory], clock, today);
    expect(log).toEqual([]);
    expect(source.mayExist(key("b"))).toBe(true);
    expect(next(400)).toEqual([]);
    write("b.yaml", `${policy("b", "1")}---\n`);
    expect(next(400)).not.toContain("synced");
    write("b.yaml", `${policy("b", "1")}---\n${policy("c", "1")}`);
    expect(next(2000).toSorted()).toEqual([key("b"), key("c"), "synced"].toSorted());
    expect(source.mayExist(key("d"))).toBe(false);
  });

  test("is not synced while files are still added one by one", () => {
    const [clock, today] = writtenNow();
    const old = new Date(Date.now() - 60_000);
    const { log } = started([directory], clock, () => {
      utimesSync(directory, new Date(), new Date(today()));
      return today();
    });
    clock.elapse(3000);
    expect(log).toEqual([]);
    utimesSync(directory, old, old);
    clock.elapse(100_000);
    expect(log).toEqual(["synced"]);
  });

  test("is synced after 10 s without the file that never rests, which may hold anything", () => {
    write("a.yaml", policy("a", "1"));
    write("b.yaml", "");
    const [clock, today] = writtenNow();
    const { source, log } = started([directory], clock, today);
    for (let i = 0; i < 99; i++) {
      write("b.yaml", "#".repeat(i));
      clock.elapse(100);
    }
    expect(log).toEqual([key("a")]);
    for (let i = 0; i < 4; i++) {
      write("b.yaml", "#".repeat(100 + i));
      clock.elapse(100);
    }
    expect(log).toContain("synced");
    expect(source.mayExist(key("b"))).toBe(true);
    write("b.yaml", policy("b", "1"));
    clock.elapse(2000);
    expect(log.at(-1)).toBe(key("b"));
    expect(source.mayExist(key("c"))).toBe(false);
  });
});
