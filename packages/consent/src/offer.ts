import {
  type ConnectorDeclaration,
  findField,
  isDerived,
  type Json,
  type StreamDeclaration,
} from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerCatalog, OwnerConnection } from "@pdpp/contract/owner";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import { toText } from "@pdpp/evidence/fields/field";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { type GroupKind, groupFields, listLinkFields } from "./field-groups.ts";
import { compareSources, findKindLabel, labelField, labelStream } from "./labels.ts";
import { describeGroup, type PartWords } from "./part-words.ts";
import type { RequestedStream, Selection } from "./selection.ts";

export interface Offer {
  readonly sources: readonly OfferedSource[];
  /** Whether the client named what it wants. If not, everything is offered and nothing is preselected. */
  readonly isSpecific: boolean;
  readonly isSingleUse: boolean;
  /** Requested sources that this vault doesn't have. */
  readonly unknown: readonly string[];
  /** Sources of this vault that were not requested, by their own names. */
  readonly notRequested: readonly string[];
}

/** One row of the page: an account, or all accounts of a connector. */
export interface OfferedSource {
  /** Begins the names of its parts and fields in the form. */
  readonly key: string;
  readonly connectorKey: string;
  readonly label: string;
  /** The connector's name, where the label doesn't say it. */
  readonly kindLabel?: string;
  /** How much data it has, such as "1,204 mails". */
  readonly size?: string;
  /** It summarizes all sources, so presets leave it out. */
  readonly isDerived?: true;
  /** The purpose that the client declared for this source. */
  readonly purposeCode?: string;
  readonly accounts: readonly OfferedAccount[];
  readonly streams: readonly OfferedStream[];
}

interface OfferedAccount {
  readonly id: string;
  readonly label: string;
  readonly isRequested: boolean;
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
  readonly words: PartWords;
}

/** `rows`: one row for each account, or one for all accounts of a connector. */
export async function buildOffer(
  reader: ReadApi,
  { connectors, connections }: OwnerCatalog,
  selections: readonly Selection[],
  rows: "accounts" | "connectors" = "accounts",
): Promise<Offer> {
  const isSpecific = selections.length > 0;
  const sources: OfferedSource[] = [];
  const notRequested: { readonly label: string; readonly isDerived: boolean }[] = [];
  const sizes = await listStreamSizes(reader);
  const found = new Set<Selection>();
  for (const [connectorKey, declaration] of connectors) {
    const accounts = connections.filter((connection) => connection.connectorKey === connectorKey);
    const selection = selections.find(({ source }) => matchesSource(declaration, source.id));
    if (selection !== undefined) found.add(selection);
    if (accounts.length === 0) continue;
    const leaveOut = ({ id, label }: OwnerConnection) =>
      notRequested.push({ label: isolateLabel(label ?? id), isDerived: isDerived(declaration) });
    if (isSpecific && selection === undefined) {
      accounts.forEach(leaveOut);
      continue;
    }
    const purpose = selection?.purpose_code === undefined ? {} : { purposeCode: selection.purpose_code };
    for (const row of rows === "accounts" ? accounts.map((account) => [account]) : [accounts]) {
      const streams = await buildStreamOffers(reader, declaration, row, isSpecific ? selection : undefined);
      const [first] = row;
      if (streams.length === 0) row.forEach(leaveOut);
      if (streams.length === 0 || first === undefined) continue;
      const label = isolateLabel(rows === "accounts" ? (first.label ?? first.id) : declaration.displayName);
      const kindLabel = findKindLabel(label, isolateLabel(declaration.displayName));
      const largest = findLargestStream(sizes, row);
      sources.push({
        key: rows === "accounts" ? first.id : connectorKey,
        connectorKey,
        label,
        ...(kindLabel === undefined ? {} : { kindLabel }),
        ...(largest === undefined ? {} : { size: formatSize(largest, declaration) }),
        ...(isDerived(declaration) ? { isDerived: true as const } : {}),
        ...purpose,
        accounts: row.map(({ id, label: name }) => ({
          id,
          label: isolateLabel(name ?? id),
          isRequested: isSpecific && streams.some(({ accounts: ids }) => ids?.includes(id) ?? true),
        })),
        // The stream with the most records says best what the source is.
        streams: streams.toSorted((a, b) => Number(b.name === largest?.stream) - Number(a.name === largest?.stream)),
      });
    }
  }
  const unknown = selections.filter((selection) => !found.has(selection)).map(({ source }) => source.id);
  const isSingleUse = selections.some(({ access_mode }) => access_mode === "single_use");
  return {
    sources: sources.toSorted(compareSources),
    isSpecific,
    isSingleUse,
    unknown,
    notRequested: notRequested.toSorted(compareSources).map(({ label }) => label),
  };
}

