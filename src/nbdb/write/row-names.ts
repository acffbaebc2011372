/** Gives a different name for each row that a transaction inserts (RFC 7047 section 5.2.1, `uuid-name`). */
export function rowNames(): () => string {
  let names = 0;
  return () => `row${names++}`;
}
