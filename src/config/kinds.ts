// Which kinds of policy a command reads: the policy model, and the flags that switch kinds on. Refuses what does not go together.

import { backendDefaults } from "../backends.ts";
import type { Cni } from "../cni/answers.ts";
import { cniFlag, cniNamed } from "../cni/answers.ts";
import { everyKind, otherModelOf, otherModels } from "../dialects.ts";
import type { FlagOptions, Flags } from "../policy/contracts/flags.ts";
import { defaultsOf } from "../policy/contracts/flags.ts";
import type { OtherModel } from "../policy/contracts/policy-model.ts";
import { modelFlag } from "../policy/contracts/policy-model.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

interface KindValues {
  readonly given: (flag: string) => Value | null;
  readonly flagsOf: (otherwise: Flags) => Flags;
}

/** `writes`: the command keeps rows in a database. `judges`: it asks for verdicts, too. */
type Use = "writes" | "renders" | "judges";

/** The default model is not among the flags, nor are options of a model that is not chosen. */
export function parseKinds({ given, flagsOf }: KindValues, use: Use): Flags {
  const kinds = flagsOf(everyKind);
  const cni = cniNamed(given(cniFlag)?.text);
  if (cni !== null) return kindsOfPlugin(cni, kinds, { given, flagsOf });
  const chosen = given(modelFlag);
  const model = chosen === null ? null : otherModelOf({ [modelFlag]: chosen.text });
  refuseOptionsOfOthers(model, given, use);
  if (chosen === null || model === null) return kinds;
  for (const { flag, values, mustBeGiven, reason } of model.demands) {
    const value = given(flag);
    if (value === null && mustBeGiven && use === "writes")
      throw new UsageError(`--${modelFlag} ${model.name} needs --${flag} ${values.join(" or ")}: ${reason}`);
    if (value !== null && !values.includes(value.text))
      throw new UsageError(
        `${value.from} ${value.text} does not go with --${modelFlag} ${model.name}: ${reason}`,
      );
  }
  return { ...kinds, [modelFlag]: model.name, ...flagsOf(defaultsOf(optionsOf(model))) };
}

/** The kinds that the plugin enforces, without flags of rows and of what writes them. */
function kindsOfPlugin(cni: Cni, kinds: Flags, { given, flagsOf }: KindValues): Flags {
  const model = cni.model === null ? null : otherModelOf({ [modelFlag]: cni.model });
  const options = model === null ? {} : model.options;
  const ofModels = otherModels.flatMap((one) => [
    ...Object.keys({ ...one.options, ...one.placeOptions, ...one.othersOptions }),
  ]);
  const meaningless = [...ofRows, modelFlag, ...Object.keys(backendDefaults), ...ofModels];
  for (const flag of meaningless.filter((one) => !(one in options))) {
    const from = given(flag)?.from;
    if (from !== undefined) throw new UsageError(`${from}: has no meaning with --${cniFlag} ${cni.name}`);
  }
  const ofModel = model === null ? {} : { [modelFlag]: model.name, ...flagsOf(defaultsOf(options)) };
  return { ...kinds, ...ofModel, [cniFlag]: cni.name };
}

/** Flags of the database of OVN, and of the node that rows are for. */
const ofRows = ["nb", "nb-private-key", "nb-certificate", "nb-ca-cert", "backend", "zone"];

function refuseOptionsOfOthers(model: OtherModel | null, given: KindValues["given"], use: Use): void {
  for (const other of otherModels.filter((one) => one !== model)) {
    const judged = use === "judges" ? other.othersOptions : {};
    for (const flag of Object.keys({ ...optionsOf(other), ...judged })) {
      const from = given(flag)?.from;
      if (from !== undefined)
        throw new UsageError(`${from}: has no meaning without --${modelFlag} ${other.name}`);
    }
  }
}

function optionsOf({ options, placeOptions }: OtherModel): FlagOptions {
  return { ...options, ...placeOptions };
}
