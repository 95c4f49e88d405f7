import type { OwnerApi } from "@pdpp/contract/owner";
import type { Context } from "hono";
import { addressWith } from "../frame/addresses.ts";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import { namesOf } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { spanOf, wholeSpan } from "../frame/span.ts";
import { toldAt } from "./did-words.ts";
import { erasePage, eraseSentence } from "./erase-page.ts";
import { typed } from "./settings.ts";
import { deleteSourcePage, type SourceView, sourcePage } from "./source-page.ts";

/** One source, and deleting it or everything. */
export function deletionRoutes({ owned, acting }: Guard, { ownerOf }: ConsoleParts): void {
  owned("/settings/source", async (c, session, proof) =>
    c.html(sourcePage(await viewOf(c, ownerOf(session), proof)), 200, pageHeaders()),
  );
  owned("/settings/delete-source", async (c, session, proof) =>
    c.html(deleteSourcePage(await viewOf(c, ownerOf(session), proof)), 200, pageHeaders()),
  );
  owned("/settings/delete-everything", async (c, session, proof) => {
    const owner = ownerOf(session);
    const connections = await owner.connections.list();
    const clients = new Set((await activeGrants(owner)).map(({ package_id, grant_id }) => package_id ?? grant_id));
    const view = {
      records: connections.reduce((sum, { record_count }) => sum + record_count, 0),
      sources: connections.length,
      agents: clients.size,
      isMistyped: c.req.query("mistyped") !== undefined,
    };
    return c.html(erasePage({ ...view, proof }), 200, pageHeaders());
  });

  acting("/settings/rename-source", async (c, session) => {
    const owner = ownerOf(session);
    await owner.connections.rename(await typed(c, "id"), await typed(c, "name"));
    return toldAt(owner, "connection.rename");
  });
  acting("/settings/delete-source", async (c, session) => {
    const owner = ownerOf(session);
    const id = await typed(c, "id");
    await owner.connections.get(id);
    const said = sameWords(await typed(c, "name"));
    const names = [(await namesOf(owner)).source(id), id].map(sameWords);
    if (said === "" || !names.includes(said)) return addressWith("/settings/delete-source", { id, mistyped: 1 });
    await begun((onHidden) => owner.connections.remove(id, onHidden));
    return toldAt(owner, "connection.remove");
  });
  acting("/settings/delete-everything", async (c, session) => {
    const owner = ownerOf(session);
    if (sameWords(await typed(c, "sentence")).toLowerCase() !== eraseSentence)
      return "/settings/delete-everything?mistyped=1";
    await begun((onHidden) => owner.erase(onHidden));
    return toldAt(owner, "owner.erase");
  });
}

/** Resolves when nobody can read it any more. Clearing the disk goes on by itself; a server that is stopped meanwhile does it when it starts. */
const begun = (remove: (onHidden: () => void) => Promise<unknown>): Promise<void> =>
  new Promise((hidden, failed) => void remove(hidden).then(() => hidden(), failed));

/** A name as people type it: without the signs that they do not see, and with one blank for many. */
const sameWords = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();

const activeGrants = async (owner: OwnerApi) => (await owner.grants.list()).filter(({ status }) => status === "active");

async function viewOf(c: Context, owner: OwnerApi, proof: Proof): Promise<SourceView> {
  const id = c.req.query("id") ?? "";
  const source = await owner.connections.get(id);
  const reader = await owner.reader();
  const held = source.streams.filter(({ record_count }) => record_count > 0);
  const spans = await Promise.all(held.map(({ name }) => spanOf(reader, { stream: name, connection_id: id })));
  const reading = (await activeGrants(owner)).filter(({ streams }) =>
    streams.some(({ connection_ids }) => connection_ids.includes(id)),
  );
  const agents = new Map(reading.map(({ package_id, grant_id, client }) => [package_id ?? grant_id, client.name]));
  return {
    source,
    files: await owner.connections.files(id),
    span: wholeSpan(spans),
    agents: [...agents].map(([agent, client]) => ({ id: agent, client })),
    names: await namesOf(owner),
    proof,
    isMistyped: c.req.query("mistyped") !== undefined,
  };
}
