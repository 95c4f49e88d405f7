import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { createPerson, type Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const canActAsOthers = process.platform === "linux" && process.getuid?.() === 0;
const because = canActAsOthers ? "" : " (skipped: only root on Linux can act as another user)";
const nobody = 65_534;

/** Sends a request as another user of this computer, and answers its status and location. */
async function sendAs(userId: number, url: string, cookie: string): Promise<string> {
  const program = `fetch(process.argv[1], { headers: { accept: "text/html", cookie: process.argv[2] }, redirect: "manual" })
    .then((answer) => console.log(answer.status, answer.headers.get("location")));`;
  const child = spawn(process.execPath, ["-e", program, url, cookie], {
    uid: userId,
    cwd: "/",
    env: {},
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const part of child.stdout) said += part;
  return said.trim();
}

describe("the session cookie on plain http", () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), "pdpp-cookies-")));
  const servers: RunningServer[] = [];
  const browser: Person = createPerson(
    async (request) => fetch(request, { redirect: "manual" }),
    () => false,
  );
  const listCookies = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const getSite = (running: RunningServer) => new URL(running.signInUrl).origin;
  const open = (running: RunningServer, cookie: string) =>
    fetch(`${getSite(running)}/settings`, { headers: { accept: "text/html", cookie }, redirect: "manual" });
  beforeAll(async () => {
    for (const dataDir of folders) {
      const running = await serve({ dataDir, port: 0, host: "localhost" });
      servers.push(running);
      const page = await browser.open(`${getSite(running)}/sign-in`);
      await browser.send(page, { code: new URL(running.signInUrl).hash });
    }
  });
  afterAll(async () => {
    for (const running of servers) await running.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it("[WEB-5] is another one for each vault on this computer", async () => {
    expect(browser.cookies.size).toBe(2);
    for (const running of servers) expect((await open(running, listCookies())).status).toBe(200);
  });

  it("[WEB-3] does not hide behind one that another port planted", async () => {
    for (const [name] of browser.cookies)
      for (const running of servers)
        expect((await open(running, `${name}=planted; ${listCookies()}`)).status).toBe(200);
  });

  it.skipIf(!canActAsOthers)(`[WEB-3] is worth nothing to another user who received it${because}`, async () => {
    let received = "";
    const listener = createServer((request, response) => {
      received = request.headers.cookie ?? "";
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const address = listener.address();
    const port = typeof address === "object" ? address?.port : undefined;
    // As browsers do, which ignore the port.
    await fetch(`http://localhost:${port}/`, { headers: { cookie: listCookies() } });
    listener.close();
    expect(received).toBe(listCookies());
    for (const running of servers) {
      const url = `${getSite(running)}/settings`;
      expect(await sendAs(0, url, received)).toBe("200 null");
      expect(await sendAs(nobody, url, received)).toBe("303 /sign-in?next=%2Fsettings");
      expect(await sendAs(nobody, url.replace("localhost", "127.0.0.1"), received)).toContain("303 /sign-in");
      expect((await open(running, listCookies())).status).toBe(200);
    }
  });
});
