// Patterns of paths to leave out: `*` is any part of a name, `?` one character, `**` any folders. A pattern without a slash is that of
// a name, in whichever folder; any other is that of a whole path below the folder that was given.

/** Whether any of the patterns is that of the path, or of a folder above it. `path`: with slashes, below the folder that was given. */
export type Ignores = (path: string) => boolean;

export function ignoring(patterns: readonly string[]): Ignores {
  const names = patterns.filter((one) => !trimmed(one).includes("/")).map(toExpression);
  const paths = patterns.filter((one) => trimmed(one).includes("/")).map(toExpression);
  return (path) => {
    const parts = path.split("/");
    const above = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    return (
      parts.some((name) => names.some((one) => one.test(name))) ||
      above.some((folder) => paths.some((one) => one.test(folder)))
    );
  };
}

/** A slash at either end says no more: `/docs/` is `docs`, but for the place of a path. */
function trimmed(pattern: string): string {
  return pattern.replace(/\/$/, "");
}

const parts = /\*\*\/|\*\*|\*|\?|[^*?]+/g;

function toExpression(pattern: string): RegExp {
  const text = trimmed(pattern).replace(/^\.?\//, "");
  const body = [...text.matchAll(parts)].map(([part]) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${body.join("")}$`, "u");
}
