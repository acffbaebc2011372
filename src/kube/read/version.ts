// resourceVersion: opaque, but decimal on every API server over etcd, where a smaller one means that the server's data
// are older than its earlier answers.

const decimal = /^[1-9]\d*$/;

/** Whether `version` is known to be older than `than`; false for versions that cannot be compared. */
export function isOlder(version: string, than: string): boolean {
  if (!decimal.test(version) || !decimal.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
