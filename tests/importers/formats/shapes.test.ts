import type { Claim, Importer, Item } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { describe, expect, it } from "vitest";
import { collectAnswers } from "#cli/import/questions";
import { formatPlan, formatReport, formatTally } from "#cli/import/report-text";
import { estimateSecondsLeft } from "#cli/render/terminal/progress";
import { repairText } from "#importers/formats/facebook-instagram/mojibake";
import { formats } from "#importers/formats/formats";
import { planPart } from "#importing/plan/plan-part";
import { generators } from "../generators/all.ts";
import type { Generator } from "../generators/generator.ts";
import { answers, createMemoryTree } from "../support.ts";

const chats = [
  "whatsapp",
  "telegram",
  "slack",
  "google-chat",
  "google-voice",
  "signal",
  "sms-backup",
  "imessage",
  "discord",
];

it("[IMP-12] chats have the same streams and fields in every app", () => {
  const manifests = formats.filter(({ key }) => chats.includes(key)).map(({ manifest }) => manifest);
  expect(manifests.length).toBe(chats.length);
  for (const { streams } of manifests) expect(streams).toEqual(manifests[0]?.streams);
});

const joplinNote =
  "Plans\n\nBuy paint\n\nid: 0123456789abcdef0123456789abcdef\nparent_id: 1123456789abcdef0123456789abcdef\ncreated_time: 2024-01-01T10:00:00.000Z\ntype_: 1";

it.each([
  ["messages.html", '<html><div class="page_wrap"><div class="page_header">Telegram</div>', /Machine-readable JSON/],
  ["signal-2024-01-01-10-00-00.backup", "\u0001\u0002", /encrypted.*Export chat history/],
  ["inbox/message_1.html", '<html><title>Facebook</title><div class="_a6-g">', /choose JSON/],
  ["messages/inbox/ada_1/message_1.html", "<html><title>Messenger</title><body>Ada</body>", /Messenger.*choose JSON/],
  ["backup.jex/0123456789abcdef0123456789abcdef.md", joplinNote, /Joplin.*Export all, MD/],
  ["raw/0123456789abcdef0123456789abcdef.md", joplinNote, /Joplin.*Export all, MD/],
  ["Zoho/Plans 0123456789abcdef0123456789abcdef.html", "<html><head><title>Zoho Notebook</title>", /Zoho/],
  ["archive.olm", "PK", /Outlook.*\.eml/],
  ["msgstore.db.crypt15", "\u0001", /WhatsApp.*Export chat/],
])("[IMP-29] explains what to do about an export in an unsupported form: %s", async (path, content, advice) => {
  const { claims, unrecognized: notUnderstood } = await detect(createMemoryTree({ [path]: content }, 0), formats);
  expect([claims, notUnderstood.map(({ code }) => code)]).toEqual([[], ["other_form"]]);
  expect(notUnderstood[0]?.reason).toMatch(advice);
});

it("[IMP-1] Discord: recognizes channels without messages", async () => {
  const said = [{ ID: "1190000000000000001", Timestamp: "2024-01-01 12:00:00", Contents: "hello", Attachments: "" }];
  const files = {
    "Messages/index.json": JSON.stringify({ "1": "general in Home" }),
    "Messages/c1/channel.json": JSON.stringify({ id: "1" }),
    "Messages/c1/messages.json": JSON.stringify(said),
    "Messages/c2/channel.json": JSON.stringify({ id: "2" }),
    "Messages/c2/messages.json": "[]",
  };
  const { claims, unrecognized: notUnderstood } = await detect(createMemoryTree(files, 0), formats);
  expect(claims.map(({ claim }) => claim.entries.map(({ path }) => path))).toEqual([["Messages/c1/messages.json"]]);
  expect(notUnderstood).toEqual([]);
});

it("[IMP-11] repairs mojibake and leaves other texts alone", () => {
  expect(["Ã¶", "ZoÃ«", "caf\u00e9", "鍵 Ã¶", "plain"].map(repairText)).toEqual(["ö", "Zoë", "café", "鍵 Ã¶", "plain"]);
});

