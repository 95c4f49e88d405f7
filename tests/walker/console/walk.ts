import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, StreamKind } from "@pdpp/contract/declaration";
import {
  type DomNode,
  type Element,
  findElement,
  findElements,
  getAttribute,
  getText,
  hasTag,
  isWithin,
  parseDocument,
} from "@pdpp/test-support/web/dom";
import { createPerson } from "@pdpp/test-support/web/person";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { findLeaks } from "../../model/canaries.ts";
import type { Answer, LoadedVault } from "../../model/loaded-vault.ts";
import { listVisible } from "../../model/rules/grant.ts";
import type { Marks } from "../checks/exchange-checks.ts";
import type { ClientOf } from "../client.ts";
import { removeUrl } from "../rest-walk.ts";
import { Rebuilt } from "../results/rebuilt.ts";
import { WalkError } from "../walk.ts";
import { collectVocabulary, describeShape, findActionProblems, findLooseTexts, findUnknownElements } from "./dom.ts";
import { type EarlierRow, type RecordPage, readEarlier, readRecord, readWindow } from "./page.ts";

/** The owner in the console: impersonates a grant and follows every link. */

const site = "http://localhost:7663";
const mostPageBytes = 200_000;
const mostPages = 5000;

/** A signed-in owner's browser without scripts. */
export type Browser = (url: string) => Promise<Answer>;

export async function signInBrowser(vault: LoadedVault): Promise<Browser> {
  const app = createApp({
    store: vault.store,
    now: () => vault.readAt,
    onBug: (error) => vault.bugs.push(error),
  });
  const fetch = async (request: Request) => app.fetch(request);
  const person = createPerson(fetch, () => false);
  await person.send(await person.open(`${site}/sign-in`), {
    code: await createSignInCode(vault.store, 1, vault.readAt),
  });
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return async (url) => {
    const response = await app.fetch(new Request(url, { headers: { cookie, accept: "text/html" } }));
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
  };
}

export interface WalkResult {
  readonly records: Map<string, RecordPage>;
  /** Earlier versions of records, by `id version`. */
  readonly earlier: Map<string, readonly EarlierRow[] | "refused">;
  readonly rebuilt: Rebuilt;
  /** The elements of every page, in the order opened. */
  readonly shapes: { readonly url: string; readonly shape: string }[];
  /** Texts of files that could not be read. */
  readonly unreadable: Set<string>;
}

const vocabulary = collectVocabulary();

export interface Walked {
  readonly client: ClientOf;
  readonly marks: Marks;
  /** Canaries that earlier versions may show. */
  readonly earlier: ReadonlySet<string>;
  readonly open: Browser;
  /** The impersonated grant or package; undefined for the owner's own pages. */
  readonly worn: string | undefined;
}

/** Views over all sources. Their pages go on without end (the next month, the next day), so only some are opened. */
const endlessViews = ["day", "calendar", "photos", "money", "places", "people", "activity", "go"];
const mostPagesOfView = 12;
const maxPersonPages = 30;
/** Views of one record, by the kind of its stream. */
const kindPages: Readonly<Partial<Record<StreamKind, string>>> = {
  conversation: "conversation",
  mail: "mail",
  photo: "photo",
  place: "places",
  track: "places",
  document: "document",
  person: "person",
};
export const recordViews = [...new Set(Object.values(kindPages))];
const plainPages = ["explore", "record", "text", "stream", "file", "thumbnail"];
const walkedPages = new Set([...endlessViews, ...recordViews, ...plainPages]);

export const getBase = ({ worn }: Pick<Walked, "worn">): string =>
  worn === undefined ? `${site}/` : `${site}/as/${worn}/`;

/** The first part of the path behind the grant. */
const getPageName = (url: string, base: string): string => /^[^/?]*/.exec(url.slice(base.length))?.[0] ?? "";

/** Where the walk starts. Only the owner goes to pages by name, and reads the log. */
function listFirst({ worn, client: { world } }: Walked): string[] {
  const shared = ["explore", "day", "calendar", "photos", "money", "places", "places?show=places", "people"];
  if (worn !== undefined) return shared;
  const labels = world.vault.connections.flatMap(({ label }) => label?.slice(0, 60) ?? []);
  const searches = labels.slice(0, 4).map((to) => `go?${new URLSearchParams({ to })}`);
  return [...shared, "go", ...searches, "activity"];
}

