import type {
  Aggregation,
  CompactSchema,
  FieldWindow,
  RecordList,
  SearchList,
  SearchResult,
  SingleCard,
  SingleRecord,
} from "@pdpp/contract/wire";
import { facts, months, nestedPath, type TaskKey, wordsFor } from "./tasks.ts";

/** The same tasks done by a program over REST. Every URL comes from a response or from the contract. */

export type Get = <T>(address: string) => Promise<T>;

const query = (parameters: { readonly [name: string]: string }): string => String(new URLSearchParams(parameters));

const firstHit = async (get: Get, task: keyof typeof wordsFor): Promise<SearchResult> =>
  (await get<SearchList>(`/v1/search?${query({ q: wordsFor[task], limit: "5" })}`)).data[0]!;

export const restTasks: { readonly [key in TaskKey]: (get: Get) => Promise<string> } = {
  async fact(get) {
    let text = "";
    let address: string | undefined = (await firstHit(get, "fact")).evidence[0]!.read.url;
    for (let count = 0; address !== undefined && count < 12; count += 1) {
      const read: FieldWindow = await get<FieldWindow>(address);
      text += read.window.text;
      if (facts.every((fact) => fact.test(text))) break;
      address = read.next?.url;
    }
    return facts.map((fact) => fact.exec(text)?.[1]).join(" ");
  },
  async compoundKey(get) {
    const record = await get<SingleRecord>((await firstHit(get, "compoundKey")).record_url);
    return String(record.data.engraving);
  },
  async paging(get) {
    const seen = new Set<string>();
    for (let address: string | null | undefined = "/v1/streams/readings/records"; address; ) {
      const page: RecordList = await get<RecordList>(address);
      for (const { id } of page.data) seen.add(id);
      address = page.links.next;
    }
    return String(seen.size);
  },
  async spend(get) {
    const schema = await get<CompactSchema>(`/v1/schema?${query({ view: "compact", stream: "orders" })}`);
    const fields = Object.entries(schema.connectors[0]!.streams[0]!.field_capabilities);
    const amount = fields.find(([, flags]) => /role=amount/.test(flags))![0];
    const time = fields.find(([, flags]) => /role=event-time/.test(flags))![0];
    const sums: string[] = [];
    for (const [gte, lt] of months) {
      const filter = { [`filter[${time}][gte]`]: gte, [`filter[${time}][lt]`]: lt };
      const asked = query({ metric: "sum", field: amount, ...filter });
      sums.push(String((await get<Aggregation>(`/v1/streams/orders/aggregate?${asked}`)).value));
    }
    return sums.join(", ");
  },
  account: async (get) => String((await firstHit(get, "account")).display_name),
  async ambiguous(get) {
    type Refusal = { error: { available_connections: { connection_id: string; display_name: string }[] } };
    const { error } = await get<Refusal>("/v1/streams/messages/records");
    const { connection_id } = error.available_connections.find(({ display_name: label }) => label === "Family chat")!;
    const page = await get<RecordList>(`/v1/streams/messages/records?${query({ connection_id, limit: "1" })}`);
    return String((page.data[0] as unknown as SingleRecord).data.body);
  },
  async nested(get) {
    const { record_url } = await firstHit(get, "nested");
    const [path, source] = record_url.split("?");
    const read = await get<FieldWindow>(`${path}/field-window?${source}&${query({ field: nestedPath })}`);
    return read.window.text;
  },
  async image(get) {
    const card = await get<SingleCard>(`${(await firstHit(get, "image")).record_url}&view=evidence`);
    const fields = [...Object.values(card.slots).flat(), ...card.fields];
    const [picture] = fields.flatMap((field) => (field.shown === "blob" ? field.references : []));
    return `${picture?.size_bytes} ${picture?.mime_type}`;
  },
};
