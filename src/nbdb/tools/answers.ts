// What the rows of `--nb` say of a connection beside what the policies say, and where the two differ: in the verdict, in the
// rule that decides on a side, and then in which rows are missing, extra or altered. A side whose pod has no port in these rows
// is not compared: in a cluster with a database for each node, it is another database's.

import type { Ref } from "../../analysis/ref.ts";
import { everyDialect } from "../../dialects.ts";
import type { Answer, Side } from "../../explain/answer.ts";
import { printable } from "../../model/quote.ts";
import type { Owners } from "../rows/owners.ts";
import { isolationOwnerType, keys, portOfPod } from "../rows/names.ts";
import { podKey } from "../../model/facts.ts";
import type { RenderedModel } from "../../offline/rendered.ts";
import type { PolicyKindTraits } from "../../policy/contracts/dialect.ts";
import type { Direction } from "../../policy/ir.ts";
import { compareDecided } from "../../policy/order.ts";
import { unnamedSourcePort } from "../../policy/ports/source-ports.ts";
import type { RowAcl, RowConnection, RowDifference, RowSide, RowVerdict } from "../audit/index.ts";
import type { DatabaseRows } from "../audit/index.ts";
import { differenceText, evaluateRows } from "../audit/index.ts";
import { rowDifferences } from "./existing.ts";

export interface RowsAnswer {
  readonly verdict: RowVerdict;
  /** null: not asked. */
  readonly egress: RowSide | null;
  readonly ingress: RowSide | null;
  /** The verdict and the deciding rule are the policies'. */
  readonly agrees: boolean;
  /** None where they agree. */
  readonly differences: readonly string[];
  /** What leaves the rows' verdict open, and ends without a port. */
  readonly notes: readonly string[];
}

type Ids = Readonly<Record<string, string>>;

const shownDifferences = 10;
const nothing: RowSide = { verdict: "allow", acls: [] };

export class AskedRows {
  readonly #standing: DatabaseRows;
  readonly #model: RenderedModel;
  readonly #idsOf: ReadonlyMap<string | null, Ids>;
  readonly #owners: Owners | undefined;
  readonly #sourcePort: number | undefined;
  #differences: readonly RowDifference[] | null = null;

