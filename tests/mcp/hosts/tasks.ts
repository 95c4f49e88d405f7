import { type Agent, findLead } from "./agent.ts";
import type { Reading } from "./reading.ts";
import { answers, pictureBytes } from "./records.ts";

/**
 * Fixed tasks with known answers. A plan has general steps; every id and every further call comes from what was
 * shown.
 */

export interface Task {
  readonly name: string;
  readonly question: string;
  readonly expected: string;
  run(agent: Agent): Promise<string>;
}

/** The search words of each task, taken from its question. */
export const wordsFor = {
  fact: "harbour master Vilhelmina Ostenwyk",
  compoundKey: "ceramic kettle",
  account: "dentist Quillfeather",
  nested: "cold store controller",
  image: "sunset pier",
} as const;
export const facts = [/kept at berth ([A-Z]+-\d+)/, /was christened (\w+)/];
export const months = [
  ["2026-02-01", "2026-03-01"],
  ["2026-03-01", "2026-04-01"],
  ["2026-04-01", "2026-05-01"],
] as const;
export const nestedPath = 'config.zones["north.cellar"].targets[3].celsius';

export const tasks = {
  fact: {
    name: "find a fact in a 200 kB field",
    question: "At which berth was the boat of harbour master Vilhelmina Ostenwyk kept, and how was it christened?",
    expected: `${answers.berth} ${answers.boat}`,
    async run(agent: Agent) {
      const lead = findLead(await agent.ask("search", { query: wordsFor.fact }));
      let text = "";
      for await (const window of agent.windows(lead)) {
        if (text === "" && !/Vilhelmina Ostenwyk/.test(window.plain))
          throw new Error("the first read is not at the match");
        text += window.plain;
        if (facts.every((fact) => fact.test(text))) break;
      }
      return facts.map((fact) => fact.exec(text)?.[1]).join(" ");
    },
  },
  compoundKey: {
    name: "read a compound-key record",
    question: "What is engraved on the ceramic kettle I ordered?",
    expected: answers.engraving,
    async run(agent: Agent) {
      const record = await agent.fetchFirst(wordsFor.compoundKey);
      return found(record, /engraving: ([^\\]+)/);
    },
  },
  paging: {
    name: "page through 1,000 records",
    question: "How many readings are there, counted by reading them all?",
    expected: String(answers.readings),
    async run(agent: Agent) {
      const seen = new Set<string>();
      const stream = await expectStream(agent, "readings");
      for await (const page of agent.pages({ tool: "query_records", arguments: { stream } })) {
        for (const id of page.ids) seen.add(id);
      }
      return String(seen.size);
    },
  },
  spend: {
    name: "answer a monthly spend question",
    question: "How much did I spend on orders in February, March and April 2026?",
    expected: Object.values(answers.spend).join(", "),
    async run(agent: Agent) {
      const stream = await expectStream(agent, "orders");
      const fields = parseFields(await agent.ask("schema", { stream }));
      const amount = named(fields, ({ flags }) => /role=amount/.test(flags) && /\ba=[^,]*\bsum\b/.test(flags));
      const time = named(fields, ({ flags }) => /t=date/.test(flags) && /\br=[^,]*\bgte\b[^,]*\blt\b/.test(flags));
      const sums: string[] = [];
      for (const [gte, lt] of months) {
        const filter = { [time]: { gte, lt } };
        const sum = await agent.ask("aggregate", { stream, metric: "sum", field: amount, filter });
        sums.push(found(sum, /(?: = |"value":\s*)(-?[\d.]+)/));
      }
      return sums.join(", ");
    },
  },
  account: {
    name: "tell which account a message came from",
    question: "In which of my accounts is the message from dentist Dr. Quillfeather?",
    expected: answers.dentistAccount,
    async run(agent: Agent) {
      const hits = await agent.ask("search", { query: wordsFor.account });
      const [connection] = String(findLead(hits).arguments.id).split("/");
      return labelIn(hits, connection!) ?? /^1\. .* \| \S+ \S+ "([^"]+)"/m.exec(hits.words)?.[1] ?? "no label";
    },
  },
  ambiguous: {
    name: "recover from ambiguous_connection",
    question: "What does the newest message in the family chat say?",
    expected: answers.chatMessage,
    async run(agent: Agent) {
      const stream = await expectStream(agent, "messages");
      const refused = await agent.ask("query_records", { stream });
      if (!/error/i.test(refused.plain) || !/ambiguous_connection/.test(refused.plain)) throw new Error(refused.plain);
      const choice = refused.calls.find(
        ({ arguments: { connection_id: id } }) => labelIn(refused, String(id)) === "Family chat",
      );
      if (choice === undefined) throw new Error(`no choice in: ${refused.plain}`);
      return found(await agent.follow(choice), /body"?:\s*"([^"]+)/);
    },
  },
  nested: {
    name: "read a nested JSON value",
    question: "In the cold store controller's config: what is celsius of the fourth target of zone north.cellar?",
    expected: String(answers.northTarget),
    async run(agent: Agent) {
      const hits = await agent.ask("search", { query: wordsFor.nested });
      const { id } = findLead(hits).arguments;
      const value = await agent.ask("read_record_field", { id, field_path: nestedPath });
      return found(value, /(?:<<TEXT \w+\n|"text":")(-?[\d.]+)/);
    },
  },
  image: {
    name: "learn the size and type of an image",
    question: "How large is the picture of the sunset over the pier, and of which type?",
    expected: `${pictureBytes.length} image/png`,
    async run(agent: Agent) {
      const record = await agent.fetchFirst(wordsFor.image);
      const size = found(record, /size_bytes":\s*(\d+)/);
      return `${size} ${found(record, /(image\/\w+)/)}`;
    },
  },
} satisfies { readonly [key: string]: Task };
export type TaskKey = keyof typeof tasks;
export const isTaskKey = (name: string): name is TaskKey => Object.hasOwn(tasks, name);
export const taskKeys: readonly TaskKey[] = Object.keys(tasks).filter(isTaskKey);

/** Checks that the index names the stream. */
async function expectStream(agent: Agent, name: string): Promise<string> {
  const index = await agent.ask("schema", {});
  if (!new RegExp(`[ "]${name}(?:[,"]|$)`, "m").test(index.words)) throw new Error(`no ${name} in: ${index.plain}`);
  return name;
}

interface Field {
  readonly name: string;
  readonly flags: string;
}

const parseFields = ({ words }: Reading): Field[] =>
  [...words.matchAll(/"([\w.]+)":\s*"?(t=[^"\n]+)/g)].map(([, name, flags]) => ({ name: name!, flags: flags! }));

function named(fields: readonly Field[], is: (field: Field) => boolean): string {
  const field = fields.find(is);
  if (field === undefined) throw new Error(`no such field among ${fields.map(({ name }) => name).join(", ")}`);
  return field.name;
}

/** The label next to a connection's id: after it, or before it in the line of a hit. */
function labelIn({ words }: Reading, connection: string): string | undefined {
  const id = RegExp.escape(connection);
  const after = new RegExp(`\\b${id}"?,?\\s*(?:"connector_key":"\\w+",|\\w+)?\\s*(?:"display_name":\\s*)?"([^"]+)"`);
  const before = new RegExp(`"([^"]+)" ${id}\\b`);
  return (before.exec(words) ?? after.exec(words))?.[1];
}

function found({ plain }: Reading, fact: RegExp): string {
  const match = fact.exec(plain);
  if (match === null) throw new Error(`${fact} is not in: ${plain.slice(0, 3000)}`);
  return match[1]!;
}
