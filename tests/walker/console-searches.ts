import { findElement, findElements, getAttribute, hasTag, parseDocument } from "@pdpp/test-support/web/dom";
import { shapeOf } from "./console-dom.ts";
import { checkDocument, checkedOpen, type Seen, site, type Walked } from "./console-walk.ts";
import { searchable, spread, withheld } from "./searches.ts";
import { WalkFault } from "./walk.ts";

/** Searches while impersonating a grant: words inside it are found, words outside do not seem to exist. */
export async function proveConsoleSearches(walked: Walked, seen: Seen): Promise<void> {
  const { client, marks } = walked;
  for (const { mark, id } of searchable(client).slice(0, 2)) {
    const { ids, narrowed } = await hitsOf(walked, seen, addressOf(walked, mark));
    if (!ids.has(id)) throw new WalkFault(`a search for ${mark} did not find ${JSON.stringify(id)}`);
    for (const url of spread(narrowed, 6)) await hitsOf(walked, seen, url);
  }
  for (const mark of spread(
    withheld(client).filter((each) => !marks.allowed.has(each)),
    4,
  )) {
    const { ids, isNoted } = await hitsOf(walked, seen, addressOf(walked, mark));
    // A phrase that occurs nowhere is searched by its words, which other records may have; the page says so.
    if (ids.size > 0 && !isNoted) throw new WalkFault(`a search for ${mark}, outside of the grant, found something`);
  }
}

const addressOf = ({ worn }: Walked, mark: string): string =>
  `${site}/as/${worn}/explore?${new URLSearchParams({ q: `"${mark.replaceAll("_", " ").trim()}"` })}`;

interface Hits {
  readonly ids: ReadonlySet<string>;
  readonly narrowed: readonly string[];
  readonly isNoted: boolean;
}

async function hitsOf(walked: Walked, seen: Seen, first: string): Promise<Hits> {
  const ids = new Set<string>();
  let narrowed: string[] = [];
  let isNoted = false;
  for (let url: string | undefined = first; url !== undefined; ) {
    const at: string = url;
    const { status, bytes } = await checkedOpen(walked, at);
    if (status !== 200) throw new WalkFault(`${at} answered ${status}`);
    const document = parseDocument(Buffer.from(bytes).toString("utf8"));
    checkDocument(at, document);
    seen.shapes.push({ url: at, shape: shapeOf(document) });
    const linksIn = (node: Parameters<typeof findElements>[0]): string[] =>
      findElements(node, hasTag("a")).map((link) => new URL(getAttribute(link, "href") ?? "", at).href);
    const hits = findElement(document, hasTag("ol", "hits"));
    for (const link of hits === undefined ? [] : linksIn(hits)) {
      const { pathname, searchParams } = new URL(link);
      if (pathname.endsWith("/record")) ids.add(searchParams.get("id") ?? "");
    }
    if (at === first) {
      const aside = findElement(document, hasTag("aside"));
      narrowed = aside === undefined ? [] : linksIn(aside);
      isNoted = findElement(document, hasTag("p", "note")) !== undefined;
    }
    const next = findElement(document, (element) => getAttribute(element, "rel") === "next");
    url = next && new URL(getAttribute(next, "href") ?? "", at).href;
  }
  return { ids, narrowed, isNoted };
}
