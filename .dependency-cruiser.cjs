// The layers of docs/design.md, enforced. `import type` counts.
const only = (room, allowed) => ({
  name: `${room}-imports-only`,
  severity: "error",
  from: { path: `^src/${room}/`, pathNot: "\\.test\\.ts$" },
  to: {
    path: "^src/",
    pathNot: [`^src/${room}/`, ...allowed.map((folder) => `^src/${folder}/`)],
  },
});

const onlyImporter = (packageName, importer) => ({
  name: `${packageName.replace(/\W/g, "-")}-only-in-${importer}`,
  severity: "error",
  from: { path: "^src/", pathNot: `^src/${importer}` },
  to: { path: `node_modules/${packageName}(/|$)` },
});

module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-tests-in-product",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: { path: "\\.test\\.ts$|^test/" },
    },
    only("lib", []),
    only("model", ["lib"]),
    only("policy", ["model", "lib"]),
    only("groups", ["policy", "model", "lib"]),
    only("anp", ["policy", "model", "lib"]),
    only("ovsdb", ["lib"]),
    only("nbdb", ["policy", "model", "lib", "ovsdb"]),
    only("informers", ["model", "lib"]),
    only("metrics", ["lib"]),
    only("controller", ["groups", "policy", "model", "lib"]),
    only("sandbox", ["model", "lib", "ovsdb", "informers"]),
    onlyImporter("@kubernetes/client-node", "informers/"),
    onlyImporter("prom-client", "metrics/"),
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
