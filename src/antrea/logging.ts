// `enableLogging` and `logLabel` of a rule. The API has no severities: verdicts are logged as information.

import type { Field } from "../model/reader.ts";
import { isLabelValue } from "../model/syntax.ts";
import type { RuleLogging } from "../policy/ir.ts";

/** undefined: an error was told; null: the rule is not logged. */
export function readRuleLogging(rule: Field): RuleLogging | null | undefined {
  const [enabled, label] = [rule.at("enableLogging"), rule.at("logLabel")];
  const isOn = enabled.present ? enabled.boolean() : false;
  const text = label.present ? label.string() : "";
  if (isOn === null || text === null) return undefined;
  if (!isLabelValue(text)) {
    label.error(`${label.quoted} is not a valid label value`);
    return undefined;
  }
  return isOn ? { severity: "info", label: text === "" ? null : text } : null;
}
