import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Person } from "@pdpp/test-support/web/person";
import { buildNoteId } from "../crowd/crowd-vault.ts";
import { formatCookies, signIn } from "../web/visitor.ts";

/** Everything a server does at once: reads, searches, exports, ingests, imports, backups and consent. */

export interface LoadTarget {
  readonly url: string;
  readonly signInUrl: string;
  readonly clientToken: string;
  readonly ownerToken: string;
  readonly connectionId: string;
  /** A folder for files to import and for downloaded backups. */
  readonly folder: string;
  /** Different in each round, so that nothing is stored twice under the same id. */
  readonly round: string;
  /** Varies which reads and which of the owner's actions run. */
  readonly variant: number;
  readonly notes: number;
}

/** Everything the server has confirmed, which must survive. */
export interface Ledger {
  /** Request ids of responses that arrived. */
  readonly received: string[];
  readonly storedNotes: string[];
  /** Message ids of finished imports. */
  readonly importedMails: string[];
  readonly issuedTokens: string[];
  readonly revokedTokens: string[];
  /** Complete downloads. */
  readonly backups: string[];
}

export interface Load {
  readonly ledger: Ledger;
  /** Resolves when the server is gone and every client has given up. */
  readonly over: Promise<void>;
}

export function startLoad(target: LoadTarget): Load {
  const ledger: Ledger = {
    received: [],
    storedNotes: [],
    importedMails: [],
    issuedTokens: [],
    revokedTokens: [],
    backups: [],
  };
  const clients = [
    ...rotate(lightReads, target.variant, 2).map((path, n) => readRepeatedly(target, ledger, `light${n}`, path)),
    ...rotate(heavyReads, target.variant, 3).map((path, n) => readRepeatedly(target, ledger, `heavy${n}`, path)),
    storeRepeatedly(target, ledger),
    actAsOwner(target, ledger),
  ];
  return { ledger, over: Promise.all(clients).then(() => undefined) };
}

export const lightReads: readonly ((n: number, notes: number) => string)[] = [
  () => "/v1/streams/notes/records?limit=5",
  (n, notes) => `/v1/streams/notes/records/${buildNoteId((n * 7919) % notes)}`,
  () => "/v1/search?streams=notes&q=gobe",
];
export const heavyReads: readonly ((n: number) => string)[] = [
  () => "/v1/streams/notes/aggregate?metric=count&group_by=sender",
  () => "/v1/streams/notes/aggregate?metric=count_distinct&field=sender",
  () => "/v1/streams/notes/records?limit=100&count=exact&filter[amount][gte]=1",
  () => `/v1/search?streams=notes&q=${encodeURIComponent("b* d* f* g* h* k* l* m* n* p*")}`,
  () => "/v1/streams/notes/records?limit=100&changes_since=beginning",
  () => "/v1/export?stream=notes",
];

/** Everything at once would keep a small machine from getting anything done. */
const rotate = <T>(all: readonly T[], from: number, count: number): T[] =>
  Array.from({ length: count }, (_, n) => all[(from + n) % all.length]).filter((item) => item !== undefined);

/** Repeats the work until it throws, which it does once the server is gone. */
async function repeat(work: (n: number) => Promise<void>): Promise<void> {
  try {
    for (let n = 0; ; n += 1) await work(n);
  } catch {
    // The server has stopped.
  }
}

const readRepeatedly = (
  { url, clientToken, round, notes }: LoadTarget,
  { received }: Ledger,
  name: string,
  path: (n: number, notes: number) => string,
): Promise<void> =>
  repeat(async (n) => {
    const id = `${round}-${name}-${n}`;
    const headers = { authorization: `Bearer ${clientToken}`, "request-id": id };
    const response = await fetch(new URL(path(n, notes), url), { headers });
    const [first] = response.status === 200 ? await readAll(response) : [await response.arrayBuffer()];
    if (response.status === 200 && first !== undefined) received.push(id);
    else await pause(20);
  });

/** Returns the first piece even if the rest never arrives: it was shown, so it must be in the log. */
async function readAll(response: Response): Promise<unknown[]> {
  const pieces: unknown[] = [];
  try {
    for await (const piece of response.body ?? []) if (pieces.length === 0) pieces.push(piece);
  } catch {
    // Cut off.
  }
  return pieces;
}

const linesPerRequest = 40;

const storeRepeatedly = (
  { url, ownerToken, connectionId, round }: LoadTarget,
  { storedNotes }: Ledger,
): Promise<void> =>
  repeat(async (n) => {
    const ids = Array.from({ length: linesPerRequest }, (_, line) => `${round}-${n}-${line}`);
    const at = new Date(1_700_000_000_000 + n * 1000).toISOString();
    const lines = ids.map((id) => JSON.stringify({ data: { id, at, text: `stored in round ${id}`, sender: "load" } }));
    const response = await fetch(new URL(`/v1/ingest/notes?connection_id=${connectionId}`, url), {
      method: "POST",
      headers: { authorization: `Bearer ${ownerToken}`, "content-type": "application/x-ndjson" },
      body: `${lines.join("\n")}\n`,
    });
    const text = await response.text();
    if (response.status === 200) storedNotes.push(...ids);
    else if (response.status < 500 && response.status !== 429) throw new Error(text);
    else await pause(20);
  });

