import { describe, expect, it } from "vitest";
import type { Names } from "../names.ts";
import { writeMarkedTitle } from "./own-titles.ts";

const own = { field: "author", values: ["user", "human"] };
const createNames = (generatedField: string) =>
  ({
    declaration: () => ({ presentation: { own }, generated: { field: generatedField, values: ["assistant"] } }),
  }) as unknown as Names;
const hit = (title: string) => ({
  title,
  connection_id: "ai",
  stream: "messages",
  title_match: { match: [{ start_chars: title.indexOf("costs"), end_chars: title.indexOf("costs") + 5 }] },
});

describe("[CSL-170] the title of an owner's turn", () => {
  it.each([
    ["User in Heating costs", "You in Heating costs"],
    ["Human: what are the costs", "You: what are the costs"],
    ["Assistant in Heating costs", "Assistant in Heating costs"],
    ["Users in Heating costs", "Users in Heating costs"],
  ])("is written for the owner, with its marks where the words are: %s", (title, expected) => {
    const shown = writeMarkedTitle(createNames("author"), hit(title));
    expect(shown.title).toBe(expected);
    const [mark] = shown.match?.match ?? [];
    expect(shown.title.slice(mark?.start_chars, mark?.end_chars)).toBe("costs");
  });

  it("stays where the actor is a name", () =>
    expect(writeMarkedTitle(createNames("draft"), hit("User in Heating costs")).title).toBe("User in Heating costs"));
});
