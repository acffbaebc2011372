// Signatures with a key that the caller has: Ed25519 or ECDSA. `openssl pkeyutl -verify -rawin` checks them. The statement's is in an
// envelope of DSSE v1 (github.com/secure-systems-lab/dsse), whose signature is over the type and the text together.

import type { KeyObject } from "node:crypto";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";

/** A private key of a kind that is understood, from a file in PEM; the error names the file. */
export function signingKey(path: string): KeyObject {
  const key = parsed(path);
  const kind = key.asymmetricKeyType ?? "";
  if (kind !== "ed25519" && kind !== "ec")
    throw new Error(`${path}: a key of type ${kind}; Ed25519 and ECDSA are understood`);
  return key;
}

function parsed(path: string): KeyObject {
  const pem = readFileSync(path, "utf8");
  if (pem.includes("ENCRYPTED"))
    throw new Error(`${path}: the key is encrypted; decrypt it: openssl pkey -in ${path} -out FILE`);
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: not a private key in PEM: ${reason}`, { cause: error });
  }
}

/** Ed25519: 64 bytes, the same each time. ECDSA: DER, over SHA-256, with a random number in it. */
export function signatureOf(bytes: Buffer, key: KeyObject): Buffer {
  return sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", bytes, key);
}

/** In PEM. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
}

/** The envelope, in JSON. The key's id is the SHA-256 of the public key (DER), in hex. */
export function envelopeOf(payload: Buffer, payloadType: string, key: KeyObject): string {
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  const keyid = createHash("sha256").update(der).digest("hex");
  const sig = signatureOf(signedText(payload, payloadType), key).toString("base64");
  const envelope = { payload: payload.toString("base64"), payloadType, signatures: [{ keyid, sig }] };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** DSSE's pre-authentication encoding. Lengths are of bytes. */
export function signedText(payload: Buffer, payloadType: string): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
