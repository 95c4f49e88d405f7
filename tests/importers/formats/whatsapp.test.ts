import type { RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { whatsapp } from "#importers/formats/whatsapp/whatsapp";
import { answers, createMemoryTree } from "../support.ts";

async function read(lines: readonly string[], path = "chat.txt"): Promise<RecordItem[]> {
  const { claims } = await detect(createMemoryTree({ [path]: `${lines.join("\n")}\n` }, 0, 11), [whatsapp]);
  const found: RecordItem[] = [];
  for (const { claim } of claims)
    for await (const item of whatsapp.read(claim, answers)) if (item.kind === "record") found.push(item);
  return found;
}

const readMessages = async (lines: readonly string[], path?: string): Promise<RecordItem["data"][]> =>
  (await read(lines, path)).flatMap(({ stream, data }) => (stream === "messages" ? [data] : []));

describe("[IMP-11] WhatsApp", () => {
  it.each([
    ["Arabic", "١٥\u200f/١\u200f/٢٠٢٤، ٣:٠٤ م - أحمد: x"],
    ["Bengali", "১৫/১/২৪, ৩:০৪ PM - রহিম: x"],
    ["Bulgarian", "15.01.24 г., 15:04 - Иван: x"],
    ["Chinese, Hong Kong", "[15/1/2024 下午3:04:00] 小明: x"],
    ["Chinese, Taiwan", "2024/1/15 下午3:04 - 小明: x"],
    ["Croatian", "15. 01. 2024. u 15:04 - Ana: x"],
    ["Finnish", "15.1.2024 klo 15.04 - Aino: x"],
    ["French", "15/01/2024 à 15:04 - Zoé: x"],
    ["Greek", "15/1/24, 3:04 μ.μ. - Ελένη: x"],
    ["Malay", "15/01/2024, 3:04 PTG - Aminah: x"],
    ["Marathi", "१५/१/२४, ३:०४ PM - राम: x"],
    ["Thai", "[15/1/2567 BE 15:04:00] ส้ม: x"],
    ["Turkish", "15.01.2024 ÖS 3:04 - Ayşe: x"],
  ])("reads the date and time of a phone in %s", async (_, line) => {
    expect(await readMessages([line])).toMatchObject([{ local_time: "2024-01-15T15:04:00", text: "x" }]);
  });

  it("reads AM times in languages with several words for them", async () => {
    const lines = ["2024/1/15 凌晨12:20 - A: x", "2024/1/15 清晨5:20 - A: x", "15/1/2024, 9:20 PG - A: x"];
    for (const [line, time] of [
      [lines[0], "00:20"],
      [lines[1], "05:20"],
      [lines[2], "09:20"],
    ])
      expect(await readMessages([line ?? ""])).toMatchObject([{ local_time: `2024-01-15T${time}:00` }]);
  });

  it("is recognized by its name if it begins with a long message or many join messages", async () => {
    const name = "WhatsApp Chat with Ada.txt";
    const recipe = ["15/01/2024, 15:04 - Ada: Bread", ...Array.from({ length: 200 }, (_, n) => `step ${n}`)];
    const joined = Array.from({ length: 60 }, (_, n) => `15/01/2024, 15:04 - Person ${n} joined from the community`);
    expect(await readMessages(recipe, name)).toMatchObject([{ sender_name: "Ada" }]);
    expect(await readMessages([...joined, "15/01/2024, 15:05 - Ada: hi"], name)).toHaveLength(61);
    expect(await readMessages(["2024-01-15 15:04:05 - INFO: sent"], "whatsapp-bridge/log.txt")).toEqual([]);
  });

  it("recognizes system messages on an iPhone, which have the group's or the other person's name", async () => {
    const notice =
      "\u200eMessages and calls are end-to-end encrypted. Only people in this chat can read, listen to, or share them.";
    const group = await read(
      [
        `[15/01/2024, 15:04:00] Family: ${notice}`,
        "[15/01/2024, 15:04:01] Family: \u200eAda created this group",
        "[15/01/2024, 15:04:02] Ada: hi",
        "[15/01/2024, 15:04:03] Ben: \u200eimage omitted",
        "[15/01/2024, 15:04:04] Ben: hello",
      ],
      "WhatsApp Chat - Family.txt",
    );
    expect(group.map(({ data }) => data.kind)).toEqual(["system", "system", "message", "message", "message", null]);
    expect(group.at(-1)?.data.participants).toEqual(["Ada", "Ben"]);
    const two = await readMessages(
      [
        `[15/01/2024, 15:04:00] Ben: ${notice}`,
        "[15/01/2024, 15:04:03] Ben: \u200eimage omitted",
        "[15/01/2024, 15:04:04] Ada: hello",
      ],
      "WhatsApp Chat - Ben.txt",
    );
    expect(two.map(({ kind, sender_name }) => [kind, sender_name])).toEqual([
      ["system", null],
      ["message", "Ben"],
      ["message", "Ada"],
    ]);
  });

  it("keeps names with a colon intact, and pasted messages inside their message", async () => {
    const messages = await readMessages([
      "15/01/2024, 15:04 - Ada :): he wrote:",
      "[14/01/2024, 10:00:00] Eve: never",
      "15/01/2024, 15:05 - Ben: see: this",
      "15/01/2024, 15:05 - Ben:",
    ]);
    expect(messages.map(({ sender_name, text }) => [sender_name, text])).toEqual([
      ["Ada :)", "he wrote:\n[14/01/2024, 10:00:00] Eve: never"],
      ["Ben", "see: this"],
      ["Ben", ""],
    ]);
  });

  it("recognizes deleted and edited messages in several languages", async () => {
    const readMessage = async (text: string) => (await readMessages([`15/01/2024, 15:04 - Ada: ${text}`]))[0];
    for (const text of [
      "Diese Nachricht wurde gelöscht.",
      "Eliminaste este mensaje.",
      "Mensagem apagada",
      "Ce message a été supprimé",
    ])
      expect(await readMessage(text)).toMatchObject({ kind: "deleted" });
    for (const text of ["gut <Diese Nachricht wurde bearbeitet.>", "bem \u200e<Mensagem editada>"])
      expect(await readMessage(text)).toMatchObject({ kind: "message", is_edited: true });
    expect(await readMessage("the rules <see below>")).toMatchObject({ kind: "message", is_edited: false });
  });
});
