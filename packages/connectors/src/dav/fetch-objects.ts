import { AnswerTooLarge, type DavClient, readText } from "./dav-client.ts";
import { type ListedObject, normalizeHref } from "./list-changes.ts";
import type { DavService } from "./service.ts";

export interface FetchedObject extends ListedObject {
  readonly key: string;
  readonly content: ObjectContent;
}

/** `gone`: it was deleted since it was listed. */
type ObjectContent = { readonly text: string } | { readonly problem: string } | "gone";

export type WantedObject = ListedObject & { readonly key: string };

/** Larger parts are hardly faster. */
export const partSize = 200;

/** Downloads objects with one request, or with several if the server's answer lacks some or is too large. */
export async function fetchObjects(
  client: DavClient,
  service: DavService,
  url: string,
  wanted: readonly WantedObject[],
): Promise<FetchedObject[]> {
  try {
    const found = await fetchTogether(client, service, url, wanted);
    const all: FetchedObject[] = [];
    for (const object of wanted) all.push(found.get(object.key) ?? (await fetchAlone(client, url, object)));
    return all;
  } catch (error) {
    if (!(error instanceof AnswerTooLarge)) throw error;
  }
  const [first] = wanted;
  if (wanted.length === 1 && first !== undefined)
    return [{ ...first, content: { problem: "it is larger than 64 MiB" } }];
  const half = Math.ceil(wanted.length / 2);
  return [
    ...(await fetchObjects(client, service, url, wanted.slice(0, half))),
    ...(await fetchObjects(client, service, url, wanted.slice(half))),
  ];
}

/** The objects of one report. Servers may omit objects, or not support the report. */
async function fetchTogether(
  client: DavClient,
  { multiget, data, dataName }: DavService,
  url: string,
  wanted: readonly WantedObject[],
): Promise<Map<string, FetchedObject>> {
  const answer = await client.report(url, "1", multiget, {
    "d:prop": { "d:getetag": {}, [data]: {} },
    "d:href": wanted.map(({ href }) => href),
  });
  const asked = new Map(wanted.map((object) => [object.key, object]));
  const found = new Map<string, FetchedObject>();
  for (const { href, status, props } of answer.rows ?? []) {
    const object = asked.get(normalizeHref(href, answer.url));
    if (object === undefined) continue;
    const text = readText(props[dataName]);
    if (text !== undefined)
      found.set(object.key, { ...object, etag: readText(props.getetag) ?? object.etag, content: { text } });
    else if (status === 404 || status === 410) found.set(object.key, { ...object, content: "gone" });
  }
  return found;
}

async function fetchAlone(client: DavClient, base: string, object: WantedObject): Promise<FetchedObject> {
  const { status, headers, bytes } = await client.get(new URL(object.href, base).href);
  if (status === 404 || status === 410) return { ...object, content: "gone" };
  if (status !== 200) return { ...object, content: { problem: `the server answered with status ${status}` } };
  const text = new TextDecoder().decode(bytes);
  return { ...object, etag: object.etag ?? headers.get("etag") ?? undefined, content: { text } };
}
