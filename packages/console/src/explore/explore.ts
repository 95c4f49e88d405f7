import type { OwnerSession } from "@pdpp/contract/sign-in";
import { citationPath } from "@pdpp/evidence/handles/citation";
import type { Context } from "hono";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { citedAddress } from "./cited.ts";
import { fileResponse } from "./files.ts";
import { recordView, textView } from "./record.ts";
import { nameIn } from "./request.ts";
import { searchView } from "./search.ts";
import { ownStand, type Stand, wornPattern, wornStand } from "./stand.ts";
import { rawView, streamView } from "./stream.ts";

/** What is in the vault, as its owner reads it: by the same reader as everybody, over all of it. */
export function exploreRoutes(guard: Guard, parts: ConsoleParts): void {
  explorePages(guard, parts, "", (_, session) => ownStand(parts, session));
  // Links on a record's page are relative, so a citation leads to the page and is none itself.
  guard.owned(`${citationPath}*`, async (c) => c.redirect(citedAddress(c), 303));
  // The same pages under a grant: what they read, they read as whoever holds it.
  explorePages(guard, parts, wornPattern, (c, session) =>
    wornStand(parts, session, c.req.param("grant") ?? "", parts.originOf(c.req.raw)),
  );
}

type StandOf = (c: Context, session: OwnerSession) => Promise<Stand>;

function explorePages({ owned }: Guard, { now }: ConsoleParts, base: string, standOf: StandOf): void {
  owned(`${base}/explore`, async (c, session, proof) => searchView(c, await standOf(c, session), proof, now()));
  owned(`${base}/record`, async (c, session, proof) => recordView(c, await standOf(c, session), proof));
  owned(`${base}/text`, async (c, session, proof) => textView(c, await standOf(c, session), proof));
  owned(`${base}/stream`, async (c, session, proof) => streamView(c, await standOf(c, session), proof));
  owned(`${base}/stream/raw`, async (c, session) => rawView(c, await standOf(c, session)));
  owned(`${base}/file`, async (c, session) => {
    const { reader } = await standOf(c, session);
    const blobId = nameIn(c, "blob");
    const blob = await reader.readBlob({ blob_id: blobId, connection_id: nameIn(c, "connection") });
    return fileResponse(blob, c.req.query("show") === "1", blobId);
  });
}
