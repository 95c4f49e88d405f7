import { createHash, randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { navigate, signIn } from "../../tests/browser/chromium.ts";
import { takeImportPictures } from "./import-pictures.ts";
import { takeSourcePictures } from "./source-pictures.ts";
import { takeViewPictures } from "./view-pictures.ts";

/** Walks through the pages and takes pictures. */

interface PictureContext {
  readonly page: Page;
  readonly site: string;
  /** The server's actual address. */
  readonly origin: string;
  readonly signInUrl: string;
  shoot(name: string): Promise<void>;
}

const callback = "http://localhost:33418/callback";

interface Agent {
  readonly clientId: string;
  readonly verifier: string;
}

async function register(origin: string, name: string): Promise<Agent> {
  const body = JSON.stringify({ client_name: name, redirect_uris: [callback] });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${origin}/oauth/register`, { method: "POST", headers, body });
  const { client_id: clientId }: { client_id: string } = JSON.parse(await answer.text());
  return { clientId, verifier: randomBytes(32).toString("base64url") };
}

function buildRequestUrl({ clientId, verifier }: Agent, site: string, details?: readonly object[]): string {
  const params = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: callback,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "state",
    resource: `${site}/mcp`,
    ...(details === undefined ? {} : { authorization_details: JSON.stringify(details) }),
  });
  return `${site}/oauth/authorize?${params}`;
}

async function requestUserCode(origin: string, site: string): Promise<string> {
  const body = JSON.stringify({
    client_name: "pdpp on the server",
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
  });
  const headers = { "content-type": "application/json" };
  const registered = await fetch(`${origin}/oauth/register`, { method: "POST", headers, body });
  const { client_id }: { client_id: string } = JSON.parse(await registered.text());
  const asked = new URLSearchParams({ client_id, resource: `${site}/mcp` });
  const begun = await fetch(`${origin}/oauth/device_authorization`, { method: "POST", body: asked });
  const { user_code }: { user_code: string } = JSON.parse(await begun.text());
  return user_code;
}

const travel = [
  {
    type: "https://pdpp.dev/data-access",
    source: { id: "calendar" },
    purpose_description: "find days when the whole family is free",
    streams: [{ name: "events", fields: ["title", "occurrence_start", "occurrence_end", "location"] }],
  },
];

const more = [
  {
    type: "https://pdpp.dev/data-access",
    source: { id: "mail" },
    purpose_description: "answer questions about your mail",
    streams: [{ name: "messages", fields: ["from_name", "subject", "sent_at", "body_text"] }],
  },
];

export async function takePictures({ page, site, origin, signInUrl, shoot }: PictureContext): Promise<void> {
  const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
  const follow = (name: string) => navigate(page, () => page.getByRole("link", { name, exact: true }).first().click());
  let answered = "";
  await page.route("http://localhost:33418/**", (route) => {
    answered = route.request().url();
    return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Done</title>" });
  });
  const readAsAgent = async (agent: Agent, calls: readonly (readonly [string, object])[]) => {
    const code = new URL(answered).searchParams.get("code") ?? "";
    const form = {
      grant_type: "authorization_code",
      client_id: agent.clientId,
      code,
      redirect_uri: callback,
      code_verifier: agent.verifier,
      resource: `${site}/mcp`,
    };
    const exchanged = await fetch(`${origin}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token: token }: { access_token: string } = JSON.parse(await exchanged.text());
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    };
    for (const [name, args] of calls) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
      await (await fetch(`${origin}/mcp`, { method: "POST", headers, body })).text();
    }
  };

  await page.goto(`${site}/sign-in`);
  await shoot("sign-in");
  await signIn(page, signInUrl);

  const planner = await register(origin, "Trip planner");
  await page.goto(buildRequestUrl(planner, site, travel));
  await shoot("consent-asked");
  await press(/^Allow/);
  await page.waitForURL(`${callback}**`);
  await readAsAgent(planner, [["query_records", { stream: "events" }]]);

  const claude = await register(origin, "Claude Code");
  await page.goto(buildRequestUrl(claude, site));
  await shoot("consent-unasked");
  for (const name of ["Ada's private mail", "Family calendar", "Chat"])
    await page.getByRole("checkbox", { name }).first().check();
  await page.getByText("Change what is read from Chat").click();
  await shoot("consent-chosen");
  await press("Clear");
  await press("Choose individual fields");
  await page.getByRole("button", { name: "Choose by category" }).waitFor();
  await page.getByRole("checkbox", { name: "Ada's private mail" }).check();
  await page.getByText("Change what is read from Ada's private mail").click();
  const mail = page.getByRole("group", { name: "Ada's private mail" });
  for (const field of await mail.locator("[data-stream] input").all())
    await field.setChecked(/(from_name|subject|sent_at)$/.test((await field.getAttribute("value")) ?? ""));
  await navigate(page, () => press(/^Preview/));
  await shoot("consent-narrowed");
  await press(/^Allow/);
  await page.waitForURL(`${callback}**`);
  await readAsAgent(claude, [
    ["schema", {}],
    ["search", { query: "invoice" }],
    ["query_records", { stream: "messages" }],
  ]);

  await page.goto(buildRequestUrl(claude, site, [...more, ...travel]));
  await shoot("consent-changed");
  const typed = await requestUserCode(origin, site);
  await page.goto(`${site}/device?user_code=${typed}`);
  await shoot("device-code");
  await press("Continue");
  await page.getByRole("heading", { name: "Is this your app?" }).waitFor();
  await shoot("device-confirm");
  await page.goto(`${site}/agents`);
  await shoot("agents");
  await follow("Claude Code");
  await shoot("agent");
  await follow("Reduce access");
  await navigate(page, () => press("Choose individual fields"));
  await page.getByRole("group", { name: "Mails" }).getByRole("checkbox", { name: "Subject" }).uncheck();
  await navigate(page, () => press("Preview"));
  await shoot("agent-narrow");
  await page.goBack();
  await page.goto(`${site}/agents`);
  await follow("Claude Code");
  await page.getByLabel("Search for").fill("invoice");
  await navigate(page, () => press("Run"));
  await shoot("agent-try");
  await page.goto(`${site}/agents/new`);
  await page.getByLabel("Name", { exact: true }).fill("Night script");
  await page.getByLabel("Purpose").fill("a summary each morning");
  await page.getByRole("radio", { name: "Names, dates and titles only" }).check();
  await shoot("agent-new");
  await press(/^Create token/);
  await page.getByRole("heading", { name: "Token for Night script" }).waitFor();
  await page.getByText("Codex", { exact: true }).click();
  await shoot("agent-made");
  await page.goto(`${site}/settings`);
  await shoot("settings");
  await page.goto(`${site}/settings/delete-source?id=cin_mail_ada`);
  await shoot("delete-source");
  await page.goto(`${site}/settings/delete-everything`);
  await shoot("delete-everything");
  await page.goto(`${site}/`);
  await shoot("home");
  await page.goto(`${site}/activity`);
  await shoot("activity");
  await navigate(page, () => page.locator("main a.opens").first().click());
  await shoot("activity-entry");
  await page.goto(`${site}/explore`);
  await shoot("explore");
  await page.goto(`${site}/explore?q=boiler+invoice`);
  await shoot("search");
  await follow("Boiler (Calidor 20)");
  await shoot("record");
  await page.goto(`${site}/stream?source=cin_purchases_ada&stream=orders`);
  await shoot("table");
  await page.getByText("Totals", { exact: true }).click();
  await press("Show");
  await page.getByRole("list", { name: "Records" }).waitFor();
  await shoot("totals");
  await page.goto(`${site}/agents`);
  await follow("Claude Code");
  await follow("See what it sees");
  await page.getByRole("searchbox").fill("Rechnung");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What the agent receives" }).waitFor();
  await shoot("as-agent");
  await takeViewPictures(page, site, shoot);
  await takeImportPictures(page, site, shoot);
  await takeSourcePictures(page, site, shoot);
}
