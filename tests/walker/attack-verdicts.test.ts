import { expect, it } from "vitest";
import { scaleLimit } from "../../programs/attack/control-server.ts";
import { parseVerdicts, summarizeVerdicts } from "../../programs/attack/verdicts.ts";

it("[MEAS-8] scales limits with the control server, and gives up if even that is slow", () => {
  expect([scaleLimit(100, 0.5), scaleLimit(100, 5), scaleLimit(100, 50)]).toEqual([100, 100, 1000]);
  expect(scaleLimit(100, 1000)).toBeUndefined();
});

it("[MEAS-8] does not count an attack that was not tried as held", () => {
  expect(summarizeVerdicts([true, true])).toEqual({ isHeld: true, text: "all 2 attacks held" });
  expect(summarizeVerdicts([true, "not tried"])).toEqual({ isHeld: false, text: "1 held, 0 failed, 1 not tried" });
  expect(summarizeVerdicts([false, "not tried"])).toEqual({ isHeld: false, text: "0 held, 1 failed, 1 not tried" });
  expect(summarizeVerdicts([])).toMatchObject({ isHeld: false });
});

it("[MEAS-8] takes only verdicts from the processes of the engines", () => {
  expect(parseVerdicts([true, false, "not tried"])).toEqual([true, false, "not tried"]);
  for (const damaged of [undefined, "held", ["held"], [null]]) expect(() => parseVerdicts(damaged)).toThrow();
});