/** Signs in; then imports, downloads backups or gives consent, two of these at the same time. */
async function actAsOwner(target: LoadTarget, ledger: Ledger): Promise<void> {
  const person = await signIn({ url: new URL(target.url), signInUrl: target.signInUrl }).catch(() => undefined);
  if (person === undefined) return;
  const actions = [importMails, downloadBackup, grantAndRevoke, connectDevice];
  await Promise.all(rotate(actions, target.variant, 2).map((act) => repeat((n) => act(target, person, ledger, n))));
}

const mailsPerImport = 60;

async function importMails({ url, folder, round }: LoadTarget, person: Person, ledger: Ledger, n: number) {
  const ids = Array.from({ length: mailsPerImport }, (_, mail) => `${round}-${n}-${mail}@load.example`);
  if (await importMailbox(url, person, join(folder, `${round}-${n}.mbox`), ids)) ledger.importedMails.push(...ids);
}

/** Imports a file of mails with these message ids in the console. Answers whether the import was reported as finished. */
export async function importMailbox(
  url: string,
  person: Person,
  file: string,
  ids: readonly string[],
): Promise<boolean> {
  const mails = ids.map((id, mail) =>
    [
      "From load@load.example Mon Jan  1 00:00:00 2024",
      "From: load@load.example",
      "To: owner@load.example",
      `Date: Mon, 01 Jan 2024 00:${String(mail % 60).padStart(2, "0")}:00 +0000`,
      `Message-ID: <${id}>`,
      `Subject: mail ${id}`,
      "",
      `The text of mail ${id}.`,
      "",
    ].join("\n"),
  );
  await writeFile(file, `${mails.join("\n")}\n`);
  const begun = await person.send(await person.open(`${url}/import`), { path: file }, "/import/path");
  const planned = await waitForStage(person, begun.url, ["planned", "over"]);
  const answered = await person.send(planned, {});
  const done = await waitForStage(person, answered.url, ["over"]);
  return done.html.includes("Import report");
}

async function waitForStage(person: Person, url: string, stages: readonly string[]) {
  for (;;) {
    const page = await person.open(url);
    if (stages.includes(/data-stage="(\w+)"/.exec(page.html)?.[1] ?? "over")) return page;
    if (page.status >= 400) throw new Error(page.html);
    await pause(50);
  }
}

async function downloadBackup({ url, folder, round }: LoadTarget, person: Person, ledger: Ledger, n: number) {
  const { html } = await person.open(`${url}/settings`);
  const csrfToken = /name="csrf_token" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const cookie = formatCookies(person);
  const response = await fetch(`${url}/settings/backup`, {
    method: "POST",
    headers: { cookie, origin: new URL(url).origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ csrf_token: csrfToken }),
  });
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  const file = join(folder, `${round}-${n}.pdpp`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
  ledger.backups.push(file);
}

/** Creates a token in the console, and revokes every second one. */
async function grantAndRevoke({ url, round }: LoadTarget, person: Person, ledger: Ledger, n: number): Promise<void> {
  const form = await person.open(`${url}/agents/new`);
  const name = `${round}-${n}`;
  const chosen = await person.send(form, { name, preset: "everything", act: "edit" });
  const made = await person.send(chosen, { name, act: "allow" });
  const token = /pdpp_client_[\w-]+/.exec(made.html)?.[0];
  const path = /href="(\/agents\/(?:grt|pkg)_[\w-]+)"/.exec(made.html)?.[1];
  if (token === undefined || path === undefined) throw new Error(`no token: ${made.html}`);
  if (n % 2 === 0) return void ledger.issuedTokens.push(token);
  const revoked = await person.send(await person.open(`${url}${path}`), {}, `${path}/revoke`);
  if (revoked.status < 400) ledger.revokedTokens.push(token);
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

async function connectDevice({ url }: LoadTarget, person: Person, ledger: Ledger): Promise<void> {
  const post = async (path: string, body: string | URLSearchParams, type?: string): Promise<Record<string, string>> => {
    const headers = type === undefined ? {} : { "content-type": type };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
    return JSON.parse(await response.text());
  };
  const about = { client_name: "Load", grant_types: [deviceGrant, "refresh_token"] };
  const { client_id = "" } = await post("/oauth/register", JSON.stringify(about), "application/json");
  const asked = new URLSearchParams({ client_id, resource: `${url}/mcp` });
  const { device_code = "", user_code = "" } = await post("/oauth/device_authorization", asked);
  const entered = await person.send(await person.open(`${url}/device`), { user_code });
  const page = await person.send(entered, { confirm: "yes" });
  const chosen = await person.send(page, { preset: "everything", act: "edit" });
  await person.send(chosen, { act: "allow" });
  const polled = new URLSearchParams({ client_id, grant_type: deviceGrant, device_code });
  const { access_token } = await post("/oauth/token", polled);
  if (access_token === undefined) throw new Error("no token for the device");
  ledger.issuedTokens.push(access_token);
  await pause(500);
}
