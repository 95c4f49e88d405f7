import { type ConnectorDeclaration, findField, type Json, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerCatalog, OwnerConnection } from "@pdpp/contract/owner";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import { toText } from "@pdpp/evidence/fields/field";
import { fieldLabel, type PartKind, partsOf, streamLabel } from "../frame/words.ts";

/** What a client asks for in detail. */
export interface Selection {
  readonly source: { readonly id: string };
  readonly purpose_code?: string | undefined;
  readonly purpose_description?: string | undefined;
  readonly client_claims?: { readonly commitments?: readonly string[] | undefined } | undefined;
  readonly access_mode?: "single_use" | "continuous" | undefined;
  readonly streams: readonly {
    readonly name: string;
    readonly fields?: readonly string[] | undefined;
    readonly view?: string | undefined;
    readonly instance_ids?: readonly string[] | undefined;
    readonly resources?: readonly string[] | undefined;
    readonly time_range?: { readonly since?: string | undefined; readonly until?: string | undefined } | undefined;
  }[];
}

/** What an owner could share with a client that asks: in the owner's words, with examples of the owner's own data. */

export interface Offer {
  readonly sources: readonly OfferedSource[];
  /** Whether the client named what it wants. Without that, it gets what the owner picks, and nothing comes picked. */
  readonly asked: boolean;
  /** The client said that it reads once. */
  readonly once: boolean;
  /** Sources that were asked for and that this vault does not have. */
  readonly unknown: readonly string[];
  /** Sources that this vault has and that were not asked for. */
  readonly besides: readonly string[];
}

interface OfferedSource {
  readonly connectorKey: string;
  readonly label: string;
  /** What the client declared that it wants this source for. */
  readonly purposeCode?: string;
  readonly accounts: readonly OfferedAccount[];
  readonly streams: readonly OfferedStream[];
}

interface OfferedAccount {
  readonly id: string;
  readonly label: string;
  readonly asked: boolean;
  /** How much of it there is. */
  readonly held?: string;
}

export interface OfferedStream {
  readonly name: string;
  readonly label: string;
  readonly parts: readonly OfferedPart[];
  /** Of these accounts only, because the client asked for no others. */
  readonly accounts?: readonly string[];
  /** A grant of this stream can begin at a date. */
  readonly timed: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly resources?: readonly string[];
}

/** Fields that belong together for a person: "Subject, sender, date", or "the text". */
export interface OfferedPart {
  readonly kind: PartKind;
  readonly fields: readonly { readonly name: string; readonly label: string; readonly example?: string }[];
  readonly asked: boolean;
}

export async function offerOf(
  reader: ReadApi,
  { connectors, connections }: OwnerCatalog,
  selections: readonly Selection[],
): Promise<Offer> {
  const asked = selections.length > 0;
  const sources: OfferedSource[] = [];
  const besides: string[] = [];
  const held = await amounts(reader);
  const found = new Set<Selection>();
  for (const [connectorKey, declaration] of connectors) {
    const mine = connections.filter((connection) => connection.connectorKey === connectorKey);
    const selection = selections.find(({ source }) => isSource(declaration, source.id));
    if (selection !== undefined) found.add(selection);
    if (mine.length === 0) continue;
    if (asked && selection === undefined) {
      besides.push(declaration.displayName);
      continue;
    }
    const named = new Set(selection?.streams.flatMap(({ instance_ids }) => instance_ids ?? []));
    const streams: OfferedStream[] = [];
    for (const stream of declaration.streams) {
      const wanted = selection?.streams.find(({ name }) => name === stream.name || name === "*");
      if (asked && wanted === undefined) continue;
      streams.push(await offeredStream(reader, stream, mine, wanted));
    }
    if (streams.length === 0) continue;
    sources.push({
      connectorKey,
      label: declaration.displayName,
      ...(selection?.purpose_code === undefined ? {} : { purposeCode: selection.purpose_code }),
      accounts: mine.map(({ id, label }) => ({
        id,
        label: label ?? id,
        asked: asked && (named.size === 0 || named.has(id)),
        ...(held.has(id) ? { held: amountText(held.get(id), declaration) } : {}),
      })),
      streams,
    });
  }
  const unknown = selections.filter((selection) => !found.has(selection)).map(({ source }) => source.id);
  const once = selections.some(({ access_mode }) => access_mode === "single_use");
  return { sources, asked, once, unknown, besides };
}

interface Amount {
  readonly stream: string;
  readonly count: number;
}

