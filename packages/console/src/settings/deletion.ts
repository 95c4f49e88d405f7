import type { OwnerApi } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Context } from "hono";
import { buildUrl } from "../frame/addresses.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { loadTimeSpan, mergeTimeSpans } from "../frame/span.ts";
import type { Viewer } from "../frame/viewer.ts";
import { getConfirmationUrl } from "./confirmations.ts";
import { eraseSentence, renderErasePage } from "./erase-page.tsx";
import { readFormField } from "./settings.ts";
import { renderDeleteSourcePage, renderSourcePage, type SourceView } from "./source-page.tsx";

export function addDeletionRoutes({ page, action }: Guard, { getOwner }: ConsoleParts): void {
  page("/settings/source", async (c, session, viewer) =>
    c.html(renderSourcePage(await loadSourceView(c, getOwner(session), viewer)), 200, buildPageHeaders()),
  );
  page("/settings/delete-source", async (c, session, viewer) =>
    c.html(renderDeleteSourcePage(await loadSourceView(c, getOwner(session), viewer)), 200, buildPageHeaders()),
  );
  page("/settings/delete-everything", async (c, session, viewer) => {
    const owner = getOwner(session);
    const connections = await owner.connections.list();
    const clients = new Set((await listActiveGrants(owner)).map(({ package_id, grant_id }) => package_id ?? grant_id));
    const view = {
      records: connections.reduce((sum, { record_count }) => sum + record_count, 0),
      sources: connections.length,
      agents: clients.size,
      isMistyped: c.req.query("mistyped") !== undefined,
    };
    return c.html(renderErasePage({ ...view, viewer }), 200, buildPageHeaders());
  });

  action("/settings/rename-source", async (c, session) => {
    const owner = getOwner(session);
    await owner.connections.rename(await readFormField(c, "id"), await readFormField(c, "name"));
    return getConfirmationUrl(owner, "connection.rename");
  });
  action("/settings/delete-source", async (c, session) => {
    const owner = getOwner(session);
    const id = await readFormField(c, "id");
    await owner.connections.get(id);
    const said = normalizeText(await readFormField(c, "name"));
    const names = [(await loadNames(owner)).source(id), id].map(normalizeText);
    if (said === "" || !names.includes(said)) return buildUrl("/settings/delete-source", { id, mistyped: 1 });
    await waitUntilHidden((onHidden) => owner.connections.remove(id, onHidden));
    return getConfirmationUrl(owner, "connection.remove");
  });
  action("/settings/delete-everything", async (c, session) => {
    const owner = getOwner(session);
    if (normalizeText(await readFormField(c, "sentence")).toLowerCase() !== eraseSentence)
      return "/settings/delete-everything?mistyped=1";
    await waitUntilHidden((onHidden) => owner.erase(onHidden));
    return getConfirmationUrl(owner, "owner.erase");
  });
}

/**
 * Resolves once the data can no longer be read. Clearing the disk continues; a stopped server resumes it at the next
 * start.
 */
const waitUntilHidden = (remove: (onHidden: () => void) => Promise<unknown>): Promise<void> =>
  new Promise((hidden, failed) => void remove(hidden).then(() => hidden(), failed));

/** Ignores invisible characters and repeated spaces when comparing typed names. */
const normalizeText = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();

const listActiveGrants = async (owner: OwnerApi) =>
  (await owner.grants.list()).filter(({ status }) => status === "active");

async function loadSourceView(c: Context, owner: OwnerApi, viewer: Viewer): Promise<SourceView> {
  const id = c.req.query("id") ?? "";
  const source = await owner.connections.get(id);
  const reader = await owner.reader();
  const held = source.streams.filter(({ record_count }) => record_count > 0);
  const spans = await Promise.all(held.map(({ name }) => loadTimeSpan(reader, { stream: name, connection_id: id })));
  const reading = (await listActiveGrants(owner)).filter(({ streams }) =>
    streams.some(({ connection_ids }) => connection_ids.includes(id)),
  );
  const agents = new Map(
    reading.map(({ package_id, grant_id, client }) => [package_id ?? grant_id, isolateLabel(client.name)]),
  );
  return {
    source,
    files: await owner.connections.files(id),
    span: mergeTimeSpans(spans),
    agents: [...agents].map(([agent, client]) => ({ id: agent, client })),
    names: await loadNames(owner),
    viewer,
    isMistyped: c.req.query("mistyped") !== undefined,
  };
}
