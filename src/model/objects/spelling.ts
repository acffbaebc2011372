// One kind in several API groups. Where a group keeps what its users wrote in another form (a name, labels), its spelling says
// what the object is in the kind's own API; readers ask here before they look at anything else.

import type { GroupVersion, ObjectKind, Respelled } from "../object.ts";

/** The value as the kind's own API shows it. `as`: where it was read. */
export function inOwnApi(kind: ObjectKind, as: GroupVersion, value: unknown): Respelled {
  const spelling = kind.servedAs?.find(({ group, version }) => group === as.group && version === as.version);
  return spelling?.respelled?.(value) ?? { value, problems: [] };
}

/** Whether objects that are read there may have another name in the kind's own API. */
export function isRespelled(kind: ObjectKind, as: GroupVersion): boolean {
  const { servedAs = [] } = kind;
  return servedAs.some((one) => one.group === as.group && one.respelled !== undefined);
}