/** These count in the background, and a busy machine would show them without counts. */
const countedViews = ["day", "photos", "places"];

/** Always as often, so that the log has as many entries in a harmless vault. */
async function warmUp(walked: Walked): Promise<void> {
  for (const view of countedViews)
    for (let times = 0; times < 4; times += 1) await openChecked(walked, `${getBase(walked)}${view}`);
}

export async function walkConsole(walked: Walked, first: readonly string[] = listFirst(walked)): Promise<WalkResult> {
  const base = getBase(walked);
  await warmUp(walked);
  const seen: WalkResult = {
    records: new Map(),
    earlier: new Map(),
    rebuilt: new Rebuilt(),
    shapes: [],
    unreadable: new Set(),
  };
  const pending = first.map((path) => new URL(path, base).href);
  const known = new Set(pending);
  const opened = new Map<string, number>();
  for (let url = pending.shift(); url !== undefined; url = pending.shift()) {
    if (known.size > mostPages) throw new WalkError(`no end; now ${url}`);
    const answer = await openChecked(walked, url);
    if (url.startsWith(`${base}file?`)) {
      noteFile(walked, seen, url, answer);
      continue;
    }
    if (url.startsWith(`${base}stream/raw?`)) {
      if (!isDerived(walked, url)) checkRaw(walked, url, answer);
      continue;
    }
    if (url.startsWith(`${base}thumbnail?`)) continue;
    if (url.startsWith(`${base}mail/html?`)) {
      if (!answer.headers["content-security-policy"]?.includes("sandbox")) throw new WalkError(`${url} has no sandbox`);
      continue;
    }
    const name = getPageName(url, base);
    const location = answer.headers.location;
    if (answer.status === 303 && location !== undefined) {
      const [target = ""] = new URL(location, url).href.split("#");
      if (!target.startsWith(base)) throw new WalkError(`${url} leads out of the grant, to ${target}`);
      if (!known.has(target)) pending.push(target);
      known.add(target);
      continue;
    }
    const document = parseDocument(Buffer.from(answer.bytes).toString("utf8"));
    seen.shapes.push({ url, shape: `${answer.status}\n${describeShape(document)}` });
    checkDocument(url, document);
    if (answer.status !== 200) {
      noteRefusal(seen, url, answer, document);
      continue;
    }
    walked.client.tally.views.add(`${walked.worn === undefined ? "own" : "as"} ${name}`);
    if (!isDerived(walked, url)) note(seen, url, document);
    for (const link of [...listLinks(document, url, walked), ...listKindPages(walked, url)]) {
      if (known.has(link)) continue;
      const view = getPageName(link, base);
      if (endlessViews.includes(view)) {
        const times = (opened.get(view) ?? 0) + 1;
        if (times > mostPagesOfView) continue;
        opened.set(view, times);
      }
      known.add(link);
      pending.push(link);
    }
  }
  return seen;
}

/** The list of people and the page of each of the first, with their tabs, under a grant that covers them. */
export async function walkPeople(walked: Walked): Promise<void> {
  const base = getBase(walked);
  const pending = [`${base}people`];
  const known = new Set(pending);
  for (let url = pending.shift(); url !== undefined; url = pending.shift()) {
    const answer = await openChecked(walked, url);
    // A contact in another stream has the page of its record.
    if (answer.status === 303 && new URL(answer.headers.location ?? "", url).href.startsWith(`${base}record?`))
      continue;
    if (answer.status !== 200) throw new WalkError(`${url} is not shown: ${answer.status}`);
    const document = parseDocument(Buffer.from(answer.bytes).toString("utf8"));
    checkDocument(url, document);
    walked.client.tally.views.add(`as ${getPageName(url, base)}`);
    for (const link of listLinks(document, url, walked)) {
      if (known.has(link) || known.size > maxPersonPages || !link.startsWith(`${base}person?`)) continue;
      known.add(link);
      pending.push(link);
    }
  }
}

/** Whether a page of the owner shows people, whom the server derived and the model does not know. */
function isDerived({ worn, client: { world } }: Walked, url: string): boolean {
  const { searchParams } = new URL(url);
  const source = searchParams.get("source") ?? searchParams.get("id")?.split("/")[0];
  return worn === undefined && source !== undefined && world.vault.connections.every(({ id }) => id !== source);
}

