// A jest setup file: every property starts from one seed, so that two runs of the mutants give one table, and a property that
// fails is not made smaller, since nobody looks at it.

import fc from "fast-check";

fc.configureGlobal({ seed: 20_26, endOnFailure: true });
