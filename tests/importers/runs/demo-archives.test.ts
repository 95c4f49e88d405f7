import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildArchives } from "../../../programs/demo-archives/archives.ts";
import { type DemoSet, loadDemoSet, openDemo } from "../../evidence/demo-set.ts";
import { askAll, type JudgedQuestion } from "../../evidence/figures.ts";
import { openImportedDemo } from "../../evidence/imported-demo.ts";
import { hostClasses } from "../../mcp/hosts/host-classes.ts";
import type { World } from "../../mcp/hosts/world.ts";

interface Answers {
  readonly asked: readonly JudgedQuestion[];
  /** Whether a record with the answer is among the first hits, by question. */
  readonly found: readonly boolean[];
}

const firstHits = 10;
const [host] = hostClasses.filter(({ name }) => name === "content-only");

async function answersIn(world: World, { questions, searchable }: DemoSet): Promise<Answers> {
  if (host === undefined) throw new Error("there is no host that shows the text");
  const found: boolean[] = [];
  for (const { q, holds } of questions) {
    const url = `${world.url}/v1/search?limit=${firstHits}&q=${encodeURIComponent(q)}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${world.token}` } });
    const { data }: { data: { id: string }[] } = JSON.parse(await response.text());
    found.push(data.some(({ id }) => holds(id)));
  }
  return { asked: await askAll(world, host, questions, { searchable, every: false }), found };
}

/** The connection of the record that a question is about. */
const findSource = (record: string): string => record.slice(0, record.indexOf("/"));

describe("[IMP-17] the demo household, as exported archives", () => {
  const { questions } = loadDemoSet();
  let world: Awaited<ReturnType<typeof openImportedDemo>>;
  let set: DemoSet;
  let imported: Answers;
  let demo: Answers;
  beforeAll(async () => {
    world = await openImportedDemo();
    set = loadDemoSet(world.texts);
    imported = await answersIn(world, set);
    const held = await openDemo();
    demo = await answersIn(held, loadDemoSet()).finally(() => held.close());
  });
  afterAll(() => world?.close());

  it("is byte-identical each time it is written", async () => {
    const [first, second] = [await buildArchives(), await buildArchives()];
    expect([...first.keys()]).toEqual([...second.keys()]);
    for (const [name, content] of first)
      expect(Buffer.compare(Buffer.from(content), Buffer.from(second.get(name) ?? "")), name).toBe(0);
  });

  it("is imported in full: every file is recognized, and nothing is rejected", () => {
    expect(world.ran.code, world.ran.stderr).toBe(0);
    const { not_understood, report } = JSON.parse(world.ran.stdout);
    expect(not_understood).toEqual([]);
    const counts: Record<string, number> = {};
    for (const { connector_key, streams } of report)
      for (const { stream, stored, aside, changed, unchanged } of streams) {
        expect([stream, aside, changed, unchanged]).toEqual([stream, 0, 0, 0]);
        counts[`${connector_key} ${stream}`] = (counts[`${connector_key} ${stream}`] ?? 0) + stored;
      }
    expect(counts).toEqual({
      "mail-files messages": 709,
      "mail-files attachments": 9,
      // With what the app says when a chat begins.
      "whatsapp messages": 897 + 11,
      "whatsapp conversations": 11,
      "chatgpt conversations": 43,
      // Includes the hidden message of each conversation.
      "chatgpt messages": 130 + 43,
      // With those that were taken out of a series.
      "icalendar events": 390,
      "vcard contacts": 30,
      "note-folders notes": 97,
      "note-folders attachments": 26,
      "table-purchases purchases": 440,
    });
  });

  it("answers every question of the demo", () => {
    const all = [...world.texts.keys()];
    const lost = set.questions.filter(({ holds }) => !all.some(holds));
    expect(lost.map(({ q }) => q)).toEqual([]);
  });

  it("finds the answer as often, source by source", () => {
    const sources = [...new Set(questions.map(({ record }) => findSource(record)))].sort();
    const table = sources.map((source) => {
      const own = questions.flatMap(({ record }, n) => (findSource(record) === source ? [n] : []));
      const count = (is: (n: number) => boolean | undefined): number => own.filter(is).length;
      return {
        source,
        questions: own.length,
        "found in the demo": count((n) => demo.found[n]),
        "found when imported": count((n) => imported.found[n]),
        "visible in the demo": count((n) => demo.asked[n]?.atOnce),
        "visible when imported": count((n) => imported.asked[n]?.atOnce),
      };
    });
    console.table(table);
    const listOnlyInDemo = (is: ({ found, asked }: Answers, n: number) => boolean | undefined): string[] =>
      questions.flatMap(({ q }, n) => (is(demo, n) && !is(imported, n) ? [q] : []));
    console.log(
      "found in the demo only:",
      listOnlyInDemo(({ found }, n) => found[n]),
    );
    console.log(
      "visible in the demo only:",
      listOnlyInDemo(({ asked }, n) => asked[n]?.atOnce),
    );
    for (const row of table)
      expect(row["found when imported"], row.source).toBeGreaterThanOrEqual(row["found in the demo"]);
  });

  it("shows the answer on the first page as often", () => {
    const listVisible = ({ asked }: Answers) => [
      asked.filter(({ atOnce }) => atOnce).length,
      asked.filter(({ oneCall }) => oneCall).length,
    ];
    const [[demoOnce = 0, demoCall = 0], [once = 0, call = 0]] = [listVisible(demo), listVisible(imported)];
    expect(once).toBeGreaterThanOrEqual(demoOnce);
    expect(call).toBeGreaterThanOrEqual(demoCall);
  });
});
