// Secrets in texts, by their form: headers with credentials, tokens, keys and certificates in PEM, passwords in URLs, and values whose
// key says that they are secret. More is replaced than is secret, never less of these forms. A secret without any form cannot be
// recognised: the bundle leaves out what may hold one, such as annotations, variables of other programs, and Secrets.

export const removed = "(removed)";

const secretKey =
  "[\\w.-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|key[-_]data|credential|cookie)s?[\\w.-]*";
const isSecretKey = new RegExp(`^${secretKey}$`, "i");
/** As in JSON, YAML, headers and `key=value`; quotes may be escaped, where one text stands in another. */
const secretValue = new RegExp(
  `((?<![\\w.-])\\\\*["']?${secretKey}\\\\*["']?\\s*[:=]\\s*)(\\\\*"(?:[^"\\\\]|\\\\[^"])*\\\\*"|'[^']*'|[^\\s,;&}"']+)`,
  "gi",
);

const forms: readonly (readonly [form: RegExp, instead: string])[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[^]*?(?:-----END [A-Z0-9 ]+-----|$)/g, removed],
  [
    /((?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?)(?:(?:bearer|basic|digest|negotiate)\s+)?[^\s"'\\,]+/gi,
    `$1${removed}`,
  ],
  [/\b(bearer|basic)\s+(?!\()[\w.~+/=-]{6,}/gi, `$1 ${removed}`],
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, removed],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/"'<>]*@/gi, `$1${removed}@`],
];

/** The text without secrets. */
export function redactedText(text: string): string {
  const formed = forms.reduce((before, [form, instead]) => before.replaceAll(form, instead), text);
  return formed.replaceAll(secretValue, (_, key: string, value: string) => {
    const [quote = ""] = /^\\*["']/.exec(value) ?? [];
    return `${key}${quote}${removed}${quote}`;
  });
}

/** The same of JSON: strings by their form, and every text under a key that is secret. */
export function redactedValue(value: unknown): unknown {
  if (typeof value === "string") return redactedText(value);
  if (Array.isArray(value)) return value.map(redactedValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isSecretKey.test(key) && typeof inner === "string" && inner !== "" ? removed : redactedValue(inner),
    ]),
  );
}
