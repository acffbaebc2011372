// The certificate and key of the metrics server, and the CAs of its clients, from files that are replaced while it runs.
// Refuses at the start what no client could use; later it keeps what it had, and says once for each state of the files why.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import type { Logger } from "../lib/logger.ts";

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** null: clients are not asked for a certificate. */
  readonly clientCa: string | null;
}

export class Certificate {
  readonly #files: CertificateFiles;
  readonly #logger: Logger;
  #stamp: string;
  #context: SecureContextOptions;

  /** Throws one line that names the flag and the file. */
  constructor(files: CertificateFiles, logger: Logger) {
    this.#files = files;
    this.#logger = logger;
    this.#stamp = stampOf(files);
    this.#context = load(files);
  }

  get context(): SecureContextOptions {
    return this.#context;
  }

  /** The context when the files have changed and are good; null: nothing new. */
  renewed(): SecureContextOptions | null {
    const stamp = stampOf(this.#files);
    if (stamp === this.#stamp) return null;
    this.#stamp = stamp;
    try {
      this.#context = load(this.#files);
    } catch (error) {
      const reason = messageOf(error);
      this.#logger.warn("the new certificate of the metrics server cannot be used; it keeps the old", {
        reason,
      });
      return null;
    }
    this.#logger.info("the metrics server has a new certificate");
    return this.#context;
  }
}

function load({ certificate, key, clientCa }: CertificateFiles): SecureContextOptions {
  const cert = part(`--metrics-cert ${certificate}`, () => readFileSync(certificate));
  const leaf = part(`--metrics-cert ${certificate}`, () => inForce(new X509Certificate(cert)));
  const secret = part(`--metrics-key ${key}`, () => readFileSync(key));
  const belongs = part(`--metrics-key ${key}`, () => leaf.checkPrivateKey(createPrivateKey(secret)));
  if (!belongs) throw new Error(`--metrics-key ${key}: is not the key of --metrics-cert ${certificate}`);
  const context: SecureContextOptions = { cert, key: secret, minVersion: "TLSv1.2" };
  if (clientCa === null) return context;
  return { ...context, ca: part(`--metrics-client-ca ${clientCa}`, () => authorities(clientCa)) };
}

function inForce(leaf: X509Certificate): X509Certificate {
  const now = new Date();
  if (leaf.validToDate < now) throw new Error(`expired on ${leaf.validToDate.toISOString()}`);
  if (leaf.validFromDate > now) throw new Error(`not valid before ${leaf.validFromDate.toISOString()}`);
  return leaf;
}

function authorities(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("holds no certificate");
  return blocks.map((block) => new X509Certificate(block).toString());
}

function part<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${messageOf(error)}`, { cause: error });
  }
}

function stampOf({ certificate, key, clientCa }: CertificateFiles): string {
  return [certificate, key, ...(clientCa === null ? [] : [clientCa])]
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? "none" : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
    })
    .join();
}

function messageOf(error: unknown): string {
  const named = typeof error === "object" && error !== null && "message" in error;
  return String(named ? error.message : error).split("\n")[0] ?? "";
}
