import type { JsonObject } from "@pdpp/contract/declaration";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import { deriveId } from "@pdpp/importers/identity";
import { cleanText, trimToNull } from "@pdpp/importers/text/clean";
import { parseFeed } from "feedsmith";
import { FeedError } from "./fetch-feed.ts";

/** An entry of any format of feed. */
interface Entry {
  /** The feed's own id of it. */
  readonly id?: string | undefined;
  readonly link?: string | undefined;
  readonly title?: Text | undefined;
  readonly texts: readonly (Text | undefined)[];
  readonly authors?: readonly (string | undefined)[] | undefined;
  readonly published?: unknown;
  readonly updated?: unknown;
  readonly categories?: readonly (string | undefined)[] | undefined;
  readonly media?: readonly (string | undefined)[] | undefined;
}

interface Text {
  readonly value?: string | undefined;
  readonly isHtml: boolean;
}

interface Feed {
  readonly title?: string | undefined;
  readonly link?: string | undefined;
  readonly entries: readonly Entry[];
}

/** More than any feed that people write. */
const maxItems = 10_000;

/** The records of a feed. Throws a FeedError if the text is not a feed. */
export async function readEntries(text: string, feedUrl: string): Promise<JsonObject[]> {
  const feed = parse(text);
  const title = feed.title === undefined ? null : await toPlainText({ value: feed.title, isHtml: true });
  const base = resolveUrl(feed.link, feedUrl) ?? feedUrl;
  const records: JsonObject[] = [];
  for (const entry of feed.entries) records.push(await createRecord(entry, { title, base, feedUrl }));
  return records;
}

async function createRecord(
  entry: Entry,
  {
    title: feedTitle,
    base,
    feedUrl,
  }: { readonly title: string | null; readonly base: string; readonly feedUrl: string },
): Promise<JsonObject> {
  const url = resolveUrl(entry.link, base);
  const title = await toPlainText(entry.title);
  const published = parseTime(entry.published);
  const updated = parseTime(entry.updated);
  const longest = entry.texts.find((each) => (each?.value ?? "").trim() !== "");
  const text = await toPlainText(longest);
  const own = entry.id ?? url ?? deriveId(title, published, text);
  return {
    id: deriveId("feed", feedUrl, cleanText(own)),
    title,
    author: listTexts(entry.authors).join(", ") || null,
    text,
    url,
    feed_title: feedTitle,
    feed_url: feedUrl,
    published_at: published ?? updated,
    updated_at: updated,
    categories: listTexts(entry.categories),
    media: (entry.media ?? []).flatMap((each) => resolveUrl(each, base) ?? []),
  };
}

const listTexts = (texts: readonly (string | undefined)[] = []): string[] => [
  ...new Set(texts.map((each) => cleanText(each ?? "").trim()).filter((each) => each !== "")),
];

async function toPlainText(text: Text | undefined): Promise<string | null> {
  const value = text?.value ?? "";
  // Plain words are not worth a parser.
  const isMarkup = text?.isHtml === true && /[<&]/.test(value);
  return trimToNull(isMarkup ? await extractHtmlText(value, false) : value);
}

function resolveUrl(link: string | undefined, base: string): string | null {
  const url = link === undefined ? null : URL.parse(link.trim(), base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** The year 2223: later ones are mistakes. */
const latestTime = 8e12;

/** ISO 8601, or as in mails; without a zone it is UTC. */
function parseTime(written: unknown): string | null {
  if (typeof written !== "string" || written.trim() === "") return null;
  const text = written.trim();
  const hasZone = /(Z|[+-]\d{2}:?\d{2}|\b[A-Z]{2,4})$/i.test(text);
  const instant = parseInstant(text) ?? Date.parse(hasZone ? text : `${text} UTC`);
  return Number.isNaN(instant) || Math.abs(instant) > latestTime ? null : formatInstant(instant);
}

const html = (value: string | undefined): Text => ({ value, isHtml: true });

function parse(text: string): Feed {
  try {
    return normalize(parseFeed(text, { maxItems }));
  } catch {
    throw new FeedError("it is not an RSS, Atom, RDF or JSON feed, or it is damaged");
  }
}

function normalize(parsed: ReturnType<typeof parseFeed>): Feed {
  if (parsed.format === "atom") {
    const { title, links = [], entries = [] } = parsed.feed;
    const findLink = (all: readonly { href?: string; rel?: string }[]): string | undefined =>
      all.find(({ rel = "alternate" }) => rel === "alternate")?.href;
    const toText = (part: { value?: string; type?: string } | undefined): Text | undefined =>
      part && { value: part.value, isHtml: /html/.test(part.type ?? "") };
    return {
      title: title?.value,
      link: findLink(links),
      entries: entries.map((entry) => ({
        id: entry.id,
        link: findLink(entry.links ?? []),
        title: toText(entry.title),
        texts: [toText(entry.content), toText(entry.summary)],
        authors: entry.authors?.map(({ name, email }) => name ?? email),
        published: entry.published,
        updated: entry.updated,
        categories: entry.categories?.map(({ label, term }) => label ?? term),
        media: entry.links?.filter(({ rel }) => rel === "enclosure").map(({ href }) => href),
      })),
    };
  }
  if (parsed.format === "json") {
    const { title, home_page_url: link, items = [] } = parsed.feed;
    return {
      title,
      link,
      entries: items.map((item) => ({
        id: item.id,
        link: item.url ?? item.external_url,
        title: { value: item.title, isHtml: false },
        texts: [
          html(item.content_html),
          { value: item.content_text, isHtml: false },
          { value: item.summary, isHtml: false },
        ],
        authors: item.authors?.map(({ name }) => name),
        published: item.date_published,
        updated: item.date_modified,
        categories: item.tags,
        media: item.attachments?.map(({ url }) => url),
      })),
    };
  }
  if (parsed.format === "rdf") {
    const { title, link, items = [] } = parsed.feed;
    return {
      title,
      link,
      entries: items.map((item) => ({
        id: item.rdf?.about,
        link: item.link,
        title: html(item.title),
        texts: [html(item.content?.encoded), html(item.description)],
        authors: item.dc?.creators,
        published: item.dc?.dates?.[0],
        categories: item.dc?.subjects,
      })),
    };
  }
  const { title, link, items = [] } = parsed.feed;
  return {
    title,
    link,
    entries: items.map((item) => ({
      id: item.guid?.value,
      link: item.link ?? (item.guid?.isPermaLink === false ? undefined : item.guid?.value),
      title: html(item.title),
      texts: [html(item.content?.encoded), html(item.description)],
      authors: item.dc?.creators ?? item.authors?.map(({ name, email }) => name ?? email),
      published: item.pubDate ?? item.dc?.dates?.[0],
      updated: item.atom?.updated,
      categories: item.categories?.map(({ name }) => name),
      media: item.enclosures?.map(({ url }) => url),
    })),
  };
}
