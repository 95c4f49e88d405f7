import { findElement, findElements, getAttribute, hasTag, parseDocument } from "@pdpp/test-support/web/dom";
import { listSearchable, listWithheld, spread } from "../checks/searches.ts";
import { WalkError } from "../walk.ts";
import { describeShape } from "./dom.ts";
import { checkDocument, getBase, openChecked, recordViews, type Walked, type WalkResult } from "./walk.ts";

/** Searches while impersonating a grant: words inside it are found, words outside do not seem to exist. */
export async function proveConsoleSearches(walked: Walked, seen: WalkResult): Promise<void> {
  const { client, marks } = walked;
  for (const { mark, id } of listSearchable(client).slice(0, 2)) {
    const { ids, narrowed } = await collectHits(walked, seen, buildUrl(walked, mark));
    if (!ids.has(id)) throw new WalkError(`a search for ${mark} did not find ${JSON.stringify(id)}`);
    for (const url of spread(narrowed, 6)) await collectHits(walked, seen, url);
  }
  for (const mark of spread(
    listWithheld(client).filter((each) => !marks.allowed.has(each)),
    4,
  )) {
    const { ids, isNoted } = await collectHits(walked, seen, buildUrl(walked, mark));
    // A phrase that occurs nowhere is searched by its words, which other records may have; the page says so.
    if (ids.size > 0 && !isNoted) throw new WalkError(`a search for ${mark}, outside of the grant, found something`);
  }
}

const buildUrl = (walked: Walked, mark: string): string =>
  `${getBase(walked)}explore?${new URLSearchParams({ q: `"${mark.replaceAll("_", " ").trim()}"` })}`;

interface Hits {
  readonly ids: ReadonlySet<string>;
  readonly narrowed: readonly string[];
  readonly isNoted: boolean;
}

async function collectHits(walked: Walked, seen: WalkResult, first: string): Promise<Hits> {
  const ids = new Set<string>();
  let narrowed: string[] = [];
  let isNoted = false;
  for (let url: string | undefined = first; url !== undefined; ) {
    const at: string = url;
    const { status, bytes } = await openChecked(walked, at);
    if (status !== 200) throw new WalkError(`${at} answered ${status}`);
    const document = parseDocument(Buffer.from(bytes).toString("utf8"));
    checkDocument(at, document);
    seen.shapes.push({ url: at, shape: describeShape(document) });
    const listLinks = (node: Parameters<typeof findElements>[0]): string[] =>
      findElements(node, hasTag("a")).map((link) => new URL(getAttribute(link, "href") ?? "", at).href);
    const hits = findElement(document, hasTag("ol", "hits"));
    for (const link of hits === undefined ? [] : listLinks(hits)) {
      const { pathname, searchParams } = new URL(link);
      if (["record", ...recordViews].some((page) => pathname.endsWith(`/${page}`)))
        ids.add(searchParams.get("id") ?? "");
    }
    if (at === first) {
      const aside = findElement(document, hasTag("aside"));
      narrowed = aside === undefined ? [] : listLinks(aside);
      isNoted = findElement(document, hasTag("p", "note")) !== undefined;
    }
    const next = findElement(document, (element) => getAttribute(element, "rel") === "next");
    url = next && new URL(getAttribute(next, "href") ?? "", at).href;
  }
  return { ids, narrowed, isNoted };
}
