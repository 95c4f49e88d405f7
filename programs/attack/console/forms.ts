import type { Attack } from "../attack.ts";
import { asOwner, startServing } from "../served.ts";
import { createTrials } from "../trials.ts";
import { createSignInUrl, formatCookies, loadCsrfToken, signIn, withSample } from "../web/visitor.ts";

/** Every form of the console, forged in every way and malformed in every way. */

interface Sender {
  readonly cookie: string;
  readonly origin: string;
  readonly csrfToken: string;
  readonly otherCookie: string;
}

type Headers = Record<string, string>;
const form = "application/x-www-form-urlencoded";
const encodeToken = (csrfToken: string): string => String(new URLSearchParams({ csrf_token: csrfToken }));

const forgeries: readonly (readonly [how: string, build: (sender: Sender) => readonly [Headers, string]])[] = [
  ["no token", ({ cookie, origin }) => [{ cookie, origin }, ""]],
  ["an invented token", ({ cookie, origin }) => [{ cookie, origin }, "csrf_token=x"]],
  ["a longer token", ({ cookie, origin, csrfToken }) => [{ cookie, origin }, `${encodeToken(csrfToken)}x`]],
  ["a truncated token", ({ cookie, origin, csrfToken }) => [{ cookie, origin }, encodeToken(csrfToken).slice(0, -1)]],
  ["the token in the address", ({ cookie, origin }) => [{ cookie, origin }, "csrf_token="]],
  ["two tokens", ({ cookie, origin, csrfToken }) => [{ cookie, origin }, `csrf_token=x&${encodeToken(csrfToken)}`]],
  [
    "another session",
    ({ otherCookie, origin, csrfToken }) => [{ cookie: otherCookie, origin }, encodeToken(csrfToken)],
  ],
  ["another site", ({ cookie, csrfToken }) => [{ cookie, origin: "https://evil.example" }, encodeToken(csrfToken)]],
  ["a sandboxed frame", ({ cookie, csrfToken }) => [{ cookie, origin: "null" }, encodeToken(csrfToken)]],
  ["another port", ({ cookie, csrfToken }) => [{ cookie, origin: "http://localhost:3000" }, encodeToken(csrfToken)]],
];

/** With a valid session, from the right site. */
const malformed: readonly (readonly [type: string | undefined, build: (csrfToken: string) => string])[] = [
  [undefined, () => ""],
  ["text/plain", (csrfToken) => `csrf_token=${csrfToken}`],
  ["application/json", () => "{"],
  ["application/json", (csrfToken) => JSON.stringify({ csrf_token: csrfToken, __proto__: { act: "allow" } })],
  ["multipart/form-data", (csrfToken) => buildPart(csrfToken)],
  ["multipart/form-data; boundary=x", (csrfToken) => buildPart(csrfToken)],
  ["multipart/form-data; boundary=x", () => "--x\r\n\r\n"],
  [form, () => "%%%=%zz&&&=&\u0000"],
  [form, (csrfToken) => `${encodeToken(csrfToken)}&__proto__=x&constructor=y&id=%00&name=%ff&act[]=a&act[]=b`],
  [form, (csrfToken) => `${encodeToken(csrfToken)}&${"f=1&".repeat(5000)}`],
];
const buildPart = (csrfToken: string): string =>
  `--x\r\ncontent-disposition: form-data; name="csrf_token"\r\n\r\n${csrfToken}\r\n`;

export const forgedForms: Attack = {
  name: "forging and breaking the console's forms",
  engines: ["sqlite", "postgres"],
  async run(target) {
    await withSample(target, async () => undefined);
    const countRecords = () =>
      asOwner(target, async ({ connections }) =>
        (await connections.list()).reduce((sum, { record_count }) => sum + record_count, 0),
      );
    const before = await countRecords();
    const server = await startServing(target);
    const trials = createTrials();
    try {
      const owner = await signIn(server);
      const other = await signIn({ url: server.url, signInUrl: await createSignInUrl(target, server.url) });
      const { origin } = server.url;
      const csrfToken = await loadCsrfToken(server, owner);
      const sender = { cookie: formatCookies(owner), otherCookie: formatCookies(other), origin, csrfToken };
      const post = async (path: string, headers: Headers, body: string) => {
        const sent = { method: "POST", headers: { accept: "text/html", ...headers }, body: Buffer.from(body) };
        const answer = await fetch(new URL(path, server.url), { ...sent, redirect: "manual" });
        const isSentToSignIn = answer.status === 303 && answer.headers.get("location")?.startsWith("/sign-in") === true;
        return { status: answer.status, text: await answer.text(), isSentToSignIn };
      };
      // The console compiles its pages as they are imported, once the server's modules are loaded.
      const { listGuardedRoutes } = await import("@pdpp/test-support/web/page-examples");
      const actions = listGuardedRoutes()
        .filter(({ method }) => method === "POST")
        .map(({ path }) => path.replace(/:\w+/g, "x"));
      for (const path of actions) {
        for (const [how, build] of forgeries) {
          const [headers, body] = build(sender);
          const { status, isSentToSignIn } = await post(path, { "content-type": form, ...headers }, body);
          // The valid forms below can end the other session.
          trials.note(`${path} with ${how}: ${status}`, status === 403 || isSentToSignIn);
        }
        // Signing out is meant to work.
        for (const [type, build] of path === "/sign-out" ? [] : malformed) {
          const headers = { cookie: sender.cookie, origin, ...(type === undefined ? {} : { "content-type": type }) };
          const { status, text } = await post(path, headers, build(csrfToken));
          const isClean = !/TypeError|at \w+ \(|node_modules/.test(text);
          trials.note(`${path} with ${type}: ${status}`, status >= 200 && status < 500 && isClean);
        }
      }
      trials.note(
        "the owner is still signed in",
        (await owner.open(`${origin}/settings`)).url === `${origin}/settings`,
      );
      trials.note("no record was lost", (await countRecords()) === before);
      return trials.conclude(`forged or malformed forms did nothing, on ${actions.length} routes`);
    } finally {
      await server.stop();
    }
  },
};
