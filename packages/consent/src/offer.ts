import { type ConnectorDeclaration, findField, type Json, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerCatalog, OwnerConnection } from "@pdpp/contract/owner";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import { toText } from "@pdpp/evidence/fields/field";
import { type GroupKind, groupFields } from "./field-groups.ts";
import { labelField, labelStream } from "./labels.ts";
import type { RequestedStream, Selection } from "./selection.ts";

export interface Offer {
  readonly sources: readonly OfferedSource[];
  /** Whether the client named what it wants. If not, everything is offered and nothing is preselected. */
  readonly isSpecific: boolean;
  readonly isSingleUse: boolean;
  /** Requested sources that this vault doesn't have. */
  readonly unknown: readonly string[];
  /** Sources of this vault that were not requested. */
  readonly notRequested: readonly string[];
}

export interface OfferedSource {
  readonly connectorKey: string;
  readonly label: string;
  /** The purpose that the client declared for this source. */
  readonly purposeCode?: string;
  readonly accounts: readonly OfferedAccount[];
  readonly streams: readonly OfferedStream[];
}

interface OfferedAccount {
  readonly id: string;
  readonly label: string;
  readonly isRequested: boolean;
  /** How much data it has, such as "1,204 mails". */
  readonly size?: string;
}

export interface OfferedStream {
  readonly name: string;
  readonly label: string;
  readonly groups: readonly OfferedGroup[];
  /** Only these accounts, if the client named some. */
  readonly accounts?: readonly string[];
  /** Whether a grant can be limited by date. */
  readonly isDated: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly resources?: readonly string[];
}

export interface OfferedGroup {
  readonly kind: GroupKind;
  readonly fields: readonly { readonly name: string; readonly label: string; readonly example?: string }[];
  readonly isRequested: boolean;
}

export async function buildOffer(
  reader: ReadApi,
  { connectors, connections }: OwnerCatalog,
  selections: readonly Selection[],
): Promise<Offer> {
  const isSpecific = selections.length > 0;
  const sources: OfferedSource[] = [];
  const notRequested: string[] = [];
  const sizes = await findLargestStreams(reader);
  const found = new Set<Selection>();
  for (const [connectorKey, declaration] of connectors) {
    const accounts = connections.filter((connection) => connection.connectorKey === connectorKey);
    const selection = selections.find(({ source }) => matchesSource(declaration, source.id));
    if (selection !== undefined) found.add(selection);
    if (accounts.length === 0) continue;
    if (isSpecific && selection === undefined) {
      notRequested.push(declaration.displayName);
      continue;
    }
    const named = new Set(selection?.streams.flatMap(({ instance_ids }) => instance_ids ?? []));
    const streams: OfferedStream[] = [];
    for (const stream of declaration.streams) {
      const requested = selection?.streams.find(({ name }) => name === stream.name || name === "*");
      if (isSpecific && requested === undefined) continue;
      streams.push(await buildStreamOffer(reader, stream, accounts, requested));
    }
    if (streams.length === 0) continue;
    sources.push({
      connectorKey,
      label: declaration.displayName,
      ...(selection?.purpose_code === undefined ? {} : { purposeCode: selection.purpose_code }),
      accounts: accounts.map(({ id, label }) => ({
        id,
        label: label ?? id,
        isRequested: isSpecific && (named.size === 0 || named.has(id)),
        ...(sizes.has(id) ? { size: formatSize(sizes.get(id), declaration) } : {}),
      })),
      streams,
    });
  }
  const unknown = selections.filter((selection) => !found.has(selection)).map(({ source }) => source.id);
  const isSingleUse = selections.some(({ access_mode }) => access_mode === "single_use");
  return { sources, isSpecific, isSingleUse, unknown, notRequested };
}

interface StreamSize {
  readonly stream: string;
  readonly count: number;
}

async function findLargestStreams(reader: ReadApi): Promise<Map<string, StreamSize>> {
  const largest = new Map<string, StreamSize>();
  for (const { name, connection_id, record_count } of (await reader.streams({})).data) {
    if (connection_id === undefined || record_count === 0) continue;
    if (record_count > (largest.get(connection_id)?.count ?? 0))
      largest.set(connection_id, { stream: name, count: record_count });
  }
  return largest;
}