it.each([
  ["slack", /xox[a-z]-/],
  ["discord", /hm=secret/],
  ["signal", /a2V5/],
  ["spotify", /192\.0\.2/],
  ["reddit", /192\.0\.2/],
])("[IMP-14] %s: does not keep tokens and keys of the export", async (format, secret) => {
  const generator = generators.find(({ importer }) => importer.key === format);
  if (generator === undefined) throw new Error(`no generator for ${format}`);
  const { older } = generator.pair(createRandom(1), 8);
  expect(JSON.stringify(older)).toMatch(secret);
  const { claims } = await detect(createMemoryTree(older, 0), formats);
  const items: Item[] = [];
  for (const { importer, claim } of claims) items.push(...(await Array.fromAsync(importer.read(claim, answers))));
  expect(items.length).toBeGreaterThan(10);
  expect(JSON.stringify(items)).not.toMatch(secret);
});

it("[IMP-11] imports the files of a bundle with its note, even if they are only linked", async () => {
  const bundle = "Notes.bear2bk/Boiler.textbundle";
  const files = {
    [`${bundle}/text.md`]:
      '# Boiler\n\n![](assets/gauge.png)\n[bill.pdf](assets/bill.pdf)<!-- {"embed":"true"} -->\n[maker](https://example.org)',
    [`${bundle}/info.json`]: "{}",
    [`${bundle}/assets/gauge.png`]: "png",
    [`${bundle}/assets/bill.pdf`]: "pdf",
  };
  const [found] = (await detect(createMemoryTree(files, 0), formats)).claims;
  const items: Item[] = found === undefined ? [] : await Array.fromAsync(found.importer.read(found.claim, answers));
  const records = items.flatMap((item) => (item.kind === "record" ? [item.data] : []));
  expect(records[0]).toMatchObject({ attachments: ["gauge.png", "bill.pdf"], links: ["https://example.org"] });
  expect(records.slice(1).map(({ name }) => name)).toEqual(["gauge.png", "bill.pdf"]);
});

describe("[IMP-10] the time zone", () => {
  const readTimesIn = async (importer: Importer, claim: Claim, time_zone: string): Promise<string> => {
    const items = await Array.fromAsync(importer.read(claim, { ...answers, time_zone }));
    const times = items.flatMap((item) => (item.kind === "record" ? [item.data] : []));
    return JSON.stringify(times, (key, value: unknown) => (key === "time_zone_assumed" ? undefined : value));
  };
  const given = { attachments: true };
  const connection = { id: "new", isNew: true, label: "" };

  it.each(generators.map((generator): [string, Generator] => [generator.importer.key, generator]))(
    "by %s, which may need it, wherever it makes a difference",
    async (_, { importer, pair, hostile }) => {
      for (const files of [pair(createRandom(5), 6).older, hostile(createRandom(5)).files])
        for (const { claim } of (await detect(createMemoryTree(files, 0), [importer])).claims) {
          if (!claim.questions.some(({ key }) => key === "time_zone")) continue;
          const isAsked = (await planPart(undefined, importer, claim, given, connection)).questions.some(
            ({ key }) => key === "time_zone",
          );
          const [here, there] = [
            await readTimesIn(importer, claim, "Europe/Berlin"),
            await readTimesIn(importer, claim, "Asia/Tokyo"),
          ];
          if (here !== there) expect(isAsked).toBe(true);
        }
    },
  );

  it("is not asked for if every time has one", async () => {
    const dated = { "notes/a.md": "---\ncreated: 2026-01-01T10:00:00Z\n---\nBoiler" };
    const undated = { "notes/a.md": "---\ncreated: 2026-01-01 10:00\n---\nBoiler" };
    const listQuestions = async (files: Record<string, string>): Promise<number> => {
      const [found] = (await detect(createMemoryTree(files, 0), formats)).claims;
      if (found === undefined) throw new Error("it is not known");
      return (await planPart(undefined, found.importer, found.claim, given, connection)).questions.length;
    };
    expect([await listQuestions(dated), await listQuestions(undated)]).toEqual([0, 1]);
  });

  it("is asked for once for all chats of a phone, and again for another name", async () => {
    const earlier = new Map([
      ["whatsapp time_zone", "Asia/Tokyo"],
      ["whatsapp me", "Ada"],
    ]);
    const questions = [
      { key: "time_zone", text: "Where?" },
      { key: "me", text: "Who?", choices: ["Ada", "Ben"], defaultAnswer: "" },
    ] as const;
    const whatsapp = { of: "whatsapp", earlier };
    expect(await collectAnswers(questions, given, whatsapp)).toMatchObject({
      answers: { time_zone: "Asia/Tokyo", me: "Ada" },
      open: [],
    });
    const others = [{ ...questions[1], choices: ["Cleo", "Ben"] }];
    expect(await collectAnswers(others, given, whatsapp)).toMatchObject({ answers: { me: "" }, open: [] });
    const { open } = await collectAnswers(questions, given, { of: "telegram", earlier });
    expect(open.map(({ key }) => key)).toEqual(["time_zone"]);
  });
});

