// The tester: two ends, a protocol, a port; the answer as a sentence, and on each side who decides, who loses and who nearly
// matched. The question is in the address.

import { ask } from "./api.js";
import { tierColumns } from "./cards.js";
import { h, shape } from "./dom.js";
import { podLink } from "./links.js";
import { picker } from "./picker.js";
import { go, hrefOf } from "./url.js";
import { refKey, sides, verdictMark, verdictWords } from "./words.js";

/** @typedef {import("../../explain/answer.ts").Side} Side */
/** @typedef {import("../../explain/answer.ts").Answer & import("../shown.ts").ExplainWords} Answered */
/** @typedef {import("./cards.js").Card} Card */

const protocols = ["tcp", "udp", "sctp", "icmp"];

/** @type {import("./main.js").View} */
export async function testerView(state) {
  const { from = "", to = "", protocol = "tcp", port = "" } = state;
  const isWhole = from !== "" && to !== "" && (port !== "" || protocol === "icmp");
  const told = isWhole
    ? await ask("explain", { from, to, protocol, ...(protocol === "icmp" ? {} : { port }) })
    : null;
  const form = question({ from, to, protocol, port });
  if (told === null)
    return {
      title: "Tester",
      said: missing(state),
      elements: [h("h1", {}, "May this connect to that?"), form, notAsked(state)],
    };
  if ("error" in told)
    return {
      title: "Tester",
      said: told.error,
      elements: [
        h("h1", {}, "May this connect to that?"),
        form,
        h("p", { class: "problem" }, shape("unknown"), told.error),
      ],
    };
  if ("addresses" in told)
    return {
      title: `${from} to ${told.name}`,
      said: `${told.name} leads to ${told.total} addresses`,
      elements: [h("h1", {}, "May this connect to that?"), form, eachAddress(told, { from, protocol, port })],
    };
  return {
    title: `${verdictWords[/** @type {keyof typeof verdictWords} */ (told.verdict)]}: ${from} to ${to}`,
    said: told.sentence,
    elements: [h("h1", {}, "May this connect to that?"), form, answer(told)],
  };
}

/** @param {Readonly<Record<"from" | "to" | "protocol" | "port", string>>} asked */
function question(asked) {
  const end = (/** @type {"from" | "to"} */ name, /** @type {string} */ label) =>
    picker({
      ...{ name, label, hint: "namespace/pod, namespace/deploy/name or address", value: asked[name] },
      taken: (_, input) => input.form?.requestSubmit(),
    });
  return h(
    "form",
    { class: "question", onsubmit: submit },
    end("from", "From"),
    end("to", "To"),
    h(
      "div",
      { class: "field short" },
      h("label", { for: "protocol" }, "Protocol"),
      h(
        "select",
        { id: "protocol", name: "protocol", onchange: portOrNone },
        protocols.map((name) => h("option", { value: name, selected: name === asked.protocol }, name)),
      ),
    ),
    h(
      "div",
      { class: "field short" },
      h("label", { for: "port" }, "Port"),
      h("input", {
        ...{ id: "port", name: "port", inputmode: "numeric", autocomplete: "off", value: asked.port },
        disabled: asked.protocol === "icmp",
      }),
    ),
    h("button", { type: "submit" }, "Ask"),
  );
}

/** @param {Event & { currentTarget: HTMLFormElement }} event */
function submit(event) {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  const field = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
  // A field that is disabled has no value.
  go({
    view: "tester",
    from: field("from"),
    to: field("to"),
    protocol: field("protocol"),
    port: field("port"),
  });
}

/** @param {Event & { currentTarget: HTMLSelectElement }} event */
function portOrNone({ currentTarget: { form, value } }) {
  const port = form?.elements.namedItem("port");
  if (port instanceof HTMLInputElement) port.disabled = value === "icmp";
}

/**
 * What a question that was begun lacks; "": none was.
 * @param {import("./url.js").State} state
 */
function missing({ from = "", to = "", protocol = "tcp", port = "" }) {
  if (from === "" && to === "") return "";
  const parts = [
    from === "" && "where the connection comes from",
    to === "" && "where it goes",
    port === "" && protocol !== "icmp" && `the ${protocol} port`,
  ].filter((part) => part !== false);
  return `Nothing is asked yet. The question lacks ${parts.join(" and ")}.`;
}

/** @param {import("./url.js").State} state */
function notAsked(state) {
  const lacks = missing(state);
  return [
    lacks !== "" && h("p", { class: "problem" }, shape("unknown"), lacks),
    h(
      "p",
      { class: "quiet" },
      "Two ends, a protocol and the destination’s port: the answer names the rule that decides on each side. An end is a pod " +
        "(shop/web), a workload (shop/deploy/web), a Service (shop/svc/web), a node (node/n1) or an address; a destination may also be a domain name (www.example.org), if the " +
        "addresses that DNS answered for it are known.",
    ),
  ];
}

/**
 * @param {import("../shown.ts").AddressesShown} told
 * @param {Readonly<Record<"from" | "protocol" | "port", string>>} asked
 */
