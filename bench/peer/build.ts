// Builds the peer's program inside a checkout of OVN-Kubernetes that the user names: driver/ is laid over the checkout
// (`go build -overlay`), so that no file of the checkout is written and its own go.mod and vendor/ say what is compiled.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, keepCachesInClone } from "../../scripts/support/caches.ts";
import { SettingsError } from "../../scripts/support/variables.ts";

const sources = fileURLToPath(new URL("driver/", import.meta.url));
const cache = join(cacheFolder, "peer");
/** Where the driver stands in the checkout's module; the folder is not made. */
const place = "cmd/northgate-peer";
const controller = "pkg/ovn/controller/admin_network_policy";

/** The Go module of the checkout. Throws a SettingsError that says what is not there. */
export function moduleOf(checkout: string): string {
  const module = join(resolve(checkout), "go-controller");
  for (const part of ["go.mod", "vendor/modules.txt", controller]) {
    if (!existsSync(join(module, part)))
      throw new SettingsError(`PEER=${checkout}: no checkout of ovn-kubernetes: no go-controller/${part}`);
  }
  return module;
}

/** What `go build -overlay` reads: each file of the driver under the name that it has in the module. */
export function overlayOf(module: string): object {
  const files = readdirSync(sources).filter((name) => name.endsWith(".go"));
  return {
    Replace: Object.fromEntries(files.map((name) => [join(module, place, name), join(sources, name)])),
  };
}

/** The path of the program. The first build compiles the controller and all that it needs: minutes. */
export function buildPeer(go: string, checkout: string): string {
  const module = moduleOf(checkout);
  keepCachesInClone();
  mkdirSync(cache, { recursive: true });
  const [overlay, program] = [join(cache, "overlay.json"), join(cache, "driver")];
  writeFileSync(overlay, JSON.stringify(overlayOf(module)));
  const args = ["build", "-mod=vendor", "-overlay", overlay, "-o", program, `./${place}`];
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" };
  const { status, stderr } = spawnSync(go, args, { cwd: module, env, encoding: "utf8" });
  if (status === 0) return program;
  const said = stderr.trim().split("\n").slice(-20).join("\n");
  throw new Error(
    `the driver does not compile with ${checkout} (docs/performance.md says with which it does):\n${said}`,
  );
}

/** Which commit the checkout has, as far as git says it. */
export function versionOf(checkout: string): string {
  const { status, stdout } = spawnSync("git", ["-C", checkout, "rev-parse", "--short=12", "HEAD"], {
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : "of unknown version";
}