/** The view of a record's kind. */
function listKindPages(walked: Walked, url: string): string[] {
  const base = getBase(walked);
  const id = new URL(url).searchParams.get("id");
  if (getPageName(url, base) !== "record" || id === null || url.includes("version=")) return [];
  const { vault } = walked.client.world;
  const [place = ""] = id.split(":");
  const [source = "", name = ""] = place.split("/");
  const key = vault.connections.find((connection) => connection.id === source)?.connectorKey;
  const streams = vault.connectors.find((connector) => connector.key === key)?.streams ?? [];
  const kind = streams.find((stream) => stream.name === name)?.presentation?.kind;
  const page = kind && kindPages[kind];
  return page === undefined ? [] : [`${base}${page}?${new URLSearchParams({ id })}`];
}

/** Checks what must hold for every response. */
export async function openChecked({ client, marks, earlier, open }: Walked, url: string): Promise<Answer> {
  const answer = await open(url);
  client.tally.calls += 1;
  client.tally.canaries += marks.all.size;
  const allowed = url.includes("version=") ? marks.allowed.union(earlier) : marks.allowed;
  const leaked = findLeaks(answer, url, allowed, marks.all);
  if (leaked.length > 0) throw new WalkError(`${url} leaks ${leaked.join(", ")}`);
  if (answer.status >= 500) throw new WalkError(`${url} failed: ${String(client.vault.bugs.at(-1))}`);
  if (answer.headers["content-type"]?.startsWith("text/html") && answer.bytes.length > mostPageBytes)
    throw new WalkError(`${url} has ${answer.bytes.length} bytes`);
  return answer;
}

export function checkDocument(url: string, document: DomNode): void {
  const faults = [
    ...findActionProblems(document, url).map((fault) => `acts: ${fault}`),
    ...findUnknownElements(document, vocabulary).map((fault) => `no page has ${fault}`),
    ...findLooseTexts(document).map((fault) => `not in a separate element: ${JSON.stringify(fault)}`),
  ];
  if (faults.length > 0) throw new WalkError(`${url}\n  ${faults.slice(0, 5).join("\n  ")}`);
}

/**
 * Links in the page content, which stay under the grant; navigation and the impersonation banner lead to the owner's
 * own pages. The owner's pages also lead to settings and agents, which are not walked.
 */
function listLinks(document: DomNode, url: string, walked: Walked): string[] {
  const base = getBase(walked);
  const main = findElement(document, hasTag("main")) ?? document;
  const { searchParams } = new URL(url);
  const listPlaces = (node: DomNode): string[] =>
    findElements(node, (element) => !isWithin(element, hasTag("p", "impersonating"))).flatMap((element) => [
      ...(element.tagName === "a" ? [getAttribute(element, "href") ?? ""] : []),
      ...(element.tagName === "img" || element.tagName === "iframe" ? [getAttribute(element, "src") ?? ""] : []),
    ]);
  // Charts lead to the same tables with other filters; two are enough.
  const isDrawn = searchParams.has("total");
  const places = isDrawn
    ? findElements(main, hasTag("section", "over-time")).flatMap((each) => listPlaces(each).slice(0, 2))
    : listPlaces(main);
  const isPlain = !isDrawn && !["order", "filter", "cursor"].some((name) => searchParams.has(name));
  const drawn = isPlain ? findElements(main, hasTag("form")).flatMap(parseTotals) : [];
  return [...places, ...drawn].flatMap((place) => {
    const [link = ""] = new URL(place, url).href.split("#");
    if (!link.startsWith(base)) throw new WalkError(`${url} leads out of the grant, to ${link}`);
    return walked.worn === undefined && !isWalkedByOwner(link, base) ? [] : [link];
  });
}

/**
 * Pages that the owner walks too. Searches that the page of names offers differ from those of a harmless vault, and
 * charts and orders of tables are walked under the grants.
 */
function isWalkedByOwner(link: string, base: string): boolean {
  const { searchParams } = new URL(link);
  return (
    walkedPages.has(getPageName(link, base)) &&
    !["q", "total", "sort", "order", "filter"].some((name) => searchParams.has(name))
  );
}

/** Every pair of a chart form's two choices. */
function parseTotals(form: Element): string[] {
  const choices = (name: string): string[] =>
    findElements(form, (each) => each.tagName === "select" && getAttribute(each, "name") === name).flatMap((select) =>
      findElements(select, hasTag("option")).map((option) => getAttribute(option, "value") ?? ""),
    );
  const kept = findElements(form, hasTag("input")).map((input) => [
    getAttribute(input, "name") ?? "",
    getAttribute(input, "value") ?? "",
  ]);
  return choices("total").flatMap((total) =>
    [...choices("by"), ""].map((by) => `stream?${new URLSearchParams([...kept, ["total", total], ["by", by]])}`),
  );
}

