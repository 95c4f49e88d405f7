import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard } from "@pdpp/contract/wire";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { listCardTexts } from "./offer.ts";

/** Questions that an agent could ask of the data it would get, with what it would see. */

export interface Sample {
  readonly question: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly hits: readonly SampleHit[];
  /** How many there are in all, if more than are shown. */
  readonly count: number;
}

interface SampleHit {
  readonly source: string;
  readonly title: string;
  readonly text: string;
}

/** A stream to ask about: the first that has records. */
export interface SampledStream {
  readonly name: string;
  readonly label: string;
  readonly connectionId: string;
}

const maxHits = 3;
const sampledCards = 25;

export async function buildSamples(reader: ReadApi, streams: readonly SampledStream[]): Promise<Sample[]> {
  for (const stream of streams) {
    const args = { stream: stream.name, connection_id: stream.connectionId };
    const { data } = await reader.queryRecords({ ...args, limit: sampledCards, view: "evidence" });
    const cards = data.filter((item) => item.object === "evidence_card");
    if (cards.length === 0) continue;
    const latest: Sample = {
      question: `What are the latest ${stream.label.toLowerCase()}?`,
      tool: "query_records",
      args: { ...args, limit: maxHits },
      hits: cards.slice(0, maxHits).map((card) => ({ ...describeCard(card), text: findCardText(card) })),
      count: cards.length,
    };
    const actor = findMostFrequent(cards.map(({ slots }) => listTexts(slots.actor?.[0])));
    const word = findMostFrequent(
      cards.map((card) => listWords(card)),
      actor,
    );
    const searches = [
      ...(actor === undefined ? [] : [{ question: `What do I have with ${actor}?`, query: actor }]),
      ...(word === undefined ? [] : [{ question: `What do I have about “${word}”?`, query: word }]),
    ];
    const samples = [latest];
    for (const { question, query } of searches) samples.push(await sampleSearch(reader, question, query));
    return samples;
  }
  return [];
}

async function sampleSearch(reader: ReadApi, question: string, query: string): Promise<Sample> {
  const { data, meta } = await reader.search({ q: query, limit: maxHits });
  const hits = data.map(({ title, display_name, connection_id, evidence }) => ({
    source: isolateLabel(display_name ?? connection_id ?? ""),
    title,
    text: evidence[0]?.preview === title ? "" : (evidence[0]?.preview ?? ""),
  }));
  return { question, tool: "search", args: { query, limit: maxHits }, hits, count: meta.count };
}

const describeCard = ({ display_name, connection_id, title }: EvidenceCard) => ({
  source: isolateLabel(display_name ?? connection_id),
  title,
});

function findCardText(card: EvidenceCard): string {
  const texts = listCardTexts(card);
  const body = card.slots.body?.[0];
  return (
    (body === undefined ? undefined : texts.get(body.field_path)) ??
    [...texts.values()]
      .filter((text) => text !== card.title)
      .slice(0, 4)
      .join(" · ")
  );
}

type Slot = NonNullable<EvidenceCard["slots"]["actor"]>[number];

const listTexts = (slot: Slot | undefined): string[] =>
  slot?.shown === "inline" && typeof slot.value === "string" && slot.value.length <= 60 ? [slot.value] : [];

/** Words of the title and the text that are long enough to mean something. */
function listWords(card: EvidenceCard): string[] {
  const text = `${card.slots["primary-title"] === undefined ? "" : card.title} ${card.slots.body === undefined ? "" : findCardText(card)}`;
  return [...new Set(text.match(/\p{L}{6,20}/gu) ?? [])].map((word) => word.toLowerCase());
}

/** The value that most of the lists have; of several, the first. */
function findMostFrequent(lists: readonly (readonly string[])[], except = ""): string | undefined {
  const counts = new Map<string, number>();
  for (const value of lists.flat())
    if (except === "" || !except.toLowerCase().includes(value.toLowerCase()))
      counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce<[string, number] | undefined>(
    (most, entry) => (most === undefined || entry[1] > most[1] ? entry : most),
    undefined,
  )?.[0];
}
