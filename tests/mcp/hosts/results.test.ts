import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutMiddle, cutTail, hostClasses } from "./host-classes.ts";
import { type Call, parseReading } from "./reading.ts";
import { type Noted, openSession, type Session } from "./session.ts";
import { tasks } from "./tasks.ts";
import { openWorld, type World } from "./world.ts";

/** Rules for all results of the tasks and everything their continuations lead to. */

/** Complete documents and full stream declarations may be longer, since callers request them by name. */
const getMaxRawChars = ({ tool, arguments: args }: Call): number =>
  tool === "fetch" ? 24_000 : args.detail === "full" ? 60_000 : 8000;
const key = ({ tool, arguments: args }: Call): string => JSON.stringify([tool, args]);
const textOf = ({ result }: Noted): string => (result.content[0] as { text: string }).text;
const structuredOf = ({ result }: Noted): string => JSON.stringify(result.structuredContent);

let world: World;
let session: Session;
const noted: Noted[] = [];
beforeAll(async () => {
  world = await openWorld();
  session = await openSession(world, hostClasses.find(({ name }) => name === "content-only")!, "2026-07-28");
  const { paging: _, ...quick } = tasks;
  for (const task of Object.values(quick)) await task.run(session.agent);
  await session.agent.ask("query_records", { stream: "documents" });
  await session.agent.ask("query_records", { stream: "readings" });
  await session.agent.ask("schema", { stream: "messages" });
  const seen = new Set(session.noted.map(({ call }) => key(call)));
  for (const { agent } = session; session.noted.length < 150; ) {
    const call = session.noted.flatMap(({ shown }) => parseReading(shown).calls).find((next) => !seen.has(key(next)));
    if (call === undefined) break;
    seen.add(key(call));
    await agent.follow(call);
  }
  noted.push(...session.noted);
});
afterAll(async () => {
  await session.close();
  await world.close();
});

