// `northgate support-bundle`: what somebody needs who looks at an installation from afar, in one archive without secrets. Says first what
// it will hold. Only reads the cluster and the database.

import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import { gzippedTar } from "../../bundle/archive.ts";
import { Names } from "../../bundle/names.ts";
import type { BundleFile, Gathered, Part } from "../../bundle/part.ts";
import { readParts } from "../../bundle/part.ts";
import { redactedText, redactedValue } from "../../bundle/redacted.ts";
import type { BundleConfig } from "../../config/answers/doctor.ts";
import { readBundleConfig } from "../../config/answers/doctor.ts";
import { UsageError } from "../../config/values.ts";
import type { KubeApi } from "../../kube/index.ts";
import { failureOf } from "../../kube/index.ts";
import { aligned } from "../../lib/aligned.ts";
import { printable } from "../../model/quote.ts";
import { version } from "../../version.ts";
import { openApi } from "../../wiring/doctor.ts";
import { learnCluster, learnFiles, learnSurroundings } from "./known-names.ts";
import { partsOf } from "./parts.ts";
import { declareFlags, precedence } from "../flags.ts";
import { printError } from "../print/print-error.ts";
import { writeWhole } from "../print/written-file.ts";

/** Of one file in the bundle, in characters. */
const mostText = 16 * 1024 * 1024;

export function addSupportBundle(program: Command): void {
  const command = program
    .command("support-bundle")
    .summary("gather what a support case needs in one archive, without secrets")
    .description(
      "Writes one archive (.tar.gz) about an installation: flags, versions, the report of doctor, policies with their rows and " +
        "conditions, and of the Pods of Northgate the flags, the logs of the last hour and the metrics. It prints first what the " +
        "archive holds. Secrets, tokens, private keys and credentials are replaced; --anonymize replaces names and addresses too. " +
        "What cannot be read is a line in the archive's unread.txt, with the reason. It writes nothing to the cluster.",
    );
  const given = declareFlags(command, "support-bundle");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Give it the flags of the run that it is about, as doctor takes them. Look into the archive before you send it.\n" +
        "Exit codes: 0 the archive has everything, 1 there is no archive, 2 wrong usage, 3 something could not be read, and the " +
        "archive says what.\n\n" +
        "Examples:\n" +
        "  northgate support-bundle --dry-run\n" +
        "  northgate support-bundle -o bundle.tar.gz --nb tcp:127.0.0.1:6641\n" +
        "  northgate support-bundle -o bundle.tar.gz --anonymize --metrics-url http://127.0.0.1:9476\n",
    )
    .action(async () => {
      process.exitCode = await supportBundle(readBundleConfig(given()));
    });
}

async function supportBundle(config: BundleConfig): Promise<number> {
  const { file } = config;
  if (file !== null && existsSync(file)) throw new UsageError(`--output: ${file} exists`);
  const connection = new Connection(config);
  try {
    const parts = partsOf({ config, api: () => connection.api() });
    process.stdout.write(announced(parts, config));
    if (file === null) return 0;
    const content = await readParts(parts);
    const names = config.anonymizes ? await namesFor(config, connection, content.files) : null;
    write(file, { parts, content, names });
    return content.unread.length === 0 ? 0 : 3;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  } finally {
    connection.close();
  }
}

/** Opened when it is first needed. */
class Connection {
  readonly #config: BundleConfig;
  #opening: ReturnType<typeof openApi> | null = null;
  #api: KubeApi | null = null;
  server: string | null = null;

  constructor(config: BundleConfig) {
    this.#config = config;
  }

  async api(): Promise<KubeApi> {
    const opened = await (this.#opening ??= openApi(this.#config));
    if ("fault" in opened) throw new Error(opened.fault.text);
    this.server = opened.server;
    return (this.#api = opened.api);
  }

  close(): void {
    this.#api?.close();
  }
}

function announced(parts: readonly Part[], { anonymizes, file }: BundleConfig): string {
  const lines = aligned([...parts, ...own].map(({ name, holds }) => [`  ${name}`, holds]));
  const names = anonymizes
    ? "Secrets, and names and addresses of the cluster, are replaced."
    : "Secrets are replaced; names and addresses of the cluster are not: --anonymize does that.";
  return [file === null ? "The archive would hold:" : `${file} will hold:`, ...lines, names, ""].join("\n");
}

const own = [
  { name: "README.txt", holds: "this list" },
  {
    name: "unread.txt",
    holds: "what could not be read or was not asked for, with the reason; empty: nothing is missing",
  },
];

/** Rejects with an Error of one sentence: without the names of the cluster nothing may be written. */
async function namesFor(
  config: BundleConfig,
  connection: Connection,
  files: readonly BundleFile[],
): Promise<Names> {
  const names = new Names(randomBytes(32).toString("hex"));
  try {
    await learnCluster(names, await connection.api(), config);
  } catch (error) {
    const { message } = failureOf(error) ?? (error as Error);
    throw new Error(
      `--anonymize: the names of the cluster cannot be read, so no archive is written: ${message}`,
      { cause: error },
    );
  }
  learnSurroundings(names, config, connection.server);
  learnFiles(names, files);
  return names;
}

interface Bundled {
  readonly parts: readonly Part[];
  readonly content: Gathered;
  readonly names: Names | null;
}

function write(file: string, { parts, content, names }: Bundled): void {
  const { files, unread, skipped } = content;
  const missing = [
    ...unread.map((line) => `not read: ${line}`),
    ...skipped.map((line) => `skipped: ${line}`),
  ];
  const readme = aligned([...parts, ...own].map(({ name, holds }) => [name, holds]));
  const texts: readonly BundleFile[] = [
    { name: "README.txt", content: `Support bundle of northgate ${version()}\n\n${readme.join("\n")}\n` },
    ...files,
    { name: "unread.txt", content: missing.map((line) => `${line}\n`).join("") },
  ];
  const archived = texts.map(({ name, content }) => ({
    name: names === null ? name : names.text(name),
    text: cut(cleaned(content, names)),
  }));
  writeWhole(file, gzippedTar(archived, Date.now() / 1000), 0o600);
  process.stdout.write(`\n${file}: ${archived.length} files, ${Math.ceil(statSync(file).size / 1024)} kB\n`);
  if (names !== null) {
    writeWhole(`${file}.names.json`, `${JSON.stringify(names.legend, null, 2)}\n`, 0o600);
    process.stdout.write(
      `${file}.names.json: which name each word stands for; keep it, and do not send it\n`,
    );
  }
  for (const line of missing) process.stdout.write(`${printable(redactedText(line), 500)}\n`);
}

function cleaned(content: string | object, names: Names | null): string {
  if (typeof content === "object") {
    const value = redactedValue(content);
    return `${JSON.stringify(names === null ? value : names.value(value), null, 2)}\n`;
  }
  const text = redactedText(content);
  return names === null ? text : names.text(text);
}

/** Its end, which is the newest of a log. */
function cut(text: string): string {
  return text.length <= mostText
    ? text
    : `(the first ${text.length - mostText} characters are left out)\n${text.slice(-mostText)}`;
}