function formatSize(size: StreamSize | undefined, { streams }: ConnectorDeclaration): string {
  const stream = streams.find(({ name }) => name === size?.stream);
  if (size === undefined || stream === undefined) return "";
  const label = labelStream(stream);
  // Keep acronyms ("AI messages"), but write "Mails" in lower case.
  const words = /^.[a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  return `${size.count.toLocaleString("en")} ${words}`;
}

/**
 * The facts the owner's decision depends on. Examples and sizes are omitted, because new data must not invalidate an
 * open page.
 */
export const listDecisionFacts = ({ sources, isSpecific, isSingleUse, unknown }: Offer): unknown => [
  isSpecific,
  isSingleUse,
  unknown,
  sources.map(({ connectorKey, label, accounts, streams }) => [
    connectorKey,
    label,
    accounts.map((account) => [account.id, account.label, account.isRequested]),
    streams.map(({ groups, ...stream }) => [
      stream,
      groups.map(({ kind, fields, isRequested }) => [
        kind,
        isRequested,
        fields.map(({ name, label: text }) => [name, text]),
      ]),
    ]),
  ]),
];

const matchesSource = ({ connectorKey, connectorId }: ConnectorDeclaration, id: string): boolean =>
  id === connectorKey || id === connectorId;

async function buildStreamOffer(
  reader: ReadApi,
  stream: StreamDeclaration,
  connections: readonly OwnerConnection[],
  requested: RequestedStream | undefined,
): Promise<OfferedStream> {
  const ids = connections.map(({ id }) => id);
  const examples = listCardTexts(await findNewestCard(reader, stream.name, ids));
  const view = requested?.view === undefined ? undefined : stream.views.find(({ id }) => id === requested.view);
  const names = requested?.fields ?? view?.fields;
  const groups = groupFields(stream).flatMap(({ kind, fields }): OfferedGroup[] => {
    const offered = fields.filter(({ name }) => names === undefined || names.includes(name));
    if (offered.length === 0) return [];
    return [
      {
        kind,
        fields: offered.map((field) => {
          const example = examples.get(field.name);
          return { name: field.name, label: labelField(field), ...(example === undefined ? {} : { example }) };
        }),
        isRequested: requested !== undefined,
      },
    ];
  });
  const { since, until } = requested?.time_range ?? {};
  return {
    name: stream.name,
    label: labelStream(stream),
    groups,
    isDated: hasDates(stream),
    ...(requested?.instance_ids === undefined ? {} : { accounts: requested.instance_ids }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(requested?.resources === undefined ? {} : { resources: requested.resources }),
  };
}

/** A consent time that is a plain number can't be compared with a date. */
function hasDates(stream: StreamDeclaration): boolean {
  const kind = stream.consentTimeField === undefined ? undefined : findField(stream, stream.consentTimeField)?.kind;
  return kind === "date" || kind === "date-time";
}

/** The newest record of the first account that has one, as a card, so that its size is bounded. */
export async function findNewestCard(
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
export function listCardTexts(card: EvidenceCard | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  if (card === undefined) return texts;
  for (const field of listPresentedFields(card)) {
    const value = field.shown === "inline" ? formatExample(field.value) : undefined;
    const text = field.shown === "preview" && field.format === "text" ? formatExample(field.preview) : value;
    if (text !== undefined) texts.set(field.field_path, text);
  }
  return texts;
}

const maxExampleChars = 80;

function formatExample(value: Json): string | undefined {
  if (value === null || value === "") return undefined;
  if (Array.isArray(value)) {
    const first = value.find((item) => item !== null && typeof item !== "object");
    return first === undefined ? undefined : formatExample(first);
  }
  if (typeof value === "object") return undefined;
  const text = toText(value)
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*(Z|[+-]\d\d:\d\d)$/, "$1 $2")
    .replace(/\s+/g, " ");
  const chars = Array.from(text.trim());
  return chars.length <= maxExampleChars ? chars.join("") : `${chars.slice(0, maxExampleChars).join("")}…`;
}
