import { PdppError } from "@pdpp/contract/errors";
import type { Input, ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, FieldWindow, WireRecord } from "@pdpp/contract/wire";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { toReadInput } from "../../explore/request.ts";
import { readString } from "../field-values.ts";
import { type CleanHtml, cleanHtml } from "./clean-html.ts";
import type { MailShape } from "./mail-shape.ts";

/** Reads a mail, the start of its text, its HTML and the rest of its thread. */

const maxFiles = 20;

export async function loadMail(
  reader: ReadApi,
  shape: MailShape,
  handle: RecordHandle,
): Promise<WireRecord | undefined> {
  const named = [
    shape.subject,
    shape.sender,
    shape.address,
    shape.recipients,
    shape.copies,
    shape.labels,
    shape.html,
    shape.time,
    shape.own?.field,
    shape.attachments,
    shape.thread?.field,
    shape.thread?.time,
  ];
  const fields = [...new Set([...shape.declaration.primaryKey, ...named.filter((name) => name !== undefined)])];
  const input: Input<"fetch"> = { ...toReadInput(handle), fields };
  const record = await fetchWithFiles(reader, shape, input);
  return record.object === "record" ? record : undefined;
}

async function fetchWithFiles(reader: ReadApi, { files }: MailShape, input: Input<"fetch">) {
  if (files === undefined) return reader.fetch(input);
  const { relationship: name } = files;
  try {
    return await reader.fetch({ ...input, expand: [name], expand_limit: { [name]: maxFiles } });
  } catch (error) {
    // A grant may not include the files. Whether the mail exists is decided by the read without them.
    if (error instanceof PdppError && error.status < 500) return reader.fetch(input);
    throw error;
  }
}

const maxTextChars = 12_000;

export async function loadMailText(
  reader: ReadApi,
  { body }: MailShape,
  handle: RecordHandle,
): Promise<FieldWindow | undefined> {
  if (body === undefined) return undefined;
  try {
    return await reader.readField({ ...toReadInput(handle), field: body, limit_chars: maxTextChars });
  } catch (error) {
    // A mail may have no text.
    if (error instanceof PdppError && error.status < 500) return undefined;
    throw error;
  }
}

/** Longer HTML is not shown formatted. */
const maxHtmlBytes = 1_000_000;

export interface MailHtml {
  readonly source: string;
  readonly clean: CleanHtml;
}

export async function loadMailHtml(
  reader: ReadApi,
  { html, source }: MailShape,
  { data }: WireRecord,
): Promise<MailHtml | undefined> {
  const reference = html === undefined ? null : (data[html] ?? null);
  if (reference === null || typeof reference !== "object" || Array.isArray(reference)) return undefined;
  const id = readString(reference, "blob_id");
  if (id === undefined) return undefined;
  try {
    const { sizeBytes, bytes } = await reader.readBlob({ blob_id: id, connection_id: source });
    if (sizeBytes > maxHtmlBytes) {
      await bytes.cancel();
      return undefined;
    }
    const text = await new Response(bytes).text();
    return { source: text, clean: cleanHtml(text) };
  } catch (error) {
    // An older backup may lack the file.
    if (error instanceof PdppError && error.status < 500) return undefined;
    throw error;
  }
}

export interface Thread {
  readonly earlier: readonly EvidenceCard[];
  readonly later: readonly EvidenceCard[];
  readonly hasMore: boolean;
}

const mailsEachWay = 20;

/** The mails of the thread before and after this one. */
export async function loadThread(reader: ReadApi, shape: MailShape, record: WireRecord, id: string): Promise<Thread> {
  const { thread, sender, body, own, source, declaration } = shape;
  const value = readString(record.data, thread?.field);
  const time = readString(record.data, thread?.time);
  if (thread === undefined || value === undefined || time === undefined)
    return { earlier: [], later: [], hasMore: false };
  const fields = [thread.time, sender, body, own?.field].filter((name) => name !== undefined);
  const list = async (range: { readonly lte: string } | { readonly gt: string }, order: "asc" | "desc") => {
    const found = await reader.queryRecords({
      stream: declaration.name,
      connection_id: source,
      filter: { [thread.field]: value, [thread.time]: range },
      order,
      limit: mailsEachWay,
      view: "evidence",
      fields: [...new Set(fields)],
      count: "none",
    });
    const cards = found.data.filter((item): item is EvidenceCard => item.object === "evidence_card");
    return { cards: cards.filter((card) => card.id !== id), hasMore: found.has_more };
  };
  const before = await list({ lte: time }, "desc");
  const after = await list({ gt: time }, "asc");
  return { earlier: before.cards.reverse(), later: after.cards, hasMore: before.hasMore || after.hasMore };
}
