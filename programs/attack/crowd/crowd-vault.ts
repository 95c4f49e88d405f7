import { parseManifest } from "@pdpp/contract/manifest";
import { openStore } from "@pdpp/server/store/store";
import { issueGrant } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection, findConnection } from "#server/owner/connections";

/** A vault of many short notes with a large vocabulary, and a few mails of the maximum record size. */

const ownerNo = 1;
export const buildNoteId = (n: number): string => `n${n}`;
export const buildMailId = (n: number): string => `mail${n}`;

const time = { type: "string", format: "date-time" };
const text = { type: "string" };
const buildStream = (name: string) => ({
  name,
  semantics: "append_only",
  primary_key: ["id"],
  cursor_field: "at",
  consent_time_field: "at",
  schema: {
    type: "object",
    required: ["id", "at", "text"],
    properties: { id: text, at: time, text, sender: text, amount: { type: "number" } },
  },
  query: {
    search: { lexical_fields: ["text"] },
    range_filters: { at: ["gte", "lt"], amount: ["gte", "lt"] },
    aggregations: {
      count: true,
      sum: ["amount"],
      group_by: ["sender"],
      group_by_time: ["at"],
      count_distinct: ["sender"],
    },
  },
});

const manifest = parseManifest({
  connector_key: "notes",
  version: "1",
  streams: [buildStream("notes"), buildStream("mails")],
});

const syllables =
  "ba be bi bo da de di do fa fe ga go ha hi ka ke la li lo ma me mi mo na ne no pa po ra re ri ro sa se si ta te to va ve wa za".split(
    " ",
  );

/** The n-th word; low numbers are common words. */
export function buildWord(n: number): string {
  let word = "";
  for (let rest = n * 7 + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

const vocabulary = 60_000;
const wordsOfNote = 24;

/** A few words occur in very many notes, most in few. */
function* generateNotes(count: number): Generator<Uint8Array> {
  let state = 1;
  const nextRandom = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 4_294_967_296;
  };
  let block = "";
  for (let n = 0; n < count; n += 1) {
    const words = Array.from({ length: wordsOfNote }, () => buildWord(Math.floor(vocabulary * nextRandom() ** 4)));
    const at = new Date(Date.UTC(2015, 0, 1) + n * 60_000).toISOString();
    const data = {
      id: buildNoteId(n),
      at,
      text: words.join(" "),
      sender: `person${n % 997}`,
      amount: (n % 10_000) / 100,
    };
    block += `${JSON.stringify({ data })}\n`;
    if (block.length > 1 << 20) {
      yield Buffer.from(block);
      block = "";
    }
  }
  yield Buffer.from(block);
}

function* generateMails(count: number, bytes: number): Generator<Uint8Array> {
  const line = `${Array.from({ length: 12 }, (_, n) => buildWord(n * 31)).join(" ")}\n`;
  const body = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes - 20);
  for (let n = 0; n < count; n += 1) {
    const data = {
      id: buildMailId(n),
      at: new Date(Date.UTC(2020, 0, 1) + n * 1000).toISOString(),
      text: `${body} lastword`,
      sender: "someone",
    };
    yield Buffer.from(`${JSON.stringify({ data })}\n`);
  }
}

interface CrowdPlace {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** Fills the vault and returns one token per client. */
export async function fillCrowdVault(
  place: CrowdPlace,
  { notes, mails, mailBytes, clients }: { notes: number; mails: number; mailBytes: number; clients: number },
): Promise<string[]> {
  const store = await openStore(place);
  try {
    await store.register(manifest, Date.now());
    await addConnection(store, ownerNo, { connectorKey: "notes", id: "mine" }, Date.now());
    const connection = await findConnection(store, ownerNo, "mine");
    const put = async (stream: string, bytes: Iterable<Uint8Array>) => {
      const report = await ingest(
        store,
        { ownerNo, connection, stream },
        (async function* () {
          yield* bytes;
        })(),
        { now: Date.now },
      );
      if (report.records_rejected > 0)
        throw new Error(`records were rejected: ${JSON.stringify(report.rejections[0])}`);
    };
    await put("notes", generateNotes(notes));
    if (mails > 0) await put("mails", generateMails(mails, mailBytes));
    const sources = [{ connector_key: "notes", streams: [{ name: "notes" }, { name: "mails" }] }];
    const tokens: string[] = [];
    for (let n = 0; n < clients; n += 1) {
      const { token } = await issueGrant(store, ownerNo, { client: { name: `client ${n}` }, sources }, Date.now());
      tokens.push(token);
    }
    return tokens;
  } finally {
    await store.close();
  }
}
