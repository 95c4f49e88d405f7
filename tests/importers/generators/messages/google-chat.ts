import { googleChat } from "#importers/formats/google-chat/google-chat";
import { createEndlessFile, type Dice, drawSentence, type Generator, people } from "../generator.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `Monday, January 1, 2024 at 12:00:00 AM UTC`; the space before AM is a narrow one. */
function formatTime(n: number): string {
  const at = new Date(Date.UTC(2024, 0, 1) + n * 3_607_000);
  const month = at.toLocaleString("en-US", { month: "long", timeZone: "UTC" });
  const hour = at.getUTCHours();
  const padTwo = (m: number): string => String(m).padStart(2, "0");
  const time = `${hour % 12 === 0 ? 12 : hour % 12}:${padTwo(at.getUTCMinutes())}:${padTwo(at.getUTCSeconds())}\u202f${hour < 12 ? "AM" : "PM"}`;
  return `${weekdays[at.getUTCDay()]}, ${month} ${at.getUTCDate()}, ${at.getUTCFullYear()} at ${time} UTC`;
}

const buildMessage = (dice: Dice, space: string, n: number): Record<string, unknown> => ({
  creator: { name: people[n % 2], email: `p${n % 2}@example.org`, user_type: "Human" },
  created_date: formatTime(n),
  ...(n % 6 === 4
    ? { attached_files: [{ original_name: "a?b=1.jpg", export_name: "File-a?b=1.jpg" }] }
    : { text: drawSentence(dice) }),
  topic_id: `t${n - (n % 3)}`,
  message_id: `${space}/t${n - (n % 3)}/t${n}`,
});

const members = people.slice(0, 2).map((name, n) => ({ name, email: `p${n}@example.org`, user_type: "Human" }));

export const googleChatGenerator: Generator = {
  importer: googleChat,
  pair(dice, size) {
    const folder = "Takeout/Google Chat/Groups/DM abc";
    const all = Array.from({ length: size * 2 }, (_, n) => buildMessage(dice, "abc", n));
    const edited = all.map((each, n) =>
      n === 5 ? { ...each, text: "as meant", updated_date: formatTime(9000) } : each,
    );
    const beside = {
      [`${folder}/group_info.json`]: JSON.stringify({ members }),
      [`${folder}/File-a_b_1.jpg`]: Buffer.from("jpeg"),
      "Takeout/Google Chat/Users/User 1/user_info.json": JSON.stringify({ user: members[0] }),
    };
    return {
      older: { ...beside, [`${folder}/messages.json`]: JSON.stringify({ messages: all }, null, 2) },
      newer: {
        ...beside,
        [`${folder}/messages.json`]: JSON.stringify({
          messages: [...edited.slice(2), buildMessage(dice, "abc", size * 2)],
        }),
      },
    };
  },
  hostile(dice) {
    const odd = { ...buildMessage(dice, "abc", 3), text: "nul \u0000", reactions: 4, attached_files: [{}] };
    const items = [
      JSON.stringify(buildMessage(dice, "abc", 0)),
      "[]",
      '{"message_id": "abc/x/x", "created_date": "Montag, 25. August 2014 um 17:29:21 UTC"}',
      '{"message_id": "abc/y/y", "created_date": "Monday, February 31, 2014 at 5:29:21 PM UTC"}',
      "{broken}",
      JSON.stringify(odd),
      '{"message_id": "abc/z',
    ];
    return {
      files: { "DM abc/messages.json": `{"messages": [${items.join(",")}`, "DM abc/group_info.json": "[1" },
      good: 2,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("DM abc/messages.json", bytes, (n) => JSON.stringify(buildMessage(dice, "abc", n)), [
      '{"messages": [',
      ",",
      "]}",
    ]),
};
