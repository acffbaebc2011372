// The first view: whether the policies are in force, and every policy in the column of its tier.

import { ask } from "./api.js";
import { boardColumns, unreadColumn } from "./board.js";
import { counted, fill, h } from "./dom.js";
import { hitsNote } from "./hits.js";
import { kindName, policyWithKind } from "./links.js";
import { reachSection } from "./reach.js";
import { stateMark } from "./states.js";
import { hrefOf } from "./url.js";
import { refName } from "./words.js";

/** @typedef {import("../shown/board.ts").BoardShown} Board */
/** @typedef {import("../shown/board.ts").HealthShown} Health */
/** @typedef {import("../shown.ts").FindingsShown} Findings */

/** So many keys fit in a request line, however long the names are. */
const mostAsked = 20;

/**
 * One part at least: its counts are of all policies.
 * @param {readonly string[]} keys
 */
function partsOf(keys) {
  const starts = keys.filter((_, at) => at % mostAsked === 0).map((_, at) => at * mostAsked);
  return starts.length === 0 ? [[]] : starts.map((at) => keys.slice(at, at + mostAsked));
}

/**
 * @param {readonly string[]} policy keys
 * @returns {Promise<Findings>}
 */
function findingsOfPolicies(policy) {
  return ask("findings", { policy });
}

/** @type {import("./main.js").View} */
export async function homeView(state, context) {
  /** @type {Board} */
  const board = await ask("board");
  const { has } = context.state;
  const findings = h("li", { id: "home-findings" });
  fill(findings, findingsText(has.findings ? null : undefined));
  const columns = h("div", { id: "board" });
  fill(columns, boardColumns(board, new Map()), unreadColumn(board));
  if (has.findings)
    context.later(async () => {
      const keys = board.tiers.flatMap(({ policies }) => policies.map(({ key }) => key));
      const parts = await Promise.all(partsOf(keys).map((policy) => findingsOfPolicies(policy)));
      const [{ counts, revision } = { counts: null, revision: "" }] = parts;
      if (parts.every(({ isMaking }) => !isMaking)) {
        fill(findings, findingsText(counts));
        const byKey = new Map(
          parts.flatMap(({ policies }) => policies.map((one) => [one.key, one.findings])),
        );
        fill(columns, boardColumns(board, byKey), unreadColumn(board));
      }
      return revision;
    });
  const total = board.tiers.reduce((sum, tier) => sum + tier.total, 0);
  const count = counted(total, "policy", "policies");
  return {
    title: "Home",
    said: `${count} in ${counted(board.tiers.filter((tier) => tier.total > 0).length, "tier")}`,
    revision: board.revision,
    elements: [
      h("h1", {}, context.state.live === null ? "What the policies say" : "What is in force"),
      health(board.health, findings, context.state),
      h(
        "section",
        { class: "board", "aria-labelledby": "board-title" },
        h("h2", { id: "board-title" }, "Policies", h("span", {}, "by tier, in the order of evaluation")),
        columns,
      ),
      reachSection(state, context),
    ],
  };
}

/**
 * @param {Health} health
 * @param {HTMLElement} findings
 * @param {Pick<import("../shown.ts").StateShown, "from" | "has">} state
 */
function health({ enforced, writer, troubles, notRead, lastChange }, findings, { from, has }) {
  const wrong = /** @type {const} */ (["refused", "kept", "in part"]).filter((one) => troubles[one] > 0);
  return h(
    "section",
    { class: "health", "aria-label": "Health" },
    h(
      "ul",
      {},
      h("li", {}, ...enforcedText(enforced, from)),
      writer !== null && h("li", {}, writerText(writer)),
      wrong.length === 0 && h("li", {}, stateMark("in force", "no policy is refused")),
      wrong.map((one) =>
        h(
          "li",
          {},
          stateMark(
            one,
            `${counted(troubles[one], "policy", "policies")} ${troubleWords[one](troubles[one])}`,
          ),
          " ",
          h("a", { href: hrefOf({ view: "order", trouble: one }) }, `Show ${one}`),
        ),
      ),
      notRead > 0 &&
        h(
          "li",
          {},
          stateMark("not read", `${counted(notRead, "policy", "policies")} of kinds that are not read`),
        ),
      findings,
      h("li", {}, hitsNote(has.hits)),
      h("li", {}, lastChange === null ? quiet("no change since the page was started") : changed(lastChange)),
    ),
  );
}

const troubleWords = {
  refused: (/** @type {number} */ count) =>
    count === 1 ? "is refused: nothing of it is in force" : "are refused: nothing of them is in force",
  kept: (/** @type {number} */ count) =>
    count === 1
      ? "is refused: the version before is in force"
      : "are refused: the versions before are in force",
  "in part": (/** @type {number} */ count) => `${count === 1 ? "is" : "are"} in force in part`,
};

/**
 * @param {Health["enforced"]} enforced
 * @param {string} from
 * @returns {readonly import("./dom.js").Child[]}
 */
function enforcedText(enforced, from) {
  if (enforced === null)
    return [
      stateMark("not read", "no controller is asked here"),
      quiet(`: the page shows what the objects of ${from} say`),
    ];
  const { total, inForce, why } = enforced;
  const state =
    inForce === total && why.length === 0 ? "in force" : inForce === 0 ? "not enforced" : "in part";
  const words =
    total === 0
      ? "there is no policy to enforce"
      : inForce === total
        ? `${counted(total, "policy is", "policies are")} in force as written`
        : `${inForce} of ${counted(total, "policy is", "policies are")} in force as written`;
  return [
    stateMark(total === 0 && why.length === 0 ? "in force" : state, words),
    why.length > 0 &&
      h(
        "ul",
        { class: "why" },
        why.map((line) => h("li", {}, line)),
      ),
  ];
}

/** @param {NonNullable<Health["writer"]>} writer */
function writerText({ leads, other }) {
  if (leads) return stateMark("in force", "this instance writes");
  return other === null
    ? stateMark("pending", "this instance does not write, and no other is known")
    : stateMark("inert", `${other} writes, and this instance stands by`);
}

/** @param {Findings["counts"] | null | undefined} counts null: not yet; undefined: lint does not run here */
function findingsText(counts) {
  if (counts === undefined) return quiet("lint does not run here: ask northgate lint");
  if (counts === null) return quiet("lint is looking for mistakes");
  const { error, warning, info } = counts;
  if (error + warning + info === 0) return stateMark("in force", "lint finds nothing");
  const state = error > 0 ? "refused" : warning > 0 ? "pending" : "inert";
  const parts = [
    error > 0 && counted(error, "error"),
    warning > 0 && counted(warning, "warning"),
    info > 0 && counted(info, "info", "info"),
  ];
  return [
    stateMark(state, `lint finds ${parts.filter((part) => part !== false).join(", ")}`),
    " ",
    h("a", { href: hrefOf({ view: "order" }) }, "Show findings"),
  ];
}

/** @param {NonNullable<Health["lastChange"]>} change */
function changed({ at, object, isPolicy }) {
  const time = new Date(at).toLocaleTimeString("en-GB");
  return [
    quiet("last change: "),
    isPolicy ? policyWithKind(object) : `${kindName(object)} ${refName(object)}`,
    quiet(` at ${time}`),
  ];
}

/** @param {string} text */
function quiet(text) {
  return h("span", { class: "quiet" }, text);
}
