// Node's codes of errors, such as ENOENT. By shape: an error of another realm is no instance of this one's Error.

/** "unknown": it has none. */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown";
}
