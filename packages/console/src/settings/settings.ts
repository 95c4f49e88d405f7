import { PdppError } from "@pdpp/contract/errors";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { Context } from "hono";
import { createDownload } from "../frame/download.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { findAction, getConfirmationUrl } from "./confirmations.ts";
import { renderSettingsPage } from "./settings-page.tsx";

export function addSettingsRoutes({ page, action, download }: Guard, parts: ConsoleParts): void {
  const { now, getOrigin, signIn, getOwner, copies } = parts;
  page("/settings", async (c, session, viewer) => {
    const owner = getOwner(session);
    const origin = getOrigin(c.req.raw);
    const view = {
      here: session,
      sessions: await signIn.listSessions(session),
      passkeys: await signIn.passkeys.list(session),
      adding: signIn.passkeys.possibleAt(origin) ? await signIn.passkeys.askForNew(session, origin) : undefined,
      self: await owner.self(),
      storage: await owner.storage(),
      connections: await owner.connections.list(),
      tokens: await owner.tokens.list(),
      names: await loadNames(owner),
      lastAction: await findAction(owner, c.req.query("did")),
    };
    return c.html(renderSettingsPage({ ...view, viewer, now: now() }), 200, buildPageHeaders());
  });

  download("/settings/backup", async (c, session) => {
    const [passphrase, again] = [await readFormField(c, "passphrase"), await readFormField(c, "again")];
    if (passphrase !== again)
      throw new PdppError("invalid_argument", "the passphrases don't match. Go back and try again");
    const bytes = await copies.backup(session, passphrase === "" ? undefined : passphrase);
    return createDownload(bytes, `vault-${formatDay(now())}.pdpp`, "application/octet-stream");
  });
  download("/settings/export", async (_, session) =>
    createDownload(await copies.exportRecords(session), `records-${formatDay(now())}.ndjson`, "application/x-ndjson"),
  );

  const readPastDate = async (c: Context): Promise<number> => {
    const text = await readFormField(c, "before");
    const at = /^\d{4}-\d\d-\d\d$/.test(text) ? parseInstant(text) : null;
    if (at === null || at > now())
      throw new PdppError("invalid_argument", "choose a date in the past. Go back and try again");
    return at;
  };
  action("/settings/prune-versions", async (c, session) => {
    const owner = getOwner(session);
    await owner.records.prune(await readPastDate(c));
    return getConfirmationUrl(owner, "records.prune");
  });
  action("/settings/prune-log", async (c, session) => {
    const owner = getOwner(session);
    await owner.log.prune(await readPastDate(c));
    return getConfirmationUrl(owner, "log.prune");
  });
  action("/settings/time-zone", async (c, session) => {
    const owner = getOwner(session);
    const zone = await readFormField(c, "zone");
    await owner.setTimeZone(zone === "" ? null : zone);
    return getConfirmationUrl(owner, "owner.time-zone");
  });
  action("/settings/tokens/:id/revoke", async (c, session) => {
    const owner = getOwner(session);
    await owner.tokens.revoke(c.req.param("id") ?? "");
    return getConfirmationUrl(owner, "owner-token.revoke");
  });
}

const formatDay = (now: number): string => formatInstant(now).slice(0, 10);

/** Reads one field of a form. */
export async function readFormField(c: Context, name: string): Promise<string> {
  const value = (await c.req.formData()).get(name);
  return typeof value === "string" ? value : "";
}
