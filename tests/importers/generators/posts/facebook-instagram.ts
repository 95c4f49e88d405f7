import { facebookInstagram } from "#importers/formats/facebook-instagram/facebook-instagram";
import { createEndlessFile, type Dice, drawSentence, type Generator, people } from "../generator.ts";

const start = 1_700_000_000;

/** As these exports write every text: the bytes of its UTF-8 as if each were a character. */
const breakText = (text: string): string => Buffer.from(text).toString("latin1");

const drawMessage = (dice: Dice, n: number): Record<string, unknown> => ({
  sender_name: breakText(people[n % 3] ?? ""),
  timestamp_ms: (start + n * 77) * 1000,
  ...(n % 6 === 3
    ? { photos: [{ uri: "your_facebook_activity/messages/inbox/ada_123456/photos/1.jpg", creation_timestamp: start }] }
    : { content: breakText(drawSentence(dice)) }),
  ...(n % 5 === 1 ? { reactions: [{ reaction: breakText("❤️"), actor: breakText(people[0]) }] } : {}),
});

const buildThread = (messages: readonly unknown[], title: string): string =>
  JSON.stringify({
    participants: people.slice(0, 3).map((name) => ({ name: breakText(name) })),
    messages,
    title: breakText(title),
    thread_path: "inbox/ada_123456",
  });

const post = (dice: Dice, n: number): unknown => ({
  timestamp: start + n * 999,
  attachments:
    n % 2 === 0
      ? []
      : [{ data: [{ media: { uri: "your_facebook_activity/posts/media/x/1.jpg", creation_timestamp: start + n } }] }],
  data: [{ post: breakText(drawSentence(dice)) }],
  title: breakText("Zoë updated her status."),
});

export const facebookInstagramGenerator: Generator = {
  importer: facebookInstagram,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawMessage(dice, n));
    const posts = Array.from({ length: size }, (_, n) => post(dice, n));
    const media = {
      "your_facebook_activity/messages/inbox/ada_123456/photos/1.jpg": Buffer.from("jpeg"),
      "your_facebook_activity/posts/media/x/1.jpg": Buffer.from("other"),
    };
    const inbox = "your_facebook_activity/messages/inbox/ada_123456";
    const postFile = "your_facebook_activity/posts/your_posts__check_ins__photos_and_videos_1.json";
    return {
      older: {
        ...media,
        [`${inbox}/message_1.json`]: buildThread(all.slice(8).reverse(), "Ada & Zoë"),
        [`${inbox}/message_2.json`]: buildThread(all.slice(0, 8).reverse(), "Ada & Zoë"),
        [postFile]: JSON.stringify(posts),
      },
      newer: {
        ...media,
        // The person was renamed: the folder's name goes with it.
        "your_facebook_activity/messages/inbox/ada_123456/message_1.json": buildThread(
          [drawMessage(dice, size * 2), ...all.slice(3).reverse()],
          "Ada",
        ),
        [postFile]: JSON.stringify([...posts.slice(2), post(dice, size)]),
      },
    };
  },
  hostile(dice) {
    const items = [
      JSON.stringify(drawMessage(dice, 0)),
      "null",
      '{"sender_name": "x", "timestamp_ms": "soon"}',
      "{broken}",
      JSON.stringify({
        ...drawMessage(dice, 1),
        content: `${breakText("gemischt ä")} 鍵 \u0000 \ud800`,
        reactions: {},
      }),
      JSON.stringify({ sender_name: "Ã alone", timestamp_ms: start * 1000, content: "caf\u00e9" }),
    ];
    return {
      files: {
        "messages/inbox/x/message_1.json": `{"participants": 4, "messages": [${items.join(",")}, {"sender_name": "cut`,
        "your_posts_1.json": `[${JSON.stringify(post(dice, 0))}, 7, {"data": [{"post": "when?"}]}]`,
      },
      good: 4,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("inbox/ada_123456/message_1.json", bytes, (n) => JSON.stringify(drawMessage(dice, n)), [
      '{"participants": [{"name": "Ada"}], "messages": [',
      ",",
      "]}",
    ]),
};
