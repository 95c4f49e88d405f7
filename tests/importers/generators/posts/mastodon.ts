import { mastodon } from "#importers/formats/mastodon/mastodon";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

interface Post {
  readonly n: number;
  readonly text: string;
}

const post = (dice: Dice, n: number): Post => ({ n, text: drawSentence(dice) });
const me = "https://social.example/users/ada";
const everyone = "https://www.w3.org/ns/activitystreams#Public";

function drawActivity({ n, text }: Post): object {
  const published = new Date(Date.UTC(2024, 0, 1) + n * 3_600_000).toISOString().replace(".000", "");
  const common = {
    id: `${me}/statuses/${n}/activity`,
    actor: me,
    published,
    to: [n % 3 === 0 ? `${me}/followers` : everyone],
    cc: [],
  };
  if (n % 5 === 4) return { ...common, type: "Announce", object: `https://other.example/${n}` };
  return {
    ...common,
    type: "Create",
    object: {
      id: `${me}/statuses/${n}`,
      type: "Note",
      summary: n % 4 === 0 ? "about food" : null,
      inReplyTo: n % 4 === 1 ? `${me}/statuses/${n - 1}` : null,
      published,
      url: `https://social.example/@ada/${n}`,
      content: `<p>${text} &amp; <a href="https://example.org">more</a><br>line</p>`,
      attachment:
        n % 3 === 0
          ? [{ type: "Document", mediaType: "image/png", url: `/media_attachments/files/${n}.png`, name: "a drawing" }]
          : [],
      tag: [{ type: "Hashtag", name: "#food" }],
      sensitive: false,
    },
  };
}

const opening = `{"@context": "https://www.w3.org/ns/activitystreams", "id": "outbox.json", "type": "OrderedCollection", "orderedItems": [`;

const archive = (posts: readonly Post[]): Record<string, string> => ({
  "outbox.json": `${opening}${posts.map((each) => JSON.stringify(drawActivity(each))).join(",")}]}`,
  "actor.json": JSON.stringify({ type: "Person", preferredUsername: "ada" }),
  ...Object.fromEntries(
    posts.filter(({ n }) => n % 6 === 0).map(({ n }) => [`media_attachments/files/${n}.png`, `picture ${n}`]),
  ),
});

export const mastodonGenerator: Generator = {
  importer: mastodon,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => post(dice, n));
    const edited = all.slice(0, 2).map(({ n }) => ({ n, text: "edited" }));
    const added = [post(dice, size * 2), post(dice, size * 2 + 1)];
    return { older: archive(all), newer: archive([...edited, ...all.slice(2, -2), ...added]) };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => JSON.stringify(drawActivity(post(dice, n))));
    const bad = [
      '{"type": "Create"}',
      "7",
      '{"type": "Create", "object": {"id": "x", "published": "never"}}',
      "{broken}",
    ];
    const odd =
      '{"type": "Create", "published": "2024-01-01T00:00:00Z", "object": {"id": "odd", "content": "<p>\\u0000\\ud800<div>", "attachment": [7, {"url": 7}], "tag": "x"}}';
    return {
      files: { "outbox.json": `${opening}${good[0]},${bad.join(",")},${good[1]},${odd},${good[2]},{"type": "cut` },
      good: 4,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("outbox.json", bytes, (n) => JSON.stringify(drawActivity(post(dice, n))), [opening, ",", "]}"]),
};
