import { logOutcomes, type OwnerApi } from "@pdpp/contract/owner";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import { namesOf } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { activityPage, kinds } from "./activity-page.ts";

const linesOnPage = 100;
const mostClients = 100;

const entryIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** The access log: who read, who was refused, and what the owner did. */
export function activityRoutes({ owned }: Guard, { ownerOf }: ConsoleParts): void {
  owned("/activity", async (c, session, proof) => {
    const owner = ownerOf(session);
    const narrowed = {
      kind: kinds.find((each) => each === c.req.query("kind")),
      client: c.req.query("client") || undefined,
      source: c.req.query("source") || undefined,
      outcome: logOutcomes.find((each) => each === c.req.query("outcome")),
    };
    const [before, after] = [entryIn(c.req.query("before")), entryIn(c.req.query("after"))];
    const { source: connection, ...asked } = narrowed;
    const { entries, next, last } = await owner.log.page({ ...asked, connection, before, after, limit: linesOnPage });
    const names = await namesOf(owner);
    const clients = await clientsOf(owner);
    const view = { entries, next, narrowed, isFirst: before === undefined, newest: last, clients, names, proof };
    return c.html(activityPage(view), 200, pageHeaders(undefined, "is live"));
  });
}

/** Whom something was ever given, the latest first. */
async function clientsOf(owner: OwnerApi): Promise<string[]> {
  const names = (await owner.grants.list()).map(({ client }) => client.name).reverse();
  return [...new Set(names)].slice(0, mostClients);
}
