import { beforeAll, describe, expect, it } from "vitest";
import { compareWithBefore, findDearer } from "../../programs/measure/before.ts";
import { findEvidenceProblems, floors } from "../../programs/measure/evidence.ts";
import { type HostClass, hostClasses } from "../mcp/hosts/host-classes.ts";
import { demoQuestions } from "./demo-questions.ts";
import { askDemo, loadDemoSet, openDemo } from "./demo-set.ts";
import { computeFigure, type JudgedQuestion } from "./figures.ts";
import { askEveryday, computeEverydayFigure, type EverydayAnswer, isTitleOnly } from "./first-page.ts";
import { everydayQuestions } from "./first-page-questions.ts";
import { getHitWords, parseHits } from "./shown-hits.ts";
import { unseenQuestions } from "./unseen-questions.ts";
import { answerFinder, createWordFinder, isRedundant } from "./words.ts";

describe.each([
  { list: demoQuestions, count: 100 },
  { list: unseenQuestions, count: 48 },
])("the $count questions about the demo", ({ list, count }) => {
  const { questions, searchable } = loadDemoSet(undefined, list);

  it("[MEAS-5] asks each question once", () => {
    expect(new Set(questions.map(({ q }) => q)).size).toBe(count);
  });

  it("[MEAS-5] names a searchable record with the answer in each question, and no question contains it", () => {
    const wrong = questions.filter(
      ({ q, record, holds, answeredBy }) => searchable(record).length === 0 || !holds(record) || answeredBy(record, q),
    );
    expect(wrong.map(({ q }) => q)).toEqual([]);
  });
});

describe("a search page in a host that shows the text", () => {
  const host = hostClasses.filter(({ name }) => name === "content-only");
  let asked: Map<HostClass, JudgedQuestion[]>;
  let everyday: EverydayAnswer[];
  beforeAll(async () => {
    const world = await openDemo();
    asked = await askDemo(world, host, false);
    everyday = await askEveryday(world, host[0]!);
    await world.close();
  });

  it("[MEAS-5] shows the matched words and the answer often enough for the floors", () => {
    const figures = [...asked].map(([{ name }, all]) => computeFigure("demo", name, all));
    console.log(figures);
    expect(findEvidenceProblems({ figures, everyday: [], misses: [], skipped: undefined })).toEqual([]);
  });

  it("[MEAS-7] answers everyday questions without misleading numbers or bare titles", () => {
    const figure = computeEverydayFigure("content-only", everyday);
    console.log(
      figure,
      everyday.filter((each) => !each.isVisible).map(({ question }) => question.question),
      everyday.filter((each) => each.isMisleading).map(({ question }) => question.question),
    );
    expect(findEvidenceProblems({ figures: [], everyday: [figure], misses: [], skipped: undefined })).toEqual([]);
  });

  it("[MEAS-5] names the record of every hit and a call that continues", () => {
    const { searchable } = loadDemoSet();
    for (const { hits } of [...asked.values()].flat())
      for (const { id, call, matched } of hits) {
        expect(searchable(id)).not.toEqual([]);
        expect(call).toBeDefined();
        expect(matched.size).toBeGreaterThan(0);
      }
  });
});

describe("the everyday questions", () => {
  it("[MEAS-7] asks twenty-five questions, each once", () =>
    expect(new Set(everydayQuestions.map(({ question }) => question)).size).toBe(25));
});