function eachAddress({ name, total, addresses }, { from, protocol, port }) {
  const link = (/** @type {string} */ to) =>
    h("a", { href: hrefOf({ view: "tester", from, to, protocol, port }) }, to);
  return h(
    "section",
    { class: "said", "aria-label": "Answer" },
    h("p", { class: "sentence" }, `${name} leads to ${total} addresses; each has its own answer.`),
    addresses.map(({ to, verdict }) =>
      h("p", { class: "caveat" }, verdictMark(verdict, verdictWords[verdict]), " to ", link(to)),
    ),
    addresses.length < total &&
      h(
        "p",
        { class: "quiet" },
        `Shown are ${addresses.length}: others are of another IP family, or left out.`,
      ),
  );
}

/** @param {Answered} told */
function answer(told) {
  const { verdict, sentence, caveats, backends = [] } = told;
  return h(
    "div",
    { class: "answer" },
    h(
      "section",
      { class: `said ${verdict}`, "aria-label": "Answer" },
      h("p", { class: "word" }, verdictMark(verdict, verdictWords[verdict])),
      h("p", { class: "sentence" }, `${sentence}.`),
      endLinks(told),
      caveats.map(({ code, text }) => h("p", { class: "caveat" }, h("b", {}, code), ` ${text}`)),
      backends.map(({ to, port, verdict: own }) =>
        h(
          "p",
          { class: "caveat" },
          verdictMark(own, verdictWords[own]),
          " by way of ",
          h(
            "a",
            {
              href: hrefOf({
                view: "tester",
                from: told.from.text,
                to,
                protocol: told.protocol,
                port: String(port),
              }),
            },
            `${to} port ${port}`,
          ),
        ),
      ),
    ),
    /** @type {const} */ (["egress", "ingress"]).map((direction) => {
      const side = told[direction];
      return side === null ? null : sideOf(direction, side, told);
    }),
    h("p", { class: "quiet" }, "Judged is a new connection; the packets that answer it follow it."),
  );
}

/** @param {Answered} told */
function endLinks({ from, to }) {
  const pods = [...new Set([from, to].flatMap(({ pod }) => (pod === null ? [] : [pod])))];
  return (
    pods.length > 0 &&
    h(
      "p",
      { class: "facts" },
      "Rules of ",
      pods.map((pod) => podLink(pod)),
    )
  );
}

/**
 * @param {"egress" | "ingress"} direction
 * @param {Side} side
 * @param {Answered} told
 */
function sideOf(direction, side, told) {
  const cards = cardsOf(side, told.remarks[direction], told.ranks);
  const { title } = sides[direction];
  const where = direction === "egress" ? "where it leaves" : "where it arrives";
  return h(
    "section",
    { class: "side", "data-side": direction },
    h("h2", {}, title, h("span", {}, where), verdictMark(side.verdict, verdictWords[side.verdict])),
    side.by === "exempt"
      ? h("p", { class: "quiet" }, "Policies do not apply to this end.")
      : tierColumns(cards, { empty: "nothing of this tier matches" }),
    side.by === "default" && h("p", { class: "end lit" }, shape("allow"), "No tier decides: allowed."),
  );
}

/**
 * In the order of evaluation, as a terminal has them; what nearly matched stands with its policy.
 * @param {Side} side
 * @param {readonly string[]} remarks
 * @param {Answered["ranks"]} ranks
 * @returns {readonly Card[]}
 */
function cardsOf(side, remarks, ranks) {
  const { by, policy, rule, priority = null, policies = [], steps, tied = [], lost = [], near = [] } = side;
  const own = {
    tier: side.tier ?? "admin",
    ...(side.tierName === undefined ? {} : { tierName: side.tierName }),
    ...(side.apiTier === undefined ? {} : { apiTier: side.apiTier }),
  };
  /** @type {Card[]} */
  const cards = [
    ...steps.map((step) => ({
      ...step,
      look: /** @type {const} */ ("passes"),
      remark:
        step.apiTier === undefined
          ? "passes on to the next tier"
          : `passes on, past the rest of the ${step.tier} tier`,
    })),
    ...tied.map((step) => ({
      ...step,
      look: /** @type {const} */ ("ties"),
      remark: "which of these decides is open",
    })),
    ...policies.map((one, at) => ({
      ...{
        ...own,
        policy: one,
        priority: null,
        rule: null,
        remark: "isolates the pod, and no rule of this tier matches",
      },
      look: at === 0 ? /** @type {const} */ ("decides") : /** @type {const} */ ("plain"),
    })),
    ...lost.map((step, at) => ({ ...step, look: /** @type {const} */ ("lost"), remark: remarks[at] ?? "" })),
    ...near.map((one) => ({ ...one, look: /** @type {const} */ ("near"), wants: one.wanted })),
  ];
  if (by === "rule" && policy !== undefined && rule !== undefined)
    cards.push({ ...own, policy, priority, rule, look: "decides" });
  const rankOf = new Map(ranks.map(({ policy: one, rank }) => [refKey(one), rank]));
  const place = (/** @type {Card} */ card) => rankOf.get(refKey(card.policy)) ?? Infinity;
  return cards.sort(
    (a, b) => place(a) - place(b) || (a.rule?.index ?? Infinity) - (b.rule?.index ?? Infinity),
  );
}
