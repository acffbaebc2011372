// One thing a server must accept or refuse, and the words such cases are written in. A refusal names the field, so that no
// case is refused for another reason than the one it is about.

export interface Case {
  readonly says: string;
  /** Over a spec that is accepted. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Part of the refusal; null when the spec must be accepted. */
  readonly refused: string | null;
}

export const ok = (says: string, spec: Case["spec"]): Case => ({ says, spec, refused: null });
export const no = (says: string, spec: Case["spec"], refused: string): Case => ({ says, spec, refused });

/** How a server refuses too few and too many. */
export const few = "should have at least 1";
export const many = (most: number) => `must have at most ${most} items`;

export const times = (count: number, one: unknown): readonly unknown[] => Array<unknown>(count).fill(one);
export const numbered = <T>(count: number, one: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => one(n));

export const everyNamespace = { namespaces: {} };
export const pods = { namespaceSelector: {}, podSelector: { matchLabels: { a: "b" } } };
export const portOne = { portNumber: { protocol: "TCP", port: 1 } };

/** A spec whose only rule differs in these fields from one that is accepted. */
export const ingress = (rule: object) => ({
  ingress: [{ action: "Allow", from: [everyNamespace], ...rule }],
});
export const egress = (rule: object) => ({ egress: [{ action: "Allow", to: [everyNamespace], ...rule }] });
export const to = (peer: unknown) => egress({ to: [peer] });
