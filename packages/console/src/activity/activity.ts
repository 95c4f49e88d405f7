import { PdppError } from "@pdpp/contract/errors";
import { logOutcomes, type OwnerApi } from "@pdpp/contract/owner";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { kinds, renderActivityPage } from "./activity-page.tsx";
import { renderEntryPage } from "./entry-page.tsx";

const entriesPerPage = 100;
const maxClients = 100;

const parseEntry = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

export function addActivityRoutes({ page }: Guard, { getOwner }: ConsoleParts): void {
  page("/activity", async (c, session, viewer) => {
    const owner = getOwner(session);
    const filter = {
      kind: kinds.find((each) => each === c.req.query("kind")),
      client: c.req.query("client") || undefined,
      source: c.req.query("source") || undefined,
      outcome: logOutcomes.find((each) => each === c.req.query("outcome")),
    };
    const [before, after] = [parseEntry(c.req.query("before")), parseEntry(c.req.query("after"))];
    const { source: connection, ...asked } = filter;
    const { entries, next, last } = await owner.log.page({
      ...asked,
      connection,
      before,
      after,
      limit: entriesPerPage,
    });
    const names = await loadNames(owner);
    const clients = await listClients(owner);
    const view = { entries, next, filter, isFirst: before === undefined, newest: last, clients, names, viewer };
    return c.html(renderActivityPage(view), 200, buildPageHeaders(undefined, "is live"));
  });
  page("/activity/:entry", async (c, session, viewer) => {
    const owner = getOwner(session);
    const number = parseEntry(c.req.param("entry"));
    if (number === undefined) throw new PdppError("not_found", "the log has no such entry");
    const detail = await owner.log.get(number);
    const names = await loadNames(owner);
    return c.html(renderEntryPage({ ...detail, names, viewer }), 200, buildPageHeaders());
  });
}

/** Everyone who was ever granted access, latest first. */
async function listClients(owner: OwnerApi): Promise<string[]> {
  const names = (await owner.grants.list()).map(({ client }) => client.name).reverse();
  return [...new Set(names)].slice(0, maxClients);
}