it("[IMP-1] does not report system files as unrecognized", async () => {
  const files = {
    "Takeout/archive_browser.html": "<html>",
    "Takeout/.DS_Store": "x",
    "__MACOSX/._a": "x",
    "what.bin": "x",
  };
  const { unrecognized: notUnderstood } = await detect(createMemoryTree(files, 0), formats);
  expect(notUnderstood.map(({ path }) => path)).toEqual(["what.bin"]);
});

it("[IMP-2] reports parts that go into one connection together", async () => {
  const buildChat = (name: string) => ({ [`WhatsApp Chat with ${name}.txt`]: `13/01/2024, 10:00 - ${name}: boiler\n` });
  const files = { ...buildChat("Ada"), ...buildChat("Ben"), ...buildChat("Cleo"), ...buildChat("Dora") };
  const connection = { id: "whatsapp", isNew: true, label: "WhatsApp" };
  const { claims } = await detect(createMemoryTree(files, 0), formats);
  const parts = await Promise.all(
    claims.map(({ importer, claim }) => planPart(undefined, importer, claim, answers, connection)),
  );
  expect(formatPlan(parts, [], []).split("\n")).toEqual([
    "WhatsApp (whatsapp): WhatsApp chat Ada, WhatsApp chat Ben, WhatsApp chat Cleo and 1 more",
    "  4 messages, 2024-01-13",
    "  4 conversations, 2024-01-13",
    '  will create source "WhatsApp" (whatsapp)',
  ]);
  expect(formatPlan(parts.slice(0, 1), [], [])).toContain("  1 conversation, 2024-01-13");
  const tally = {
    read: 2,
    blobs: 0,
    streams: { messages: { stored: 1, changed: 0, unchanged: 1, aside: 0, skipped: 0 } },
  };
  expect(formatReport(parts.map((part) => ({ part, tally })))).toEqual([
    "WhatsApp: WhatsApp chat Ada, WhatsApp chat Ben, WhatsApp chat Cleo and 1 more -> whatsapp",
    "  messages: 4 new, 4 unchanged",
  ]);
});

it("[IMP-5] a report omits zeros, says if everything is zero, and does not call a file new", () => {
  const none = { stored: 0, changed: 0, unchanged: 0, aside: 0, skipped: 0 };
  const streams = {
    messages: { ...none, stored: 1709, changed: 2, unchanged: 3, skipped: 4, aside: 5 },
    conversations: { ...none, unchanged: 16 },
    attachments: none,
  };
  expect(formatTally({ read: 1739, blobs: 9, streams })).toEqual([
    "  messages: 1,709 new, 2 changed, 3 unchanged, 4 skipped, 5 unreadable",
    "  conversations: 16 unchanged",
    "  attachments: nothing",
    "  9 files attached",
  ]);
});

it("[IMP-2] estimates the time left from all progress, and not before there is any", () => {
  expect([
    estimateSecondsLeft(0.5, 1),
    estimateSecondsLeft(0.001, 60),
    estimateSecondsLeft(0.25, 10),
    estimateSecondsLeft(1, 10),
  ]).toEqual([null, null, 30, null]);
});
