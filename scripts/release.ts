// `node scripts/release.ts [FOLDER] [--key FILE] [--without-image]`, `make release KEY=FILE`: everything that a release has, in FOLDER, for
// make .cache/release: packages, image, chart, plugin, lists of parts, licences, notes, where it all comes from, and sums. With a key
// the sums and the statement are signed. Uploads nothing. Equal inputs make equal bytes (docs/versions.md says of what, and what not).
// The folder is replaced; one that is given must be missing or empty.
// Exit codes: 0 it is there, 1 it could not be made, 2 wrong usage.

import type { KeyObject } from "node:crypto";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { commitOfCheckout } from "../src/version.ts";
import { licencesName, listName } from "./support/bundling.ts";
import { cacheFolder, keepCachesInClone } from "./support/caches.ts";
import { packChart } from "./support/chart-archive.ts";
import { packImage } from "./support/image-archive.ts";
import { imageLicences } from "./support/image-licences.ts";
import { sha256Of } from "./support/oci.ts";
import { writePlugin } from "./support/plugin-archive.ts";
import { statementOf, statementType } from "./support/provenance.ts";
import { notesOf } from "./support/release-notes.ts";
import { sbomOf } from "./support/sbom.ts";
import { envelopeOf, publicKeyOf, signatureOf, signingKey } from "./support/signing.ts";
import { manifestOf, packClient, packProgram } from "./support/tarballs.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const usual = join(cacheFolder, "release");
const usage = "usage: node scripts/release.ts [FOLDER] [--key FILE] [--without-image]";
const say = (text: string) => process.stdout.write(`${text}\n`);
const sumsName = "SHA256SUMS";

interface Asked {
  readonly into: string;
  readonly key: KeyObject | null;
  readonly image: boolean;
}

/** Throws for wrong usage: before anything is made. */
function asked(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { key: { type: "string" }, "without-image": { type: "boolean" } },
  });
  const [folder = usual, ...more] = positionals;
  if (more.length > 0) throw new Error("one folder at most");
  const into = resolve(folder);
  if (into !== resolve(usual) && existsSync(into) && readdirSync(into).length > 0)
    throw new Error(`${into} is not empty`);
  const { key } = values;
  return {
    ...{ into, image: values["without-image"] !== true },
    key: key === undefined || key === "" ? null : signingKey(key),
  };
}

/** Says what is made, and how long it took. */
function step(title: string, make: () => void): void {
  say(`== ${title}`);
  const started = performance.now();
  make();
  say(`   ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

const { name, version } = manifestOf(repository);

/** The program says its commit: the one of now, also where no source has changed since it was built. */
function stamped(): string | null {
  const commit = commitOfCheckout();
  const file = join(repository, "dist", "build.json");
  const says = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { commit?: string }).commit
    : undefined;
  if (commit !== null && says !== commit)
    execFileSync(process.execPath, [join(repository, "scripts", "stamp.ts")]);
  return commit ?? says ?? null;
}

function makeParts(into: string, scratch: string, withImage: boolean): void {
  step("npm packages", () => {
    for (const { path } of [packProgram(repository, scratch), packClient(repository, scratch)])
      copyFileSync(path, join(into, basename(path)));
  });
  step("kubectl's plugin, with its manifest for krew", () => {
    for (const file of writePlugin(repository, scratch).files)
      copyFileSync(join(scratch, file), join(into, file));
  });
  step("chart", () => packChart(join(repository, "manifests/chart"), version, into, join(scratch, "chart")));
  step("list of parts, licences, notes", () => {
    const dist = join(repository, "dist");
    const bundled = JSON.parse(readFileSync(join(dist, listName), "utf8")) as readonly string[];
    const list = sbomOf(repository, name, (reference) => bundled.includes(reference), []);
    writeFileSync(join(into, `${name}-${version}.cdx.json`), list);
    copyFileSync(join(repository, "LICENSE"), join(into, "LICENSE"));
    copyFileSync(join(dist, licencesName), join(into, licencesName));
    writeFileSync(
      join(into, "NOTES.md"),
      notesOf(readFileSync(join(repository, "CHANGELOG.md"), "utf8"), version),
    );
  });
  if (!withImage) return;
  step("image, about half a minute", () => {
    const { path, sbom } = packImage(into);
    writeFileSync(path.replace(/\.tar$/, ".cdx.json"), sbom);
    writeFileSync(join(into, "IMAGE-LICENSES.txt"), imageLicences(sbom));
  });
}

/** The statement is about every file that is there; the sums are of those and of the statement. */
function makeSums(into: string, commit: string | null, key: KeyObject | null): void {
  const paths = () =>
    readdirSync(into)
      .sort()
      .map((file) => join(into, file));
  const npm = execFileSync("npm", ["--version"], { encoding: "utf8" }).trim();
  const lockFile = join(repository, "package-lock.json");
  const text = `${JSON.stringify(statementOf(paths(), { version, commit, lockFile, npm }), null, 2)}\n`;
  writeFileSync(join(into, "provenance.json"), text);
  const sums = Buffer.from(
    paths()
      .map((path) => `${sha256Of(path)}  ${basename(path)}\n`)
      .join(""),
  );
  writeFileSync(join(into, sumsName), sums);
  if (key === null) return;
  writeFileSync(join(into, "provenance.dsse.json"), envelopeOf(Buffer.from(text), statementType, key));
  writeFileSync(join(into, `${sumsName}.sig`), signatureOf(sums, key));
  writeFileSync(join(into, "release.pub"), publicKeyOf(key));
}

function tell(into: string, commit: string | null, key: KeyObject | null): void {
  say(`in ${into}:`);
  for (const file of readdirSync(into).sort())
    say(`  ${file.padEnd(42)} ${(statSync(join(into, file)).size / 1024).toFixed(1).padStart(9)} kB`);
  if (key === null) say("not signed: KEY=FILE signs, with an Ed25519 or ECDSA key");
  if (commit === null || commit.endsWith("-dirty"))
    say("the checkout is not a commit as it is: the statement names none as the source");
}

function release({ into, key, image }: Asked): void {
  const scratch = mkdtempSync("/tmp/ngl-");
  try {
    const made = join(scratch, "release");
    for (const folder of [made, join(scratch, "chart")]) mkdirSync(folder);
    const commit = stamped();
    makeParts(made, scratch, image);
    step("where it comes from, and sums", () => {
      makeSums(made, commit, key);
    });
    rmSync(into, { recursive: true, force: true });
    cpSync(made, into, { recursive: true });
    tell(into, commit, key);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function main(): number {
  let wanted: Asked;
  try {
    wanted = asked(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    return 2;
  }
  keepCachesInClone();
  release(wanted);
  return 0;
}

process.exitCode = main();
