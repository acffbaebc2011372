// The layers of docs/design.md, enforced. `import type` counts. A room may import only from the rooms that its line names;
// a file or folder without a line may import nothing from src/. A room is a folder, with those of its subfolders that have
// no line of their own, or a single file. The folders in tools/ are rooms too; the product, src/, imports none of them.
const base = ["policy", "model", "lib"];
const nbdbBase = [...base, "contents", "ovsdb", "ovsdb/notation", "nbdb/pending.ts", "nbdb/rows"];
const rooms = {
  lib: [],
  model: ["lib"],
  policy: ["model", "lib"],
  groups: base,
  contents: base,
  names: ["names/answer-sink.ts", ...base],
  kubernetes: base,
  anp: ["kubernetes", ...base],
  cnp: ["kubernetes", ...base],
  networkpolicy: ["kubernetes", ...base],
  antrea: ["kubernetes", ...base],
  calico: ["kubernetes", ...base],
  "ovsdb/notation": ["lib"],
  "ovsdb/wire": ["ovsdb/notation", "lib"],
  "ovsdb/replica": ["ovsdb/wire", "ovsdb/notation", "lib"],
  "ovsdb/session": ["ovsdb/replica", "ovsdb/wire", "ovsdb/notation", "lib"],
  ovsdb: ["ovsdb/session", "ovsdb/wire", "ovsdb/notation"],
  "nbdb/rows": [...base, "contents", "ovsdb", "ovsdb/notation", "nbdb/ranking"],
  "nbdb/ranking": base,
  "nbdb/pending.ts": [...base, "contents", "nbdb/rows"],
  "nbdb/desired": [...nbdbBase, "nbdb/ranking"],
  "nbdb/actual": [...nbdbBase, "nbdb/ranking", "nbdb/desired", "ovsdb/session"],
  "nbdb/plan": [...nbdbBase, "nbdb/desired", "nbdb/actual"],
  "nbdb/write": [...nbdbBase, "nbdb/actual", "nbdb/plan", "ovsdb/session", "ovsdb/wire"],
  nbdb: [...nbdbBase, "nbdb/desired", "nbdb/actual", "nbdb/plan", "nbdb/write"],
  "nbdb/audit": ["nbdb/rows", "ovsdb", "ovsdb/notation", "ovsdb/session", ...base],
  "nbdb/observe/acl-of-flow.ts": ["observe/rule.ts"],
  "nbdb/observe": [
    ...["nbdb/observe/acl-of-flow.ts", "nbdb/rows", "nbdb/actual", "dialects.ts", "analysis"],
    ...["observe", "observe/rule.ts", "observe/decode"],
    ...["ovsdb", "ovsdb/notation", "ovsdb/session", ...base],
  ],
  "nbdb/run": [
    ...[...nbdbBase, "nbdb/actual", "nbdb/write", "nbdb", "ovsdb/session"],
    ...["running-backend.ts", "dialects.ts", "metrics"],
  ],
  "nbdb/tools": [
    ...[
      ...nbdbBase,
      "nbdb/run",
      "nbdb/ranking",
      "nbdb/desired",
      "nbdb/actual",
      "nbdb/write",
      "nbdb/audit",
      "nbdb/observe",
      "backend-kind.ts",
      "doctor/finding.ts",
      "dialects.ts",
    ],
    ...["analysis", "explain", "lint", "plan", "offline", "verdicts"],
  ],
  "informers/objects": ["model", "lib"],
  "informers/directory": ["informers/objects", "informers", "model", "lib"],
  informers: ["model", "lib"],
  "informers/index.ts": ["informers", "informers/objects", "informers/directory"],
  protobuf: [],
  "kube/protobuf": ["protobuf"],
  "kube/transport": ["protobuf", "kube/protobuf", "model", "lib"],
  "kube/read": [
    "protobuf",
    "kube/protobuf",
    "kube/transport",
    "informers",
    "informers/objects",
    "model",
    "lib",
  ],
  "kube/write": ["kube/transport", "kube/read", "informers/objects", "model", "lib"],
  kube: ["kube/transport", "kube/read", "kube/write"],
  "names/answer-sink.ts": ["model"],
  "names/dnstap": ["names/answer-sink.ts", "protobuf", "http", "model", "lib"],
  cni: base,
  http: ["lib"],
  metrics: ["http", "lib"],
  controller: ["groups", ...base],
  offline: ["controller", "groups", ...base],
  migrate: ["unknowns", "offline", "verdicts", ...base],
  analysis: ["offline", "groups", ...base],
  hits: ["analysis", ...base],
  "observe/openflow": ["lib"],
  "observe/ipfix": ["model", "lib"],
  "observe/rule.ts": ["analysis", ...base],
  "observe/decode": ["observe/ipfix", "observe/rule.ts", ...base],
  "observe/record": ["observe/decode", "observe/rule.ts", ...base],
  "observe/openvswitch": ["ovsdb", "lib"],
  "observe/watching": ["observe/decode", "observe/rule.ts", "model", "lib"],
  observe: [
    ...["openflow", "ipfix", "decode", "openvswitch", "watching", "rule.ts"].map((room) => `observe/${room}`),
    ...["hits", "metrics", "analysis", "ovsdb", ...base],
  ],
  unknowns: ["analysis", "kubernetes", ...base],
  explain: ["hits", "cni", "analysis", "unknowns", "verdicts", "offline", "groups", ...base],
  verdicts: ["analysis", "unknowns", ...base],
  plan: ["analysis", "unknowns", "offline", "verdicts", ...base],
  flows: ["analysis", "explain", "observe/decode", "observe/record", "verdicts", ...base],
  recommend: ["analysis", "explain", "flows", "observe/decode", "observe/record", "unknowns", ...base],
  crossings: ["analysis", "unknowns", "explain", "verdicts", ...base],
  can: ["analysis", "explain", "crossings", "verdicts", ...base],
  matrix: ["analysis", "explain", "crossings", "verdicts", ...base],
  lint: ["hits", "cni", "analysis", "unknowns", "explain", "offline", "verdicts", "groups", ...base],
  "ui/page": [],
  ui: [
    "hits",
    "cni",
    "analysis",
    "unknowns",
    "explain",
    "lint",
    "plan",
    "can",
    "matrix",
    "verdicts",
    "offline",
    "http",
    ...base,
  ],
  status: ["controller", "kube", "informers/index.ts", "metrics", ...base],
  "dialects.ts": ["anp", "antrea", "calico", "cnp", "networkpolicy", "cni", ...base],
  netfilter: [
    "backend-kind.ts",
    "doctor/finding.ts",
    "running-backend.ts",
    "dialects.ts",
    "metrics",
    ...["analysis", "contents", "offline", "plan", ...base],
  ],
  "doctor/finding.ts": ["lib"],
  bundle: ["kube", ...base],
  doctor: ["doctor/finding.ts", "kube", "metrics", "status", ...base],
  "backends.ts": ["backend-kind.ts", "nbdb/tools", "netfilter", "policy", "lib"],
  "running-backend.ts": ["ovsdb", ...base],
  "backend-kind.ts": [
    "doctor/finding.ts",
    "running-backend.ts",
    "metrics",
    "analysis",
    "explain",
    "lint",
    "observe",
    "observe/decode",
    "offline",
    "ovsdb",
    "plan",
    "verdicts",
    ...base,
  ],
  tracing: ["lib"],
  "log.ts": ["model", "lib"],
  "version.ts": ["lib"],
  "v8-flags.ts": [],
  config: [
    "observe/decode",
    "observe/watching",
    "cni",
    "backends.ts",
    "dialects.ts",
    "log.ts",
    "ovsdb",
    ...base,
  ],
};
rooms.worlds = [
  ...[
    "config",
    "cni",
    "backends.ts",
    "backend-kind.ts",
    "dialects.ts",
    "informers/index.ts",
    "kube",
    "status",
  ],
  ...["analysis", "unknowns", "offline", "plan", "verdicts", ...base],
];
const named = Object.keys(rooms);
/** What only the list of backends knows. */
const ofBackend = named.filter((room) => /^(nbdb|netfilter)(\/|$)/.test(room));
rooms.wiring = named.filter((room) => !ofBackend.includes(room));
rooms.cli = [...rooms.wiring, "wiring"];
rooms["main.ts"] = [...rooms.cli, "cli"];
rooms["tools/sandbox"] = [
  ...["dialects.ts", "informers/index.ts", "nbdb/observe/acl-of-flow.ts"],
  ...["ovsdb", "model", "lib"],
];

