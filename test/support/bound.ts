// What happens to a user whom the rights of files bind: they do not bind root.

/** Runs it as such a user in this process. */
export function bound<T>(act: () => T): T {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return act();
  process.seteuid(65534);
  try {
    return act();
  } finally {
    process.seteuid(0);
  }
}
