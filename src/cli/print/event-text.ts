// One line of what was seen, for people:
// `12:00:01 dropped  shop/web → db/pg tcp 5432  AdminNetworkPolicy deny-db ingress[2]`.

import { styleText } from "node:util";
import { printable } from "../../model/quote.ts";
import type { SeenEnd, SeenEvent } from "../../observe/decode/event.ts";
import { placeText, policyText } from "../../observe/rule.ts";

const paints = { allowed: "green", dropped: "red", rejected: "red", passed: "dim" } as const;
/** Of the longest verdict. */
const wide = "rejected".length;

/** The time is that of the machine. `node`: where it was seen, if several are asked. */
export function eventText(event: SeenEvent, colours: boolean, node?: string): string {
  const { verdict, rule, number, connection } = event;
  const word = (verdict ?? "unknown").padEnd(wide);
  const painted =
    colours && verdict !== null ? styleText(paints[verdict], word, { validateStream: false }) : word;
  const judge =
    rule === null ? `sample ${number} of no rule` : `${printable(policyText(rule))} ${placeText(rule)}`;
  const later = connection === "established" ? " (established)" : "";
  const place = node === undefined ? "" : `${printable(node)} `;
  return `${timeText(event.time)} ${place}${painted} ${connectionText(event)}${later}  ${judge}\n`;
}

function timeText(time: string): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function connectionText({ from, to, protocol, port, icmp, isReply }: SeenEvent): string {
  const what = typeof protocol === "number" ? `protocol ${protocol}` : protocol;
  const number = icmp === null ? port : `type ${icmp.type}`;
  const arrow = isReply === null ? "↔" : "→";
  return `${endText(from)} ${arrow} ${endText(to)} ${what}${number === null ? "" : ` ${number}`}`;
}

function endText({ ip, pod }: SeenEnd): string {
  return pod === null ? ip : printable(`${pod.namespace}/${pod.name}`);
}