/** Where rooms are. */
const anywhere = "^(src|tools)/";
const isFile = (room) => room.endsWith(".ts");
function pathOf(room) {
  if (room.startsWith("tools/")) return `^${room}/`;
  return isFile(room) ? `^src/${room.replaceAll(".", "\\.")}$` : `^src/${room}/`;
}
/** Rooms inside a room. */
const roomsIn = (room) => Object.keys(rooms).filter((other) => !isFile(room) && other.startsWith(`${room}/`));
const test = "\\.test\\.ts$";

/** The allowed imports are a ladder: a cycle between rooms is refused before any file is read. */
function refuseCycles(room, path = []) {
  if (path.includes(room)) throw new Error(`rooms in a circle: ${[...path, room].join(" → ")}`);
  for (const next of rooms[room] ?? []) refuseCycles(next, [...path, room]);
}
for (const room of Object.keys(rooms)) refuseCycles(room);

const only = ([room, allowed]) => ({
  name: `${room.replaceAll(/\W/g, "-")}-imports-only`,
  severity: "error",
  from: { path: pathOf(room), pathNot: [test, ...roomsIn(room).map(pathOf)] },
  // A folder that is allowed brings no room inside it along.
  to: { path: anywhere, pathNot: [pathOf(room), ...allowed.map(pathOf)] },
});