describe("the judging of a page", () => {
  it("[MEAS-7] distinguishes a bare title from a hit that says more", () => {
    const hit = (head: string, passages: string[] = []) => ({ id: "a", head, passages, call: undefined });
    expect(isTitleOnly(hit('1. "Dentist" | calendar events "Family calendar" | "2026-10-28T07:50:00Z"'))).toBe(true);
    expect(isTitleOnly(hit('1. "Dentist" | calendar events "Home" | 2026-10-28 08:50 +01:00', ["Dentist"]))).toBe(true);
    expect(isTitleOnly(hit('1. "Dentist" | organizer "Ada" | calendar events "Home"'))).toBe(false);
    expect(isTitleOnly(hit('1. "Dentist" | calendar events "Home"', ["Praxis am Markt"]))).toBe(false);
  });

  const text = [
    '1. "Boiler (Calidor 20)" | notes notes "Notes" cin_notes_ada | "2026-10-06T10:05:00Z"',
    'body (120-160 of 600 chars): "the <mark>invoice</mark>,\\n486.71 € \\"paid\\""',
    '-> read_record_field {"id":"cin_notes_ada/notes:n1","field_path":"body"}',
    "Hit 1 is above, 1 more below: 2 hits on this page, 2 in all.",
    '-> search {"query":"boiler invoice 486.71","cursor":"c"}',
    '2. "Boiler repair" | calendar events cin_calendar_home',
    'title: "Boiler repair"',
    '-> fetch {"id":"cin_calendar_home/events:e1"}',
  ].join("\n");
  const structured = JSON.stringify({
    results: [
      {
        id: "a/notes:n1",
        title: "Boiler (Calidor 20)",
        url: "",
        field_path: "body",
        preview: "the <mark>invoice</mark>,",
        chars: "120-160 of 600",
      },
      { id: "b/events:e1", title: "Boiler repair", url: "", matched: ["title"] },
    ],
    next: { tool: "search", arguments: { query: "boiler invoice 486.71", cursor: "c" } },
    content_ladder: { records: [{ id: "a/notes:n1", field_path: "body", preview: "486.71 €" }] },
  });

  it.each([
    ["text", text],
    ["structured", structured],
  ])("[MEAS-5] reads the hits of the %s form and nothing else of the page", (_, shown) => {
    const hits = parseHits(shown);
    expect(hits.map(({ call }) => call?.tool)).toEqual(["read_record_field", "fetch"]);
    const [first, second] = hits.map(getHitWords);
    const isPrice = answerFinder(["486,71"]);
    expect([isPrice(first ?? ""), isPrice(second ?? "")]).toEqual([true, false]);
    expect(createWordFinder("boiler invoices")([first ?? ""]).size).toBe(2);
    expect(createWordFinder("boiler invoices")([second ?? ""]).size).toBe(1);
  });

  it("[MEAS-5] detects a passage that only repeats the heading", () => {
    const [first, second] = parseHits(text).map(({ head, passages }) =>
      passages.every((one) => isRedundant(one, head)),
    );
    expect([first, second]).toEqual([false, true]);
  });

  it("[MEAS-5] fails below the floors", () => {
    const figure = { ...computeFigure("demo", "content-only", []), ...floors.demo, words_shown: 0.2 };
    expect(findEvidenceProblems({ figures: [figure], everyday: [], misses: [], skipped: undefined })).toEqual([
      expect.stringContaining("words_shown 20.0 %"),
    ]);
  });
});

describe("the cost of tasks before and after", () => {
  const figure = (surface: string, tokens: number) => ({
    ...{ surface, tokens, task: "read a nested JSON value", calls: 2, chars: 9, ms: 1, right: true, answer: "" },
  });

  it("[MEAS-6] names the host classes that cost more than before", () => {
    const comparisons = compareWithBefore([
      figure("MCP both", 100_000),
      figure("MCP content-only", 1),
      figure("REST", 100_000),
    ]);
    expect(findDearer(comparisons).map(({ surface }) => surface)).toEqual(["MCP both", "MCP in all"]);
    for (const { before } of comparisons) expect(before).toBeGreaterThan(1);
  });

  it("[MEAS-6] requires fewer tokens over all host classes, not as many", () => {
    const [then] = compareWithBefore([figure("MCP both", 0)]);
    expect(
      findDearer(compareWithBefore([figure("MCP both", then?.before ?? 0)])).map(({ surface }) => surface),
    ).toEqual(["MCP in all"]);
    expect(findDearer(compareWithBefore([figure("MCP both", 1)]))).toEqual([]);
  });
});
