// What a request line asks for. Refuses every form but a path with an optional query: a URL with a host, "*" and CONNECT's
// host and port are for proxies. Never throws, whatever the text is, and resolves nothing: `//`, `..` and `%2e` stay as they
// are sent, so that a path names only what it spells.

export interface Target {
  /** Begins with "/". */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** null: the text is not a path. */
export function parseTarget(text: string | undefined): Target | null {
  if (text?.startsWith("/") !== true) return null;
  const [whole = ""] = text.split("#");
  const at = whole.indexOf("?");
  // A query that begins with "?" would lose it.
  const [path, query] = at < 0 ? [whole, ""] : [whole.slice(0, at), whole.slice(at)];
  return { path, query: new URLSearchParams(query) };
}
