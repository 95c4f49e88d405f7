import { site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { createSoftPasskey } from "@pdpp/test-support/web/soft-passkey";
import { type Stage, stage } from "../../../tests/oauth/agent.ts";
import type { Attack } from "../attack.ts";
import { createTrials } from "../trials.ts";
import { withSample } from "../web/visitor.ts";

/** Signs in with passkeys that are wrong in every way, using a software authenticator. */

const here = { origin: site };
const flips = 60;

function findChallenge(page: VisitedPage): string {
  const options = /data-options="([^"]+)"/.exec(page.html)?.[1]?.replaceAll("&quot;", '"') ?? "{}";
  return JSON.parse(options).challenge ?? "";
}

/** Every try in its own minute, so that the limit on attempts does not answer for the check. */
async function enter(on: Stage, answer: (challenge: string) => string): Promise<VisitedPage> {
  on.wait(61_000);
  const person = on.owner();
  const page = await person.open(`${site}/sign-in`);
  return person.send(page, { answer: answer(findChallenge(page)) }, "/sign-in/passkey");
}

async function signInByLink(on: Stage): Promise<Person> {
  const person = on.owner();
  await person.send(await person.open(`${site}/sign-in`), { code: await on.code() });
  return person;
}

/** Changes one bit of a field of the response. */
function flip(answer: string, field: "signature" | "authenticatorData" | "clientDataJSON", n: number): string {
  const parsed: { response: Record<string, string> } = JSON.parse(answer);
  const bytes = Buffer.from(parsed.response[field] ?? "", "base64url");
  const at = (n * 7) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (n % 8));
  return JSON.stringify({ ...parsed, response: { ...parsed.response, [field]: bytes.toString("base64url") } });
}

export const forgedPasskeys: Attack = {
  name: "forging passkeys",
  engines: ["sqlite", "postgres"],
  run: (target) =>
    withSample(target, async (store) => {
      const trials = createTrials();
      const on = stage({ store });
      const owner = await signInByLink(on);
      const passkey = createSoftPasskey();
      const browsers = await owner.open(`${site}/browsers`);
      await owner.send(browsers, { answer: passkey.create(findChallenge(browsers), here) }, "/passkeys");

      let used = "";
      const good = await enter(on, (challenge) => {
        used = passkey.get(challenge, here);
        return used;
      });
      // Without this, nothing below proves anything.
      if (good.url !== `${site}/`)
        return { held: "not tried", figure: `the right passkey does not sign in: ${good.status}` };

      const wrong: readonly (readonly [string, (challenge: string) => string])[] = [
        ["another site", (challenge) => passkey.get(challenge, { origin: "https://evil.example" })],
        ["another port", (challenge) => passkey.get(challenge, { origin: "http://localhost:3000", rpId: "localhost" })],
        ["another host name", (challenge) => passkey.get(challenge, { ...here, rpId: "evil.example" })],
        ["no user verification", (challenge) => passkey.get(challenge, { ...here, flags: 0x01 })],
        ["nobody present", (challenge) => passkey.get(challenge, { ...here, flags: 0x04 })],
        ["an invented challenge", () => passkey.get("AAAA", here)],
        ["no challenge", () => passkey.get("", here)],
        ["another passkey", (challenge) => createSoftPasskey().get(challenge, here)],
        ["a registration", (challenge) => passkey.create(challenge, here)],
        ["a replay", () => used],
        ["nonsense", () => "{"],
        ["a list", () => "[]"],
        ["null", () => "null"],
        ["a deep object", () => "[".repeat(20_000)],
        ["prototype keys", () => '{"__proto__":{"id":"x"},"response":{"constructor":1}}'],
        ["a challenge for adding a passkey", () => passkey.get(findChallengeForAdding, here)],
        [
          "an old challenge",
          (challenge) => {
            on.wait(301_000);
            return passkey.get(challenge, here);
          },
        ],
      ];
      const findChallengeForAdding = findChallenge(await (await signInByLink(on)).open(`${site}/browsers`));
      for (const [how, answer] of wrong) trials.note(how, (await enter(on, answer)).status === 403);
      for (const field of ["signature", "authenticatorData", "clientDataJSON"] as const)
        for (let n = 0; n < flips / 3; n += 1) {
          const { status } = await enter(on, (challenge) => flip(passkey.get(challenge, here), field, n));
          trials.note(`bit ${n} of ${field} flipped: ${status}`, status === 403);
        }
      // Two browsers answer the same challenge at once: one of them signs in.
      const page = await on.owner().open(`${site}/sign-in`);
      const answer = passkey.get(findChallenge(page), here);
      const both = await Promise.all(
        Array.from({ length: 6 }, () => on.owner().send(page, { answer }, "/sign-in/passkey")),
      );
      trials.note("one challenge signed in twice", both.filter(({ url }) => url === `${site}/`).length === 1);
      return trials.conclude("false ceremonies were rejected");
    }),
};