function note(seen: WalkResult, url: string, document: DomNode): void {
  const { pathname, searchParams } = new URL(url);
  const id = searchParams.get("id") ?? "";
  const version = searchParams.get("version");
  const isEarlier = findElement(document, hasTag("p", "done")) !== undefined;
  if (pathname.endsWith("/record") && isEarlier) seen.earlier.set(`${id} ${version}`, readEarlier(document));
  else if (pathname.endsWith("/record")) {
    const page = readRecord(document);
    if (page.id !== id) throw new WalkError(`${url} says that it is ${page.id}`);
    seen.records.set(id, page);
    for (const { field, end, total, text } of page.beginnings)
      seen.rebuilt.piece(id, field, { start: 0, end, total }, text);
  } else if (pathname.endsWith("/text")) {
    const { text, version: earlier, ...window } = readWindow(document);
    const place = earlier === undefined ? id : `${id} ${earlier}`;
    seen.rebuilt.piece(place, searchParams.get("field") ?? "", window, text);
  }
}

function noteRefusal(seen: WalkResult, url: string, answer: Answer, document: DomNode): void {
  const { pathname, searchParams } = new URL(url);
  const [id, field] = [searchParams.get("id") ?? "", searchParams.get("field") ?? ""];
  const version = searchParams.get("version");
  if (pathname.endsWith("/record") && version !== null) seen.earlier.set(`${id} ${version}`, "refused");
  else if (pathname.endsWith("/text") && field.endsWith("{text}")) seen.unreadable.add(JSON.stringify([id, field]));
  else
    throw new WalkError(
      `${url} failed: ${answer.status} ${getText(findElement(document, hasTag("main")) ?? document)}`,
    );
}

/** A downloaded table must contain the records' values in granted fields only. */
function checkRaw({ client: { world } }: Walked, url: string, answer: Answer): void {
  if (answer.status !== 200 || !answer.headers["content-disposition"]?.startsWith("attachment"))
    throw new WalkError(`${url} answered ${answer.status} as ${answer.headers["content-type"]}`);
  const { searchParams } = new URL(url);
  const text = Buffer.from(answer.bytes).toString("utf8");
  if (searchParams.get("as") !== "ndjson") return;
  const [source, stream] = [searchParams.get("source"), searchParams.get("stream")];
  const seen = world.sources
    .filter((each) => each.stream.name === stream && each.connectionIds.includes(source ?? ""))
    .flatMap((each) => listVisible(each, world.snapshot))
    .filter(({ connectionId }) => connectionId === source);
  const lines = text.split("\n").filter((line) => line !== "");
  // A list that is sorted by another field may omit the records without it.
  const isWhole = !searchParams.has("filter") && !searchParams.has("sort");
  if (isWhole ? lines.length !== seen.length : lines.length > seen.length)
    throw new WalkError(`${url} has ${lines.length} records of ${seen.length}`);
  for (const line of lines) {
    const { id, data }: { id: string; data: JsonObject } = JSON.parse(line);
    const record = seen.find(({ key }) => key === id);
    const wrong = Object.entries(data).find(
      ([name, value]) => !isDeepStrictEqual(removeUrl(value), plain(record?.data[name])),
    );
    if (wrong !== undefined)
      throw new WalkError(`${url}: ${wrong[0]} of ${id} is ${JSON.stringify(wrong[1]).slice(0, 200)}`);
  }
}

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

function noteFile({ client: { world, tally } }: Walked, seen: WalkResult, url: string, answer: Answer): void {
  const id = new URL(url).searchParams.get("blob") ?? "";
  const stored = world.vault.blobs.find(({ ref }) => ref.blob_id === id);
  if (stored === undefined) {
    if (answer.status !== 404) throw new WalkError(`${url}: ${answer.status} for bytes that are not there`);
    seen.rebuilt.blobsRead.add(id);
    return;
  }
  const digest = createHash("sha256").update(answer.bytes).digest("hex");
  if (answer.status !== 200 || digest !== stored.ref.sha256) throw new WalkError(`${url}: other bytes, or none`);
  tally.characters += answer.bytes.length;
  seen.rebuilt.blobsRead.add(id);
}
