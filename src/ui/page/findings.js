// What lint found of a policy: counts by severity, and each finding with what to do.

import { counted, h } from "./dom.js";
import { policyHref } from "./links.js";
import { ruleAt } from "./words.js";

/** @typedef {import("../../lint/finding.ts").Finding} Finding */

const severities = /** @type {const} */ (["error", "warning", "info"]);

/**
 * Those that are not suppressed, by severity, to be opened.
 * @param {readonly Finding[]} findings
 */
export function findingMarks(findings) {
  const open = findings.filter(({ suppressed }) => suppressed === null);
  if (open.length === 0) return h("span", { class: "soft" }, "nothing found");
  return h("details", {}, h("summary", {}, countMarks(open)), findingList(open));
}

/** @param {readonly Finding[]} open */
function countMarks(open) {
  return severities.flatMap((severity) => {
    const count = open.filter((one) => one.severity === severity).length;
    return count === 0
      ? []
      : [
          h(
            "span",
            { class: `mark ${severity}` },
            counted(count, severity, severity === "info" ? "info" : `${severity}s`),
          ),
        ];
  });
}

/** @param {readonly Finding[]} findings */
export function findingList(findings) {
  return h(
    "ul",
    { class: "findings" },
    findings.map(({ id, severity, policy, rule, message, fix }) =>
      h(
        "li",
        {},
        h(
          "p",
          {},
          h("b", {}, `${id} ${severity}`),
          rule !== null && [" ", h("a", { href: policyHref(policy, rule) }, ruleAt(rule)), ` ${rule.name}`],
        ),
        h("p", {}, message),
        fix !== "" && h("p", { class: "soft" }, `fix: ${fix}`),
      ),
    ),
  );
}

/** Findings that say of a rule that it never decides. */
const shadowing = ["NG001", "NG002", "NG004"];

/**
 * Why the rule never decides; undefined: nothing says so.
 * @param {import("../../analysis/ref.ts").RuleRef | null} rule
 * @param {readonly Finding[]} findings of its policy
 */
export function neverDecides(rule, findings) {
  if (rule === null) return undefined;
  return findings.find(
    (one) => shadowing.includes(one.id) && one.rule !== null && ruleAt(one.rule) === ruleAt(rule),
  );
}
