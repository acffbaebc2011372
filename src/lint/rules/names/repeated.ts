// NG034: names that mean what another name of the rule means already. Of two equal ones the second is the repetition.

import { hostNamesLike } from "../../../model/selectors/host-names.ts";
import { selectorImplies } from "../../implication/implication.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule } from "../../draft.ts";
import { namesWritten, namingRules } from "./naming.ts";

export function* repeatedNames(context: Context): Generator<Draft> {
  for (const [entry] of namingRules(context)) {
    const all = namesWritten(context, entry).flatMap((written) => {
      const names = hostNamesLike(written.text);
      return names === null ? [] : [{ ...written, names }];
    });
    for (const [at, { path, text, names }] of all.entries()) {
      const other = all.find((one, place) => {
        if (place === at || !selectorImplies(names, one.names)) return false;
        return place < at || !selectorImplies(one.names, names);
      });
      if (other === undefined) continue;
      const isSame = names.text === other.names.text;
      yield {
        ...{ severity: "info", target: ofRule(entry), field: path, about: `${text} in ${other.text} ${at}` },
        message: isSame
          ? `${text} means what ${other.text} means, which the rule has too`
          : `${other.text}, which the rule has too, matches ${text}`,
        fix: "remove it",
        edit: { op: "removeItem", from: text, beside: [] },
      };
    }
  }
}
