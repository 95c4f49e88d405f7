import type { Stage } from "../../oauth/agent.ts";
import type { Person, VisitedPage } from "./person.ts";

/** A signed-in owner on the pages of a vault. */

export const site = "http://localhost:7663";

export async function signInOwner(on: Pick<Stage, "owner" | "code">): Promise<Person> {
  const owner = on.owner();
  await owner.send(await owner.open(`${site}/sign-in`), { code: await on.code() });
  return owner;
}

/** The target of the first link with this text. */
export function findLink({ html, url }: VisitedPage, text: string): string {
  const links = [...html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>([\s\S]*?)<\/a>/g)];
  const found = links.find(([, , inner = ""]) => inner.replace(/<[^>]+>/g, "").includes(text))?.[1];
  if (found === undefined) throw new Error(`no link ${JSON.stringify(text)} on ${url}`);
  return new URL(found.replaceAll("&amp;", "&"), url).href;
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** The first element with this name, as visible text. */
export function readElementText({ html, url }: VisitedPage, element: string): string {
  const inner = new RegExp(`<${element}\\b[^>]*>([\\s\\S]*?)</${element}>`).exec(html)?.[1];
  if (inner === undefined) throw new Error(`no ${element} on ${url}`);
  return inner.replace(/<[^>]+>/g, "").replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => entities[name] ?? "");
}
