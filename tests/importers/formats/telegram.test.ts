import { detect } from "@pdpp/importers/plan";
import { expect, it } from "vitest";
import { telegram } from "#importers/formats/telegram/telegram";
import { answers, createMemoryTree } from "../support.ts";

async function readTexts(...messages: object[]): Promise<unknown[]> {
  const about = {
    type: "message",
    date: "2024-01-15T10:00:00",
    date_unixtime: "1705312800",
    from: "Ada",
    from_id: "user1",
  };
  const chat = {
    name: "Group",
    type: "private_group",
    id: 1,
    messages: messages.map((each, id) => ({ ...about, id, ...each })),
  };
  const { claims } = await detect(createMemoryTree({ "result.json": JSON.stringify(chat) }, 0), [telegram]);
  const texts: unknown[] = [];
  for (const { claim } of claims)
    for await (const item of telegram.read(claim, answers))
      if (item.kind === "record" && item.stream === "messages") texts.push(item.data.text);
  return texts;
}

it("[IMP-11] Telegram: shows link targets, and describes polls, lists, places and people in words", async () => {
  expect(
    await readTexts(
      {
        text: [
          "read ",
          { type: "text_link", text: "this", href: "https://x.example/" },
          { type: "link", text: " y.example" },
        ],
      },
      {
        text: "",
        poll: {
          question: "Pizza?",
          answers: [
            { text: "yes", voters: 2 },
            { text: "no", voters: 0 },
          ],
        },
      },
      { text: "", todo_list: { title: "Shop", items: [{ id: 1, text: "milk" }] } },
      { text: "", place_name: "Cafe", address: "Street 1", location_information: { latitude: 1, longitude: 2 } },
      { text: "", contact_information: { first_name: "Eve", last_name: "", phone_number: "+49 30" } },
      { text: "caption", photo: "photos/a.jpg" },
      { text: "" },
    ),
  ).toEqual([
    "read this (https://x.example/) y.example",
    "Pizza?\n- yes\n- no",
    "Shop\n- milk",
    "Cafe\nStreet 1",
    "Eve +49 30",
    "caption",
    "",
  ]);
});