interface StreamSize {
  readonly stream: string;
  readonly connectionId: string;
  readonly count: number;
}

async function listStreamSizes(reader: ReadApi): Promise<StreamSize[]> {
  return (await reader.streams({})).data.flatMap(({ name, connection_id, record_count }) =>
    connection_id === undefined || record_count === 0
      ? []
      : [{ stream: name, connectionId: connection_id, count: record_count }],
  );
}

function findLargestStream(sizes: readonly StreamSize[], row: readonly OwnerConnection[]): StreamSize | undefined {
  return sizes
    .filter(({ connectionId }) => row.some(({ id }) => id === connectionId))
    .reduce<StreamSize | undefined>((most, size) => (size.count > (most?.count ?? 0) ? size : most), undefined);
}

function formatSize(size: StreamSize, { streams }: ConnectorDeclaration): string {
  const stream = streams.find(({ name }) => name === size.stream);
  if (stream === undefined) return "";
  const label = labelStream(stream);
  // Keep acronyms ("AI messages"), but write "Mails" in lower case.
  const words = /^.[a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  return `${size.count.toLocaleString("en")} ${words}`;
}

/**
 * The facts the owner's decision depends on. Examples, sizes and derived sources are omitted, because new data must not
 * invalidate an open page.
 */
export const listDecisionFacts = ({ sources, isSpecific, isSingleUse, unknown }: Offer): unknown => [
  isSpecific,
  isSingleUse,
  unknown,
  sources
    .filter((source) => source.isDerived !== true)
    .map(({ key, connectorKey, label, accounts, streams }) => [
      key,
      connectorKey,
      label,
      accounts.map((account) => [account.id, account.label, account.isRequested]),
      streams
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ groups, ...stream }) => [
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

async function buildStreamOffers(
  reader: ReadApi,
  { streams }: ConnectorDeclaration,
  row: readonly OwnerConnection[],
  selection: Selection | undefined,
): Promise<OfferedStream[]> {
  const offered: OfferedStream[] = [];
  for (const stream of streams) {
    const requested = selection?.streams.find(({ name }) => name === stream.name || name === "*");
    const isForRow =
      requested?.instance_ids === undefined || row.some(({ id }) => requested.instance_ids?.includes(id));
    if (selection !== undefined && (requested === undefined || !isForRow)) continue;
    offered.push(await buildStreamOffer(reader, stream, row, requested));
  }
  return offered;
}

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
  const links = listLinkFields(stream);
  const groups = groupFields(stream).flatMap(({ kind, fields }): OfferedGroup[] => {
    const offered = fields.filter(({ name }) => names === undefined || names.includes(name));
    if (offered.length === 0) return [];
    return [
      {
        kind,
        fields: offered.map((field) => {
          const isLink = links.has(field.name) && field.role === undefined;
          const example = isLink ? undefined : examples.get(field.name);
          return { name: field.name, label: labelField(field), ...(example === undefined ? {} : { example }) };
        }),
        isRequested: requested !== undefined,
        words: describeGroup(stream, { kind, fields: offered }),
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
