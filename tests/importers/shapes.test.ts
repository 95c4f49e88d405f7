import type { Item } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { expect, it } from "vitest";
import { random } from "#demo/random";
import { repaired } from "#importers/formats/facebook-instagram/mojibake";
import { formats } from "#importers/formats/formats";
import { generators } from "./generators.ts";
import { answers, memoryTree } from "./support.ts";

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

it("[IMP-12] chats have the same streams and fields whatever the app", () => {
  const manifests = formats.filter(({ key }) => chats.includes(key)).map(({ manifest }) => manifest);
  expect(manifests.length).toBe(chats.length);
  for (const { streams } of manifests) expect(streams).toEqual(manifests[0]?.streams);
});

it.each([
  ["messages.html", '<html><div class="page_wrap"><div class="page_header">Telegram</div>', /Machine-readable JSON/],
  ["signal-2024-01-01-10-00-00.backup", "\u0001\u0002", /encrypted.*Export chat history/],
  ["inbox/message_1.html", '<html><title>Facebook</title><div class="_a6-g">', /choose JSON/],
])("[IMP-1] an export in a form that cannot be read is named with what to do: %s", async (path, content, advice) => {
  const { claims, notUnderstood } = await detect(memoryTree({ [path]: content }, 0), formats);
  expect([claims, notUnderstood.map(({ code }) => code)]).toEqual([[], ["other_form"]]);
  expect(notUnderstood[0]?.reason).toMatch(advice);
});

it("[IMP-11] texts that were broken on the way are mended, and others left as they are", () => {
  expect(["Ã¶", "ZoÃ«", "caf\u00e9", "鍵 Ã¶", "plain"].map(repaired)).toEqual(["ö", "Zoë", "café", "鍵 Ã¶", "plain"]);
});

it.each([
  ["slack", /xox[a-z]-/],
  ["discord", /hm=secret/],
  ["signal", /a2V5/],
  ["spotify", /192\.0\.2/],
  ["reddit", /192\.0\.2/],
])("[IMP-14] %s: tokens and keys of the export are not kept", async (format, secret) => {
  const generator = generators.find(({ importer }) => importer.key === format);
  if (generator === undefined) throw new Error(`no generator for ${format}`);
  const { older } = generator.pair(random(1), 8);
  expect(JSON.stringify(older)).toMatch(secret);
  const { claims } = await detect(memoryTree(older, 0), formats);
  const items: Item[] = [];
  for (const { importer, claim } of claims) items.push(...(await Array.fromAsync(importer.read(claim, answers))));
  expect(items.length).toBeGreaterThan(10);
  expect(JSON.stringify(items)).not.toMatch(secret);
});

it("[IMP-11] the files of a bundle come with its note, also where they are only linked", async () => {
  const bundle = "Notes.bear2bk/Boiler.textbundle";
  const files = {
    [`${bundle}/text.md`]:
      '# Boiler\n\n![](assets/gauge.png)\n[bill.pdf](assets/bill.pdf)<!-- {"embed":"true"} -->\n[maker](https://example.org)',
    [`${bundle}/info.json`]: "{}",
    [`${bundle}/assets/gauge.png`]: "png",
    [`${bundle}/assets/bill.pdf`]: "pdf",
  };
  const [found] = (await detect(memoryTree(files, 0), formats)).claims;
  const items: Item[] = found === undefined ? [] : await Array.fromAsync(found.importer.read(found.claim, answers));
  const records = items.flatMap((item) => (item.kind === "record" ? [item.data] : []));
  expect(records[0]).toMatchObject({ attachments: ["gauge.png", "bill.pdf"], links: ["https://example.org"] });
  expect(records.slice(1).map(({ name }) => name)).toEqual(["gauge.png", "bill.pdf"]);
});
