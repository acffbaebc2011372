// `enableLogging` and `logLabel` of a rule. The API has no severities: all rules have the one that the
// program was given.

import type { Field } from "../model/reader.ts";
import { isLabelValue } from "../model/syntax.ts";
import type { LogSeverity, RuleLogging } from "../policy/ir.ts";

/** undefined: an error was reported; null: the rule is not logged. */
export function readRuleLogging(rule: Field, severity: LogSeverity): RuleLogging | null | undefined {
  const [enabled, label] = [rule.at("enableLogging"), rule.at("logLabel")];
  const isOn = enabled.present ? enabled.boolean() : false;
  const text = label.present ? label.string() : "";
  if (isOn === null || text === null) return undefined;
  if (!isLabelValue(text)) {
    label.error(`${label.quoted} is not a valid label value`);
    return undefined;
  }
  return isOn ? { severity, label: text === "" ? null : text } : null;
}