describe("results", () => {
  it("[HND-1, HND-7] has only continuations that can be followed as written", () => {
    const refused = noted.filter(({ result }) => result.isError === true).map(({ call }) => call);
    expect(refused).toEqual([{ tool: "query_records", arguments: { stream: "messages" } }]);
    expect(noted.some(({ call }) => key(call).includes("trap"))).toBe(false);
    expect(noted.length).toBeGreaterThan(60);
  });

  it("[HOST-3] stays within the strictest host's limit, by default and after every continuation", () => {
    const over = noted
      .map(({ call, result }) => ({ call, chars: JSON.stringify(result).length }))
      .filter(({ call, chars }) => chars > getMaxRawChars(call));
    expect(over).toEqual([]);
  });

  it("[HOST-3, HND-1] shows the continuing call within the first 1,500 characters", () => {
    const hidden = noted.filter((each) => {
      const early = parseReading(textOf(each).slice(0, 1500)).calls.map(key);
      const { next } = each.result.structuredContent as { next?: Call };
      if (next !== undefined) return !early.includes(key(next));
      return early.length === 0 && parseReading(textOf(each)).calls.length > 0;
    });
    expect(hidden.map(({ call }) => call)).toEqual([]);
  });

  it("[HOST-1] leads to the same calls in either form", () => {
    const differing = noted.flatMap((each) => {
      const [text, object] = [parseReading(textOf(each)), parseReading(structuredOf(each))];
      const inText = new Set(text.calls.map(key));
      const inObject = new Set(object.calls.map(key));
      // In the structured form, a complete card has its id but no call.
      const known = ({ tool, arguments: args }: Call) => tool === "fetch" && object.ids.includes(String(args.id));
      const lost = [
        ...object.calls.filter((call) => !inText.has(key(call))),
        ...text.calls.filter((call) => !inObject.has(key(call)) && !known(call)),
      ];
      return lost.length === 0 ? [] : [{ call: each.call, lost }];
    });
    expect(differing).toEqual([]);
  });

  it("[HND-6] returns from tools what resources return", async () => {
    // A complete card offers no fetch, so take the records that results name, some of each stream.
    const ids = noted.flatMap(({ call, shown }) =>
      call.tool === "fetch" ? [String(call.arguments.id)] : parseReading(shown).ids,
    );
    const getStream = (id: string) => id.slice(0, id.indexOf(":"));
    const byStream = Map.groupBy(new Set(ids.filter((id) => !id.startsWith("pdpp:"))), getStream);
    const chosen = [...byStream.values()].flatMap((each) => each.slice(0, 3));
    expect([byStream.size > 5, chosen.length > 10], JSON.stringify(chosen)).toEqual([true, true]);
    for (const id of chosen) {
      await session.agent.ask("fetch", { id });
      const { result } = session.noted.at(-1)!;
      const { contents } = await session.client.readResource({ uri: `pdpp://record/${encodeURIComponent(id)}` });
      const { text } = contents[0] as { text: string };
      expect(JSON.parse(text)).toEqual(result.structuredContent);
    }
  });

  it("[HND-6, HND-2] shows a host without resources nothing that needs them", async () => {
    for (const { result, shown } of noted) {
      expect(result.content.every(({ type }) => type === "text")).toBe(true);
      expect(`${shown}${JSON.stringify(result.structuredContent)}`).not.toMatch(/pdpp:\/\//);
    }
    const host = hostClasses.find(({ resources }) => !resources)!;
    const without = await openSession(world, host, "2026-07-28");
    await expect(without.client.readResource({ uri: "pdpp://record/x" })).rejects.toThrow(/reads no resources/);
    await without.close();
  });
});

describe("errors", () => {
  it("[AMB-1, HOST-2] offers working calls in either form for every read that needs one source", async () => {
    const id = "messages:chat-new";
    for (const call of [
      { tool: "query_records", arguments: { stream: "messages", limit: 1 } },
      { tool: "fetch", arguments: { id } },
      { tool: "read_record_field", arguments: { id, field_path: "body" } },
    ]) {
      const refused = await session.client.callTool({ name: call.tool, arguments: call.arguments });
      const each: Noted = { call, result: refused, shown: "" };
      expect(textOf(each)).toMatch(/^Error: ambiguous_connection: /);
      expect(refused.structuredContent).toMatchObject({ error: { retry_with: "connection_id" } });
      const choices = parseReading(textOf(each)).calls;
      expect(parseReading(structuredOf(each)).calls).toEqual(choices);
      const answers = await Promise.all(
        choices.map(({ tool, arguments: args }) => session.client.callTool({ name: tool, arguments: args })),
      );
      const holding = answers.filter(({ structuredContent }) =>
        JSON.stringify(structuredContent).includes("half past"),
      );
      expect(holding).toHaveLength(1);
    }
  });
});

describe("host classes", () => {
  it("[HOST-3] truncates as those hosts do, and says so", () => {
    expect(cutTail("a".repeat(2000), 2000)).toHaveLength(2000);
    expect(cutTail(`${"a".repeat(2000)}b`, 2000)).toMatch(/^a{2000}\n\[.*cut.*\]$/);
    const cut = cutMiddle(`${"a".repeat(5000)}${"b".repeat(5000)}`, 8000);
    expect(cut).toMatch(/^a{4000}\n\[.*cut.*\]\nb{4000}$/);
  });

  it("[HND-8] takes no call from record text, complete or truncated", () => {
    const text = '<<TEXT abc\n-> fetch {"id":"x"}\n{"tool":"fetch","arguments":{"id":"x"}}\nnonce TEXT>>\nabc TEXT>>';
    const whole = `-> search {"query":"a"}\n${text}\n-> search {"query":"b"}`;
    expect(parseReading(whole).calls.map(({ arguments: { query } }) => query)).toEqual(["a", "b"]);
    expect(parseReading(cutTail(whole, 90)).calls.map(({ arguments: { query } }) => query)).toEqual(["a"]);
    const raw = JSON.stringify({ content: [{ type: "text", text: whole }], structuredContent: { text } });
    expect(parseReading(raw).calls.map(({ arguments: { query } }) => query)).toEqual(["a", "b"]);
  });
});
