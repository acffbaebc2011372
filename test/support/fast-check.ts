// fast-check, as the tests see it (jest.config.js maps the name to this file). CI judges a commit, and the same commit must get
// the same answer: there every property starts from one seed. Elsewhere each run has a seed of its own, which a failure
// prints; `SEED=` gives the seed everywhere.

// By its path: the name leads here.
import fc from "../../node_modules/fast-check/lib/fast-check.js";

const seedOfCi = 20_261_127;

const text = process.env["SEED"] ?? "";
if (text !== "") fc.configureGlobal({ seed: Number(text) });
else if (process.env["CI"] === "true") fc.configureGlobal({ seed: seedOfCi });

export * from "../../node_modules/fast-check/lib/fast-check.js";
export default fc;