  /** `owners`: of the rows of policies; every kind's unless given. */
  constructor(standing: DatabaseRows, model: RenderedModel, owners?: Owners) {
    this.#standing = standing;
    this.#model = model;
    this.#owners = owners;
    this.#sourcePort = unnamedSourcePort(model.policies());
    this.#idsOf = new Map(
      standing.records.ACL.map((row) => [row.uuid ?? row.external_ids[keys.id] ?? null, row.external_ids]),
    );
  }

  /** Between all rows of policies and what the policies ask for. */
  get differences(): readonly RowDifference[] {
    return (this.#differences ??= rowDifferences(this.#standing, this.#model, this.#owners));
  }

  answer(answer: Answer): RowsAnswer {
    const { from, to } = answer;
    // Such a packet never reaches its switch.
    if (from.kind === "pod" && from.pod === to.pod)
      return {
        ...told(answer, { egress: nothing, ingress: nothing }),
        agrees: true,
        differences: [],
        notes: [],
      };
    const connection = connectionOf(answer, this.#sourcePort);
    if (connection === null) return unaddressed(answer);
    const { egress, ingress, caveats } = evaluateRows(this.#standing, connection);
    const [fromHere, toHere] = [this.#isHere(connection.from), this.#isHere(connection.to)];
    const differing = [
      ...(fromHere ? this.#differing("egress", answer.egress, egress) : []),
      ...(toHere ? this.#differing("ingress", answer.ingress, ingress) : []),
    ];
    return {
      ...told(answer, { egress, ingress }),
      agrees: differing.length === 0,
      differences: differing.length === 0 ? [] : [...differing, ...this.#involved(answer, [egress, ingress])],
      notes: [
        ...caveats.map(({ code, text }) => `${code}: ${text}`),
        ...(fromHere ? [] : [`${printable(from.pod ?? "")} has no port in these rows`]),
        ...(toHere ? [] : [`${printable(to.pod ?? "")} has no port in these rows`]),
      ],
    };
  }

  /** An address outside needs no port; a file without switches shows no port that no group has. */
  #isHere({ port }: RowConnection["from"]): boolean {
    const rows = this.#standing;
    return port === null || rows.records.Logical_Switch === null || rows.switchOf(port) !== null;
  }

  #differing(direction: Direction, side: Side | null, rows: RowSide): readonly string[] {
    if (side === null || side.verdict === "unknown") return [];
    const decide = rows.acls.filter(({ action }) => action !== "pass");
    const wanted = ownersOf(side).map((owner) => deciderText({ ...owner, direction }));
    // Of policies that tie and end alike, any may decide.
    const isSame =
      side.by === "tie" ||
      decide.some((acl) => this.#tiedWith(side).has(ownerText(deciderOf(this.#idsOfAcl(acl))))) ||
      (wanted.length === 0
        ? decide.length === 0
        : decide.some((acl) => wanted.includes(deciderText(deciderOf(this.#idsOfAcl(acl))))));
    if (rows.verdict === side.verdict && isSame) return [];
    const who = decide.length === 0 ? "no ACL decides" : decide.map(aclText).join(" and ");
    return [
      `${direction}: the policies say ${side.verdict} (${sideText(side)}), the rows ${rows.verdict} (${who})`,
    ];
  }

  /** The other policies of the decider's tier and priority, but for those whose order with it is decided by a text. */
  #tiedWith({ policy }: Side): ReadonlySet<string> {
    if (policy === undefined) return new Set();
    const own = ownerText({ ...ownerOfRef(policy), index: "" });
    const owners = this.#model.policies().map((one) => {
      return { one, text: ownerText({ ...ownerOfRef(one.ref), index: "" }) };
    });
    const decider = owners.find(({ text }) => text === own)?.one;
    if (decider === undefined) return new Set();
    const others = owners.filter(({ one, text }) => text !== own && compareDecided(one, decider) === 0);
    return new Set(others.map(({ text }) => text));
  }

  #idsOfAcl({ uuid, id }: RowAcl): Ids {
    return this.#idsOf.get(uuid ?? id) ?? {};
  }

  /** Rows of the policies that decide on either account are first; rows that policies share may belong to any of them. */
  #involved(answer: Answer, sides: readonly RowSide[]): readonly string[] {
    const owners = new Set([
      ...[answer.egress, answer.ingress].flatMap((side) =>
        (side === null ? [] : ownersOf(side)).map(ownerText),
      ),
      ...sides.flatMap(({ acls }) => acls.map((acl) => ownerText(deciderOf(this.#idsOfAcl(acl))))),
    ]);
    const isInvolved = ({ externalIds }: RowDifference): boolean =>
      owners.has(ownerText(deciderOf(externalIds)));
    const sorted = this.differences.toSorted((a, b) => Number(isInvolved(b)) - Number(isInvolved(a)));
    const more = sorted.length - shownDifferences;
    return [
      ...sorted.slice(0, shownDifferences).map(differenceText),
      ...(more > 0 ? [`${more} more rows differ`] : []),
    ];
  }
}

/** The sides in question, and their verdicts. */
function told(asked: Pick<Answer, Direction>, rows: Readonly<Record<Direction, RowSide>>) {
  const egress = asked.egress === null ? null : rows.egress;
  const ingress = asked.ingress === null ? null : rows.ingress;
  return { verdict: overall([egress, ingress].filter((side) => side !== null)), egress, ingress };
}

function overall(sides: readonly RowSide[]): RowVerdict {
  const verdicts = sides.map(({ verdict }) => verdict);
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("unknown") ? "unknown" : "allow";
}

/** null: an end has no address. */
function connectionOf(
  { from, to, protocol, port }: Answer,
  sourcePort: number | undefined,
): RowConnection | null {
  const end = ({ ip, pod, kind }: Answer["from"]): RowConnection["from"] | null => {
    const [namespace = "", name = ""] = pod?.split("/") ?? [];
    return ip === null ? null : { ip, port: kind === "pod" ? portOfPod(podKey(namespace, name)) : null };
  };
  const [source, target] = [end(from), end(to)];
  if (source === null || target === null) return null;
  return {
    ...{ from: source, to: target, protocol, port: port ?? 0 },
    ...(sourcePort === undefined ? {} : { sourcePort }),
  };
}

/** Rows are about addresses and ports that are there. */
function unaddressed(answer: Answer): RowsAnswer {
  const unknown: RowSide = { ...nothing, verdict: "unknown" };
  return {
    ...told(answer, { egress: unknown, ingress: unknown }),
    ...{ agrees: true, differences: [], notes: ["an end has no address yet: no rows are about it"] },
  };
}

/** Whose row decides, by the row's external_ids. */
interface Owner {
  readonly type: string;
  readonly name: string;
  /** Of the rule; `default`: what no rule matches. */
  readonly index: string;
}

/** The rows of any of these may decide; none: no row does. */
function ownersOf(side: Side): readonly Owner[] {
  const { by, policy, policies = [], rule } = side;
  if (by === "rule" && policy !== undefined && rule !== undefined)
    return [{ ...ownerOfRef(policy), index: String(rule.index) }];
  return by === "isolation" ? policies.map(isolationOf) : [];
}

/** As the external_ids of a policy's own rows name it. */
export function ownerOfRef({ group, kind, namespace, name }: Ref): Omit<Owner, "index"> {
  // Nobody's object: the rows by which nodes reach their own pods are named by their kind.
  const type = kindOf({ group, kind })?.ownerType ?? kind;
  return { type, name: namespace === null ? name : `${namespace}:${name}` };
}

function isolationOf(policy: Ref): Owner {
  return isIsolating(policy)
    ? { type: isolationOwnerType, name: policy.namespace ?? "", index: "default" }
    : { ...ownerOfRef(policy), index: "default" };
}

/** Whether the default denies of the policy's kind are in the isolation of its namespace. */
export function isIsolating(policy: Pick<Ref, "group" | "kind">): boolean {
  return kindOf(policy)?.rowForm?.sets === "networkPolicy";
}

function kindOf({ group, kind }: Pick<Ref, "group" | "kind">): PolicyKindTraits | null {
  return everyDialect.policies.find((one) => one.group === group && one.kind === kind) ?? null;
}

function deciderOf(ids: Ids): Owner & { readonly direction: string } {
  const isolates = ids[keys.type] === "defaultDeny" ? "default" : "";
  return {
    type: ids[keys.ownerType] ?? "",
    name: ids[keys.name] ?? "",
    direction: (ids[keys.direction] ?? "").toLowerCase(),
    index: ids[keys.index] ?? isolates,
  };
}

function ownerText({ type, name }: Owner): string {
  return `${type} ${name}`;
}

function deciderText(decider: Owner & { readonly direction: string }): string {
  return `${ownerText(decider)} ${decider.direction} ${decider.index}`;
}

function aclText({ id, uuid, tier, priority, action }: RowAcl): string {
  return `ACL ${printable(id ?? uuid ?? "")}, tier ${tier}, priority ${priority}, ${action}`;
}

function sideText({ by, policy, rule }: Side): string {
  if (by === "rule" && policy !== undefined && rule !== undefined)
    return `${policy.kind} ${printable(policy.name)} ${rule.direction}[${rule.index}]`;
  return { rule: "a rule", isolation: "isolation", default: "no policy", exempt: "exempt", tie: "a tie" }[by];
}
