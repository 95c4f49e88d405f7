import { PdppError } from "@pdpp/contract/errors";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { Context } from "hono";
import { download } from "../frame/download.ts";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import { namesOf } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { actAt, toldAt } from "./did-words.ts";
import { settingsPage } from "./settings-page.ts";

/** Settings, and copies to take along. */
export function settingsRoutes({ owned, acting, giving }: Guard, parts: ConsoleParts): void {
  const { now, originOf, door, ownerOf, copies } = parts;
  owned("/settings", async (c, session, proof) => {
    const owner = ownerOf(session);
    const origin = originOf(c.req.raw);
    const view = {
      here: session,
      sessions: await door.signedIn(session),
      passkeys: await door.passkeys.list(session),
      adding: door.passkeys.possibleAt(origin) ? await door.passkeys.askForNew(session, origin) : undefined,
      self: await owner.self(),
      storage: await owner.storage(),
      connections: await owner.connections.list(),
      tokens: await owner.tokens.list(),
      names: await namesOf(owner),
      did: await actAt(owner, c.req.query("did")),
    };
    return c.html(settingsPage({ ...view, proof, now: now() }), 200, pageHeaders());
  });

  giving("/settings/backup", async (c, session) => {
    const [passphrase, again] = [await typed(c, "passphrase"), await typed(c, "again")];
    if (passphrase !== again)
      throw new PdppError("invalid_argument", "the passphrases don't match. Go back and try again");
    const bytes = await copies.backup(session, passphrase === "" ? undefined : passphrase);
    return download(bytes, `vault-${today(now())}.pdpp`, "application/octet-stream");
  });
  giving("/settings/export", async (_, session) =>
    download(await copies.records(session), `records-${today(now())}.ndjson`, "application/x-ndjson"),
  );

  const before = async (c: Context): Promise<number> => {
    const text = await typed(c, "before");
    const at = /^\d{4}-\d\d-\d\d$/.test(text) ? parseInstant(text) : null;
    if (at === null || at > now())
      throw new PdppError("invalid_argument", "choose a date in the past. Go back and try again");
    return at;
  };
  acting("/settings/prune-versions", async (c, session) => {
    const owner = ownerOf(session);
    await owner.records.prune(await before(c));
    return toldAt(owner, "records.prune");
  });
  acting("/settings/prune-log", async (c, session) => {
    const owner = ownerOf(session);
    await owner.log.prune(await before(c));
    return toldAt(owner, "log.prune");
  });
  acting("/settings/time-zone", async (c, session) => {
    const owner = ownerOf(session);
    const zone = await typed(c, "zone");
    await owner.setTimeZone(zone === "" ? null : zone);
    return toldAt(owner, "owner.time-zone");
  });
  acting("/settings/tokens/:id/revoke", async (c, session) => {
    const owner = ownerOf(session);
    await owner.tokens.revoke(c.req.param("id") ?? "");
    return toldAt(owner, "owner-token.revoke");
  });
}

const today = (now: number): string => formatInstant(now).slice(0, 10);

/** What stands in a field of a form. */
export async function typed(c: Context, name: string): Promise<string> {
  const value = (await c.req.formData()).get(name);
  return typeof value === "string" ? value : "";
}
