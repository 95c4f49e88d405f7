import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import { namesOf } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { activityPage, kinds } from "./activity-page.ts";

const linesOnPage = 100;

/** The access log: who read, who was refused, and what the owner did. */
export function activityRoutes({ owned }: Guard, { ownerOf }: ConsoleParts): void {
  owned("/activity", async (c, session, proof) => {
    const owner = ownerOf(session);
    const kind = kinds.find((each) => each === c.req.query("kind"));
    const client = c.req.query("client") || undefined;
    const asked = c.req.query("before") ?? "";
    const before = /^\d{1,15}$/.test(asked) ? Number(asked) : undefined;
    const { entries, next } = await owner.log.page({ kind, client, before, limit: linesOnPage });
    const names = await namesOf(owner);
    const view = { entries, next, kind, client, isFirst: before === undefined, names, proof };
    return c.html(activityPage(view), 200, pageHeaders());
  });
}