/** What lies in a room's folder and has a line of its own is not the room. */
const inside = ([room, allowed]) =>
  [room, ...allowed].flatMap((open) =>
    roomsIn(open)
      .filter((inner) => !allowed.includes(inner) && inner !== room)
      .map((inner) => ({
        name: `${room.replaceAll(/\W/g, "-")}-not-${inner.replaceAll(/\W/g, "-")}`,
        severity: "error",
        from: { path: pathOf(room), pathNot: [test, ...roomsIn(room).map(pathOf)] },
        to: { path: pathOf(inner) },
      })),
  );

const onlyImporter = (packageName, importer) => ({
  name: `${packageName.replace(/\W/g, "-")}-only-in-${importer.replace(/\W/g, "-")}`,
  severity: "error",
  from: { path: anywhere, pathNot: `^src/${importer}` },
  to: { path: `node_modules/${packageName}(/|$)` },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-tests-in-product",
      severity: "error",
      from: { path: anywhere, pathNot: test },
      to: { path: "\\.test\\.ts$|^test/" },
    },
    {
      name: "a-new-room-needs-its-line",
      severity: "error",
      from: { path: anywhere, pathNot: [test, ...Object.keys(rooms).map(pathOf)] },
      to: { path: anywhere },
    },
    ...Object.entries(rooms).map(only),
    ...Object.entries(rooms).flatMap(inside),
    onlyImporter("@kubernetes/client-node", "kube/transport/"),
    onlyImporter("prom-client", "metrics/"),
    onlyImporter("@opentelemetry/[^/]+", "tracing/"),
    onlyImporter("winston", "log"),
    onlyImporter("json-rpc-2.0", "ovsdb/"),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".js"], conditionNames: ["import", "node", "default"] },
  },
};
