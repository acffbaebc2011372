// The flags of the list of dialects (src/dialects.ts), as settings: first the one that chooses among policy models, then those of one
// model, then those that switch kinds on, then those of one dialect.

import { otherModels, policyModels, switchedDialects } from "../../dialects.ts";
import type { OtherModel } from "../../policy/contracts/policy-model.ts";
import { modelFlag } from "../../policy/contracts/policy-model.ts";
import type { SwitchedDialect } from "../../policy/contracts/switched-dialect.ts";
import { booleans } from "../choices.ts";
import type { Setting } from "../setting.ts";
import { comparing, readers, renderers, runners } from "../setting.ts";

const ofModels: Setting = {
  flag: modelFlag,
  commands: renderers,
  argument: "MODEL",
  help: "which kinds of policy there are, and the order of all of them together",
  choices: policyModels,
  fallback: policyModels[0] ?? null,
  chartValue: "policyModel",
};

export const ofDialects: readonly Setting[] = [
  ofModels,
  ...otherModels.flatMap(modelSettings),
  ...switchedDialects.flatMap(switchSettings),
  ...onlyOnce(switchedDialects.flatMap(optionSettings)),
];

/** Dialects may have an option together. */
function onlyOnce(found: readonly Setting[]): readonly Setting[] {
  return [...new Map(found.map((setting) => [setting.flag, setting])).values()];
}

/** How a cluster is read, for commands that may ask one, and places for all that have rows. */
function modelSettings({ options, placeOptions, othersOptions }: OtherModel): readonly Setting[] {
  const commands = [...runners, "plan", ...readers] as const;
  return [
    ...Object.entries(options).map(([flag, option]) => ({ flag, commands, ...option })),
    ...Object.entries(placeOptions).map(([flag, option]) => ({ flag, commands: renderers, ...option })),
    ...Object.entries(othersOptions).map(([flag, option]) => ({ flag, commands: comparing, ...option })),
  ];
}

function switchSettings({ switch: own }: SwitchedDialect): readonly Setting[] {
  const { flag, isOn, help, renderHelp, chartValue } = own;
  const shared = { flag, argument: "BOOLEAN", choices: booleans };
  const ofRun: Setting = {
    ...{ ...shared, commands: runners, help, fallback: String(isOn) },
    ...(chartValue === undefined ? {} : { chartValue }),
  };
  if (renderHelp === null) return [ofRun];
  return [ofRun, { ...shared, commands: ["render"], help: renderHelp, fallback: "true" }];
}

function optionSettings({ options }: SwitchedDialect): readonly Setting[] {
  return Object.entries(options).map(([flag, option]) => ({ flag, commands: renderers, ...option }));
}
