// The severities that a logged verdict can have: those of syslog that OVN knows. Source: column severity of table ACL in
// ovn-nb.ovsschema. From the most to the least urgent.

export const logSeverities = ["alert", "warning", "notice", "info", "debug"] as const;
export type LogSeverity = (typeof logSeverities)[number];