/** Of each account the stream that has most records. */
async function amounts(reader: ReadApi): Promise<Map<string, Amount>> {
  const most = new Map<string, Amount>();
  for (const { name, connection_id, record_count } of (await reader.streams({})).data) {
    if (connection_id === undefined || record_count === 0) continue;
    if (record_count > (most.get(connection_id)?.count ?? 0))
      most.set(connection_id, { stream: name, count: record_count });
  }
  return most;
}

function amountText(amount: Amount | undefined, { streams }: ConnectorDeclaration): string {
  const stream = streams.find(({ name }) => name === amount?.stream);
  if (amount === undefined || stream === undefined) return "";
  const label = streamLabel(stream);
  // "AI messages" stays as it is, "Mails" is a word in a sentence.
  const words = /^.[a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  return `${amount.count.toLocaleString("en")} ${words}`;
}

/** What the owner decides about: accounts, streams and fields, and what was asked of them. What they hold may change meanwhile. */
export const decidedOn = ({ sources, asked, once, unknown }: Offer): unknown => [
  asked,
  once,
  unknown,
  sources.map(({ connectorKey, label, accounts, streams }) => [
    connectorKey,
    label,
    accounts.map((account) => [account.id, account.label, account.asked]),
    streams.map(({ parts, ...stream }) => [
      stream,
      parts.map(({ kind, fields, asked: wanted }) => [
        kind,
        wanted,
        fields.map(({ name, label: text }) => [name, text]),
      ]),
    ]),
  ]),
];

const isSource = ({ connectorKey, connectorId }: ConnectorDeclaration, id: string): boolean =>
  id === connectorKey || id === connectorId;

type WantedStream = Selection["streams"][number];

async function offeredStream(
  reader: ReadApi,
  stream: StreamDeclaration,
  connections: readonly OwnerConnection[],
  wanted: WantedStream | undefined,
): Promise<OfferedStream> {
  const ids = connections.map(({ id }) => id);
  const examples = shownTexts(await newestCard(reader, stream.name, ids));
  const view = wanted?.view === undefined ? undefined : stream.views.find(({ id }) => id === wanted.view);
  const names = wanted?.fields ?? view?.fields;
  const parts = partsOf(stream).flatMap(({ kind, fields }): OfferedPart[] => {
    const offered = fields.filter(({ name }) => names === undefined || names.includes(name));
    if (offered.length === 0) return [];
    return [
      {
        kind,
        fields: offered.map((field) => {
          const example = examples.get(field.name);
          return { name: field.name, label: fieldLabel(field), ...(example === undefined ? {} : { example }) };
        }),
        asked: wanted !== undefined,
      },
    ];
  });
  const { since, until } = wanted?.time_range ?? {};
  return {
    name: stream.name,
    label: streamLabel(stream),
    parts,
    timed: isDated(stream),
    ...(wanted?.instance_ids === undefined ? {} : { accounts: wanted.instance_ids }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(wanted?.resources === undefined ? {} : { resources: wanted.resources }),
  };
}

/** A time that is a plain number has no dates. */
function isDated(stream: StreamDeclaration): boolean {
  const kind = stream.consentTimeField === undefined ? undefined : findField(stream, stream.consentTimeField)?.kind;
  return kind === "date" || kind === "date-time";
}

/** The newest record's card, of the first account that has one: bounded, whatever the record holds. */
export async function newestCard(
  reader: ReadApi,
  stream: string,
  connectionIds: readonly string[],
): Promise<EvidenceCard | undefined> {
  for (const id of connectionIds) {
    const { data } = await reader.queryRecords({ stream, connection_id: id, limit: 1, view: "evidence" });
    const card = data.find((item) => item.object === "evidence_card");
    if (card !== undefined) return card;
  }
  return undefined;
}

/** A card's values as short texts, by field. */
export function shownTexts(card: EvidenceCard | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  if (card === undefined) return texts;
  for (const field of listPresentedFields(card)) {
    const value = field.shown === "inline" ? exampleText(field.value) : undefined;
    const text = field.shown === "preview" && field.format === "text" ? exampleText(field.preview) : value;
    if (text !== undefined) texts.set(field.field_path, text);
  }
  return texts;
}

const exampleChars = 80;

function exampleText(value: Json): string | undefined {
  if (value === null || value === "") return undefined;
  if (Array.isArray(value)) {
    const first = value.find((item) => item !== null && typeof item !== "object");
    return first === undefined ? undefined : exampleText(first);
  }
  if (typeof value === "object") return undefined;
  const text = toText(value)
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*(Z|[+-]\d\d:\d\d)$/, "$1 $2")
    .replace(/\s+/g, " ");
  const chars = Array.from(text.trim());
  return chars.length <= exampleChars ? chars.join("") : `${chars.slice(0, exampleChars).join("")}…`;
}
