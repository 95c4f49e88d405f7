import fc from "fast-check";

/**
 * Property tests draw the same cases every time, so a failing run is caused by the change being tested. `PDPP_SEED=random` (or a number)
 * draws other cases, to search for bugs.
 */
const { PDPP_SEED: wanted = "20261117" } = process.env;
if (wanted !== "random") fc.configureGlobal({ seed: Number(wanted) });
