import fc from "fast-check";

/**
 * Property tests draw the same cases every time, so that a red run is about the change at hand. `PDPP_SEED=random` (or a number)
 * draws others: that is for looking for faults, not for telling whether a change is sound.
 */
const { PDPP_SEED: wanted = "20261117" } = process.env;
if (wanted !== "random") fc.configureGlobal({ seed: Number(wanted) });
