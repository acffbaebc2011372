// The answer where a question is about many ends: one for each group of pairs that has the same verdict by the same rules. The
// engine says which ends every rule sees alike; each pair of such classes is asked about once. Never meant are a pod to itself and
// an address to an address. Invariant: each pair that is meant is in exactly one group, with the verdict that `explain` gives it.

import { NoSuchEnd } from "../../analysis/end-query.ts";
import type { EndSet } from "../../analysis/end-sets.ts";
import { quote } from "../../model/quote.ts";
import type { Connection } from "../../policy/evaluate.ts";
import type { AnsweredEnds, AnsweredGroup, AnsweredVerdict, Caveat, ManyAnswer } from "../answer.ts";
import { portIn } from "../asked-port.ts";
import type { AskedWorld, NamedSet } from "../asked.ts";
import type { EndClass } from "./end-classes.ts";
import { EndClasses, joinedEnds, shownEnds } from "./end-classes.ts";
import type { Question } from "../question.ts";
import { endSides } from "./end-sides.ts";
import type { Sides } from "../side.ts";
import type { ExplainOptions } from "../sides.ts";

/** What a pair of classes has. */
interface Outcome {
  /** Equal for equal verdicts by the same rules, on the same port. */
  readonly text: string;
  readonly port: number | null;
  readonly sides: Sides;
}

/** Throws NoSuchEnd. */
export function explainMany(
  asked: AskedWorld,
  question: Question,
  { source, target }: Readonly<Record<"source" | "target", NamedSet>>,
  options: ExplainOptions,
): ManyAnswer {
  if (target.set.service !== null)
    throw new NoSuchEnd(`${quote(target.text)} is a Service: explain is asked about one source`);
  const classes = new EndClasses(asked, [source.set, target.set], question);
  const [froms, tos] = [classes.of(source.set), classes.of(target.set)];
  const told = new Told(asked, question, classes, { ...options, isDetailed: false });
  const groups = new Map<
    string,
    { readonly from: EndClass[]; readonly to: readonly EndClass[]; readonly outcome: Outcome }
  >();
  for (const from of froms) {
    for (const { outcome, to } of told.from(from, tos)) {
      // A pod is one end, whichever family a pair of ends has in common.
      const key = `${outcome.text} ${JSON.stringify(joinedEnds(to))}`;
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { from: [from], to, outcome });
      else known.from.push(from);
    }
  }
  const all = [...groups.values()].map(({ from, to, outcome }): AnsweredGroup => {
    const { verdict, egress, ingress } = outcome.sides;
    const ends = { from: joinedEnds(from), to: joinedEnds(to) };
    return { ...ends, port: outcome.port, verdict, egress, ingress };
  });
  if (all.length === 0)
    throw new NoSuchEnd(
      `${quote(source.text)} and ${quote(target.text)} have no connection that policies could be about`,
    );
  const verdicts = new Set(all.map(({ verdict }) => verdict));
  const [first] = verdicts;
  return {
    from: shown(source.text, source.set),
    to: shown(target.text, target.set),
    ...{ protocol: question.protocol, port: question.port },
    verdict: verdicts.size === 1 && first !== undefined ? first : "mixed",
    groups: all.sort((a, b) => ranks.indexOf(a.verdict) - ranks.indexOf(b.verdict)),
    caveats: told.caveats(),
  };
}

const ranks: readonly AnsweredVerdict[] = ["deny", "unknown", "allow"];

function shown(text: string, set: EndSet): AnsweredEnds & { readonly text: string } {
  return { text, ...shownEnds(set) };
}

/** Asks about pairs of classes, and keeps what was answered: pairs that meet the same rules are asked once. */
class Told {
  readonly #asked: AskedWorld;
  readonly #question: Question;
  readonly #classes: EndClasses;
  readonly #options: ExplainOptions;
  readonly #known = new Map<string, Outcome>();
  readonly #caveats = new Map<string, Caveat>();

  constructor(asked: AskedWorld, question: Question, classes: EndClasses, options: ExplainOptions) {
    this.#asked = asked;
    this.#question = question;
    this.#classes = classes;
    this.#options = options;
  }

  caveats(): readonly Caveat[] {
    return [...this.#caveats.values()];
  }

  /** The destinations by what the source has with them. */
  from(
    from: EndClass,
    tos: readonly EndClass[],
  ): readonly { readonly outcome: Outcome; readonly to: readonly EndClass[] }[] {
    const found = new Map<string, { readonly outcome: Outcome; readonly to: EndClass[] }>();
    for (const to of tos) {
      const outcome = this.#outcome(from, to);
      if (outcome === null) continue;
      const known = found.get(outcome.text);
      if (known === undefined) found.set(outcome.text, { outcome, to: [to] });
      else known.to.push(to);
    }
    return [...found.values()];
  }

  /** null: no connection is meant, or the destination has no port of that name. */
  #outcome(from: EndClass, to: EndClass): Outcome | null {
    const pair = this.#classes.pairOf(from, to);
    const port = portIn(this.#question, to.facts);
    if (pair === null || port === undefined) return null;
    const { protocol } = this.#question;
    const key = `${this.#classes.meeting(from, to, pair)} ${port ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const connection: Connection = { ...pair, protocol, port: port ?? 0 };
    const workloads = { from: from.workloads[0] ?? null, to: to.workloads[0] ?? null };
    const pods = { from: from.pods[0] ?? null, to: to.pods[0] ?? null };
    const sides = endSides(this.#asked, connection, { workloads, pods }, this.#options);
    for (const caveat of sides.caveats) this.#caveats.set(`${caveat.code} ${caveat.text}`, caveat);
    const { verdict, egress, ingress } = sides;
    const made = { text: JSON.stringify([port, verdict, egress, ingress]), port, sides };
    this.#known.set(key, made);
    return made;
  }
}
