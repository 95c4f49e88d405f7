import { origin, stage } from "../../../tests/oauth/agent.ts";
import { createDeviceClient, enterCode } from "../../../tests/oauth/device.ts";
import type { Attack } from "../attack.ts";
import { createTrials } from "../trials.ts";
import { withSample } from "../web/visitor.ts";

/** Guesses the codes of a device that is waiting for the owner, in one minute of a stopped clock. */

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const maxTries = 1500;
/** A user code has 8 of 20 letters and is valid for ten minutes. */
const userCodes = 20 ** 8;
const minutesValid = 10;
const acceptedChance = 1e-6;
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const buildCode = (n: number): string =>
  Array.from({ length: 8 }, (_, place) => letters[Math.floor(n / 20 ** place) % 20])
    .join("")
    .replace(/(.{4})/, "$1-");

export const guessedDeviceCodes: Attack = {
  name: "guessing device codes",
  engines: ["sqlite", "postgres"],
  run: (target) =>
    withSample(target, async (store) => {
      const trials = createTrials();
      const on = stage({ store });
      on.freeze();
      const device = await createDeviceClient(on);
      const thief = await createDeviceClient(on);
      const asked = await device.begin();

      const agent = on.as(thief.clientId, "");
      let [polls, status] = [0, 0];
      for (; polls < maxTries && status !== 429; polls += 1) {
        const answer = await agent.token({ grant_type: deviceGrant, device_code: `guess-${polls}` });
        status = answer.status;
        if (status === 200) trials.note("an invented device code was accepted", false);
      }
      trials.note(`device codes can be guessed without end: ${polls} tries`, status === 429);
      trials.note("another client polls with the device code", (await thief.poll(asked)).status >= 400);

      // A stranger is sent to sign in, whatever the code.
      const body = new URLSearchParams({ user_code: asked.user_code, confirm: "yes" });
      const forced = await on.fetch(new Request(`${origin}/device`, { method: "POST", body }));
      trials.note("a stranger entered a code", forced.headers.get("location")?.includes("/sign-in") === true);

      // Even in the owner's browser, for instance a page that submits the form, guesses are limited.
      const owner = on.owner();
      let page = await enterCode(on, owner, buildCode(0));
      let guesses = 1;
      for (; guesses < maxTries && page.status !== 429; guesses += 1)
        page = await owner.send(await owner.open(`${origin}/device`), { user_code: buildCode(guesses * 7919) });
      trials.note(`user codes can be guessed without end: ${guesses} tries`, page.status === 429);
      const chance = (guesses * minutesValid) / userCodes;
      trials.note(`the chance of a guess is ${chance}`, chance < acceptedChance);

      // The real flow still works in the next minute, and once.
      on.wait(61_000);
      await device.approve(asked);
      trials.note("the owner's code works", (await device.poll(asked)).status === 200);
      on.wait(61_000);
      trials.note("the code works twice", (await device.poll(asked)).status >= 400);
      return trials.conclude(
        `checks held; device codes limited after ${polls} guesses a minute, user codes after ${guesses} (chance ${chance.toExponential(0)})`,
      );
    }),
};
