import { createHash } from "node:crypto";
import type { Json } from "@pdpp/contract/declaration";
import { findLeaks } from "../model/canaries.ts";
import { type Answer, readText } from "../model/loaded-vault.ts";
import type { ClientOf } from "./client.ts";
import { type Back, checkBack, followBack, Known } from "./results/back.ts";
import { parseWindow } from "./results/read-structured.ts";
import { type Blob, Rebuilt } from "./results/rebuilt.ts";
import { forged } from "./vaults/hostile-text.ts";
import { WalkError } from "./walk.ts";

/** The walk over REST: starts at the schema and follows every `{operation, method, url}` and next page. */

type Shape = Record<string, unknown>;
const isShape = (value: unknown): value is Shape => typeof value === "object" && value !== null;

/** Record values appear under these names. */
const data: ReadonlySet<string> = new Set(["data", "value"]);

function listUrls(said: unknown): string[] {
  if (Array.isArray(said)) return said.flatMap(listUrls);
  if (!isShape(said)) return [];
  if (typeof said.operation === "string" && typeof said.url === "string") return [said.url];
  return Object.entries(said).flatMap(([name, value]) =>
    data.has(name) && said.object !== "list" ? [] : name === "previous" || name === "links" ? [] : listUrls(value),
  );
}

export async function walkRest(client: ClientOf): Promise<Rebuilt> {
  const rebuilt = new Rebuilt();
  const pending: Step[] = [];
  const known = new Known();
  const add = (step: Step) => {
    if (known.add(step.url, step.back)) pending.push(step);
  };
  add({ url: "/v1/schema?view=compact" });
  for (let step = pending.shift(); step !== undefined; step = pending.shift()) {
    const { url, back } = step;
    if (known.size > 5000) throw new WalkError(`no end; now ${url}`);
    if (url.includes(`/${forged}/`)) throw new WalkError("a record's text passed for the server's words");
    const answer = await getChecked(client, url);
    if (url.startsWith("/v1/blobs/")) {
      rebuilt.blobsRead.add(checkBlob(client, url, answer));
      continue;
    }
    if (answer.status !== 200) {
      if (isBroken(url, answer)) continue;
      throw new WalkError(`${url} failed: ${answer.status} ${readText(answer).slice(0, 500)}`);
    }
    const body = JSON.parse(readText(answer)) as Shape;
    const offered: Step[] =
      body.object === "schema" ? listStreams(body).map((next) => ({ url: next })) : listOffered(body);
    if (body.object !== "schema") note(body, rebuilt, back);
    for (const offer of followBack(back, offered)) add(offer);
  }
  return rebuilt;
}

interface Step {
  readonly url: string;
  readonly back?: Back;
}

function listOffered(body: Shape): Step[] {
  const { links, previous, next, window } = body as Record<string, Shape | null | undefined>;
  const bytes = body.object === "record" ? Object.values(body.data as Shape).flatMap(listBytes) : [];
  const pages = typeof links?.next === "string" ? [links.next] : [];
  const ahead = [...bytes, ...listUrls(body), ...pages].map((url) => ({ url }));
  if (!previous) return ahead;
  const back = { start: Number(window?.start_chars), toBeginning: !next };
  return [...ahead, { url: String(previous.url), back }];
}

async function getChecked({ vault, token, marks, tally }: ClientOf, url: string): Promise<Answer> {
  const answer = await vault.get(token, url);
  tally.calls += 1;
  tally.canaries += marks.all.size;
  const leaked = findLeaks(answer, url, marks.allowed, marks.all);
  if (leaked.length > 0) throw new WalkError(`${url} leaks ${leaked.join(", ")}`);
  if (answer.status >= 500) throw new WalkError(`${url} failed: ${String(vault.bugs.at(-1))}`);
  return answer;
}

const isBroken = (url: string, answer: Answer): boolean =>
  decodeURIComponent(url).includes("{text}") &&
  /"code":"(field_not_text|blob_not_found|not_found)"/.test(readText(answer));

