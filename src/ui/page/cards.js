// Rules as cards, in columns by tier, in the order of evaluation: the pod's view and the tester share them.

import { counted, h } from "./dom.js";
import { kindName, policyLink } from "./links.js";
import { refKey, ruleAt, tierOf, tierTitle, verdictMark } from "./words.js";

/** @typedef {import("../../analysis/ref.ts").Ref} Ref */
/** @typedef {import("../../analysis/ref.ts").RuleRef} RuleRef */
/**
 * @typedef {object} Card
 * @property {string} tier
 * @property {string} [tierName]
 * @property {string} [apiTier]
 * @property {Ref} policy
 * @property {number | null} priority
 * @property {RuleRef | null} rule null: isolation
 * @property {readonly string[]} [peers]
 * @property {readonly string[] | null} [ports] null: any
 * @property {"plain" | "decides" | "ties" | "passes" | "lost" | "near" | "shadowed"} look
 * @property {string} [remark]
 * @property {string | null} [met] packets, in words
 * @property {string} [wants] of a near miss
 * @property {string} [has]
 * @property {{ href: string, text: string }} [link] where it is written
 */

const standard = ["admin", "namespaced", "baseline"];
const shownPeers = 4;
const shownRules = 5;

/**
 * @param {readonly Card[]} cards in the order of evaluation
 * @param {{ totals?: Readonly<Record<string, number>>, more?: () => void, empty?: string }} options
 */
export function tierColumns(cards, { totals = {}, more, empty = "no rule of this tier applies" } = {}) {
  const tiers = [...Map.groupBy(cards, tierOf).keys()];
  return h(
    "ol",
    { class: "tiers" },
    ordered(tiers, cards).map((tier, at) => {
      const own = cards.filter((card) => tierOf(card) === tier);
      const hidden = (totals[tier] ?? own.length) - own.length;
      return h(
        "li",
        { class: own.length === 0 ? "tier none" : "tier", "data-key": tier, "data-tier": tier },
        h("h3", {}, h("span", { class: "step" }, at + 1), tierTitle(tier)),
        own.length === 0 ? h("p", { class: "quiet" }, empty) : policyGroups(own),
        hidden > 0 &&
          h(
            "p",
            { class: "quiet" },
            `${counted(hidden, "rule")} more `,
            more && h("button", { type: "button", class: "plain", onclick: more }, "Show all"),
          ),
      );
    }),
  );
}

/**
 * The tiers of a cluster, with those that kinds of policies have brought where their cards stand.
 * @param {readonly string[]} present
 * @param {readonly Card[]} cards
 */
function ordered(present, cards) {
  const list = [...standard];
  for (const name of present) {
    if (list.includes(name)) continue;
    const near = cards.find((card) => tierOf(card) === name)?.tier ?? "baseline";
    const at = list.indexOf(near);
    // Behind baseline come those that are told with it; others stand before the tier that they are told with.
    list.splice(near === "baseline" ? list.length : at, 0, name);
  }
  return list;
}

/** @param {readonly Card[]} cards */
function policyGroups(cards) {
  /** @type {Card[][]} */
  const groups = [];
  for (const card of cards) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && refKey(last[0].policy) === refKey(card.policy)) last.push(card);
    else groups.push([card]);
  }
  return groups.map((group) => {
    const [{ policy, priority } = { policy: { kind: "", name: "", namespace: null }, priority: null }] =
      group;
    return h(
      "section",
      { class: "policy", "data-key": refKey(/** @type {Ref} */ (policy)) },
      h("h4", {}, policyLink(/** @type {Ref} */ (policy))),
      h(
        "p",
        { class: "kind" },
        kindName(/** @type {Ref} */ (policy)),
        priority === null ? "" : ` · priority ${priority}`,
      ),
      cardLists(group),
    );
  });
}

/**
 * The first rules of a policy, and up to the last that has a part in an answer; the others are to be opened.
 * @param {readonly Card[]} group
 */
function cardLists(group) {
  const isPart = (/** @type {Card} */ { look }) => ["decides", "ties", "passes"].includes(look);
  const some = Math.max(shownRules, group.findLastIndex(isPart) + 1);
  // A single one is shown as it is: to open it takes as much room.
  const shown = group.length <= some + 1 ? group.length : some;
  return [
    h("ol", { class: "cards" }, group.slice(0, shown).map(ruleCard)),
    shown < group.length &&
      h(
        "details",
        { class: "more-rules" },
        h("summary", {}, `${counted(group.length - shown, "rule")} more`),
        h("ol", { class: "cards" }, group.slice(shown).map(ruleCard)),
      ),
  ];
}

const looks = {
  decides: "decides",
  ties: "ties",
  passes: "passes on",
  lost: "does not decide",
  near: "nearly",
  shadowed: "never decides",
  plain: "",
};

/** @param {Card} card */
export function ruleCard(card) {
  const { rule, look, remark, met, wants, has, link } = card;
  const isStruck = look === "lost";
  const name = rule === null ? "isolation" : rule.name === "" ? ruleAt(rule) : rule.name;
  return h(
    "li",
    { class: `card ${look}`, "data-key": rule === null ? "isolation" : ruleAt(rule), "data-look": look },
    h(
      "p",
      { class: "head" },
      verdictMark(rule?.action ?? "deny", rule?.word),
      looks[look] !== "" && h("span", { class: "badge" }, looks[look]),
      rule !== null && h("code", { class: "at" }, ruleAt(rule)),
    ),
    h("p", { class: "name" }, isStruck ? h("s", {}, name) : name),
    peersOf(card),
    wants !== undefined &&
      h("p", { class: "missing" }, "wants ", h("code", {}, wants), ", has ", h("code", {}, has ?? "none")),
    remark !== undefined && h("p", { class: "remark" }, remark),
    met && h("p", { class: "met" }, met),
    link && h("p", { class: "place" }, h("a", { href: link.href }, link.text)),
    rule?.place && h("p", { class: "place" }, rule.place),
  );
}

/** @param {Card} card */
function peersOf({ rule, peers, ports }) {
  if (peers === undefined) return null;
  const towards = rule?.direction === "ingress" ? "from" : "to";
  const rest = peers.length - shownPeers;
  const line = (/** @type {string} */ peer) => h("li", {}, peer);
  return [
    h(
      "div",
      { class: "ends" },
      h("p", { class: "towards" }, rule === null ? "for" : towards),
      h(
        "div",
        {},
        peers.length === 0
          ? h("p", { class: "quiet" }, "nobody")
          : h("ul", { class: "peers" }, peers.slice(0, shownPeers).map(line)),
        rest > 0 &&
          h(
            "details",
            {},
            h("summary", {}, `${rest} more`),
            h("ul", { class: "peers" }, peers.slice(shownPeers).map(line)),
          ),
      ),
    ),
    ports !== null &&
      ports !== undefined &&
      h("p", { class: "ports" }, ports.length === 0 ? "no port" : ports.map((port) => h("code", {}, port))),
  ];
}