/** Lists each stream of each connection in the schema, as evidence. */
function listStreams(schema: Shape): string[] {
  const connectors = schema.connectors as { granted_connections: { connection_id: string }[]; streams: Shape[] }[];
  return connectors.flatMap((connector) =>
    connector.streams.flatMap((stream) => {
      const own = (stream.granted_connections ?? connector.granted_connections) as { connection_id: string }[];
      return own.map(({ connection_id: id }) => {
        const name = encodeURIComponent(String(stream.name));
        return `/v1/streams/${name}/records?connection_id=${encodeURIComponent(id)}&view=evidence&limit=5`;
      });
    }),
  );
}

function note(body: Shape, into: Rebuilt, back?: Back): void {
  if (body.object === "list") for (const item of body.data as Shape[]) noteCard(item, into);
  else if (body.object === "evidence_card") noteCard(body, into);
  else if (body.object === "field_window") {
    const { connection_id, stream, record_id, field, window } = body as Record<string, Shape>;
    const id = `${connection_id}/${stream}:${record_id}`;
    into.piece(id, String(field!.path), parseWindow(window), String(window!.text));
    checkBack(back, parseWindow(window).end, []);
  } else if (body.object === "record") {
    const id = `${body.connection_id}/${body.stream}:${body.id}`;
    into.record(id);
    for (const link of (body.related ?? []) as Shape[]) into.link(id, String(link.relationship), Number(link.count));
    for (const [name, value] of Object.entries(body.data as Shape)) into.value(id, name, removeUrl(value as Json));
  }
}

const listBytes = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => {
    const url = isShape(item) ? item.fetch_url : undefined;
    return typeof url === "string" && url.startsWith("/v1/blobs/") ? [url] : [];
  });

/** The location of bytes is not part of the record. */
export function removeUrl(value: Json): Json {
  if (Array.isArray(value)) return value.map(removeUrl);
  if (typeof value !== "object" || value === null || typeof value.blob_id !== "string") return value;
  const { fetch_url: _, ...rest } = value;
  return rest;
}

function noteCard(card: Shape, into: Rebuilt): void {
  const id = String(card.id);
  into.record(id);
  const slots = Object.values(card.slots as Record<string, Shape[]>).flat();
  for (const field of [...slots, ...(card.fields as Shape[])]) {
    const path = String(field.field_path);
    if (field.shown === "inline") into.value(id, path, field.value as Json);
    else if (field.shown === "blob")
      for (const { read: _, text: __, ...blob } of field.references as Shape[])
        into.blob(id, path, blob as unknown as Blob);
    else if (field.shown === "preview") into.piece(id, path, parseWindow(field.window), String(field.preview));
  }
}

/** Follows a read of bytes that a tool offered: the blob, or the record with the stored value. */
export async function followBytes(client: ClientOf, address: string, into: Rebuilt): Promise<void> {
  const url = address.replace(/^https?:\/\/[^/]+/, "");
  const answer = await getChecked(client, url);
  if (url.startsWith("/v1/blobs/")) {
    into.blobsRead.add(checkBlob(client, url, answer));
    return;
  }
  if (answer.status !== 200) throw new WalkError(`${url} failed: ${answer.status} ${readText(answer).slice(0, 500)}`);
  const { connection_id, stream, id, data: values } = JSON.parse(readText(answer)) as Shape;
  if (!isShape(values)) throw new WalkError(`${url} is not a record`);
  for (const [name, value] of Object.entries(values))
    into.out(`${connection_id}/${stream}:${id}`, name, removeUrl(value as Json));
}

function checkBlob({ world, tally }: ClientOf, url: string, answer: Answer): string {
  const id = decodeURIComponent(url.slice("/v1/blobs/".length).split("?")[0]!);
  const stored = world.vault.blobs.find(({ ref }) => ref.blob_id === id);
  if (stored === undefined) {
    if (answer.status !== 404) throw new WalkError(`${url}: ${answer.status} for bytes that are not there`);
    return id;
  }
  const digest = createHash("sha256").update(answer.bytes).digest("hex");
  if (answer.status !== 200 || digest !== stored.ref.sha256) throw new WalkError(`${url}: other bytes, or none`);
  tally.characters += answer.bytes.length;
  return id;
}
