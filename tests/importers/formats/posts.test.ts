import { formats } from "@pdpp/importers/formats";
import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { readFixtureFiles, selectRecords, selectRejected } from "../fixtures/fixture-files.ts";
import { encode, encodeRepository, Reference } from "../generators/posts/bluesky.ts";
import { createMemoryTree } from "../support.ts";

const readStream = (id: string, items: readonly unknown[]): string =>
  JSON.stringify({
    "@context": "https://www.w3.org/ns/activitystreams",
    id,
    type: "OrderedCollection",
    orderedItems: items,
  });

describe("[IMP-11] Mastodon", () => {
  const published = "2024-01-01T10:00:00Z";
  const create = (object: object): object => ({ type: "Create", published, to: [], object: { published, ...object } });

  it("does not report lists of addresses, which every archive has, as unreadable posts", async () => {
    const items = await readFixtureFiles(
      {
        "outbox.json": readStream("outbox.json", [
          create({ id: "https://m.example/1", type: "Note", content: "hello" }),
        ]),
        "likes.json": readStream("likes.json", ["https://o.example/1", "https://o.example/2"]),
        "bookmarks.json": readStream("bookmarks.json", ["https://o.example/1"]),
      },
      "mastodon",
    );
    expect(selectRejected(items)).toEqual([]);
    expect(selectRecords(items, "posts").map(({ text }) => text)).toEqual(["hello"]);
  });
  it("includes a poll's choices and votes", async () => {
    const buildChoice = (name: string, totalItems: number) => ({ type: "Note", name, replies: { totalItems } });
    const poll = { id: "https://m.example/2", type: "Question", content: "Tea or coffee?" };
    const outbox = readStream("outbox.json", [
      create({ ...poll, oneOf: [buildChoice("Tea", 3), buildChoice("Coffee", 5)] }),
    ]);
    expect(selectRecords(await readFixtureFiles({ "outbox.json": outbox }, "mastodon"), "posts")).toMatchObject([
      {
        extra: {
          poll: [
            { name: "Tea", votes: 3 },
            { name: "Coffee", votes: 5 },
          ],
        },
      },
    ]);
  });
});

describe("[IMP-11] X", () => {
  const buildScript = (name: string, list: readonly object[]): string =>
    `window.YTD.${name}.part0 = ${JSON.stringify(list, null, 2)}`;
  const buildTweet = (id_str: string, full_text: string, more: object = {}): object => ({
    tweet: { id_str, created_at: "Fri Sep 01 10:00:00 +0000 2023", full_text, ...more },
  });
  const note = (noteTweetId: string, text: string, createdAt = "2023-09-01T10:00:00.000Z"): object => ({
    noteTweet: {
      noteTweetId,
      createdAt,
      core: { text, urls: [{ shortUrl: "https://t.co/a", expandedUrl: "https://a.example/1" }] },
    },
  });

  it("includes the full text of a long post once", async () => {
    const whole = "A walk & a talk: https://t.co/a is where it began, and this is where it ends.";
    const items = await readFixtureFiles(
      {
        "data/tweets.js": buildScript("tweets", [
          buildTweet("11", "A walk &amp; a talk: https://t.co/b is where it… https://t.co/zzz"),
          buildTweet("12", "A walk"),
        ]),
        "data/note-tweet.js": buildScript("note_tweet", [
          note("10", whole),
          note("20", "Its post was deleted.", "2023-10-01T10:00:00.000Z"),
        ]),
      },
      "x",
    );
    expect(selectRejected(items)).toEqual([]);
    expect(selectRecords(items, "posts").map(({ id, text }) => [id, text])).toEqual([
      ["note:20", "Its post was deleted."],
      ["11", "A walk & a talk: https://a.example/1 is where it began, and this is where it ends."],
      ["12", "A walk"],
    ]);
  });

  it("gives each of several videos of a post its own file", async () => {
    const buildFilm = (name: string): object => ({
      media_url_https: `https://pbs.twimg.com/ext_tw_video_thumb/1/pu/img/still-of-${name}.jpg`,
      type: "video",
      video_info: { variants: [{ url: `https://video.twimg.com/ext_tw_video/1/pu/vid/640x360/${name}.mp4?tag=12` }] },
    });
    const extended_entities = { media: [buildFilm("sea"), buildFilm("hill")] };
    const items = await readFixtureFiles(
      {
        "data/tweets.js": buildScript("tweets", [buildTweet("11", "Two films", { extended_entities })]),
        "data/tweets_media/11-hill.mp4": "hill",
        "data/tweets_media/11-sea.mp4": "sea",
      },
      "x",
    );
    expect(selectRecords(items, "media").map(({ name, note }) => [name, note])).toEqual([
      ["11-sea.mp4", null],
      ["11-hill.mp4", null],
    ]);
  });
});

describe("[IMP-11] Bluesky", () => {
  const post = (key: string, more: object) => ({
    path: `app.bsky.feed.post/${key}`,
    bytes: encode({ $type: "app.bsky.feed.post", text: key, createdAt: "2024-01-01T10:00:00Z", ...more }),
  });
  const buildBlob = (mimeType: string) => ({ ref: new Reference(Buffer.from(mimeType)), mimeType, size: 9 });
  const quoted = { uri: "at://did:plc:b/app.bsky.feed.post/1", cid: "x" };
  const read = (more: object) => readFixtureFiles({ "repo.car": encodeRepository([post("a", more)]) }, "bluesky");

  it("a quote says what it quotes, and keeps the picture beside it", async () => {
    const plain = await read({ embed: { $type: "app.bsky.embed.record", record: quoted } });
    expect(selectRecords(plain, "posts")).toMatchObject([{ extra: { quotes: quoted.uri } }]);
    const images = [{ alt: "a drawing", image: buildBlob("image/png") }];
    const both = await read({
      embed: {
        $type: "app.bsky.embed.recordWithMedia",
        record: { $type: "app.bsky.embed.record", record: quoted },
        media: { $type: "app.bsky.embed.images", images },
      },
    });
    expect(selectRecords(both, "posts")).toMatchObject([{ extra: { quotes: quoted.uri } }]);
    expect(selectRecords(both, "media")).toMatchObject([{ description: "a drawing", mime_type: "image/png" }]);
  });

  it("a film is there with its description", async () => {
    const items = await read({
      embed: { $type: "app.bsky.embed.video", video: buildBlob("video/mp4"), alt: "the sea" },
    });
    expect(selectRecords(items, "media")).toMatchObject([{ description: "the sea", mime_type: "video/mp4" }]);
  });

  it("links that the text shows shortened are there in full", async () => {
    const feature = { $type: "app.bsky.richtext.facet#link", uri: "https://a.example/a/long/way" };
    const items = await read({ facets: [{ index: { byteStart: 0, byteEnd: 1 }, features: [feature] }] });
    expect(selectRecords(items, "posts")).toMatchObject([{ extra: { links: ["https://a.example/a/long/way"] } }]);
  });
});

describe("[IMP-11] Facebook", () => {
  const place = { name: "CafÃ© ZoÃ«", coordinate: { latitude: 48.1, longitude: 11.5 }, address: "MÃ¼nchen" };
  const checkIn = {
    timestamp: 1600000000,
    attachments: [{ data: [{ place }] }],
    data: [{ post: "SchÃ¶n hier" }],
    tags: [{ name: "Zoe" }],
    title: "Ada was here.",
  };

  it("includes where and with whom a post was written", async () => {
    const items = await readFixtureFiles(
      { "posts/your_posts_1.json": JSON.stringify([checkIn]) },
      "facebook-instagram",
    );
    expect(selectRecords(items, "posts")).toMatchObject([
      {
        text: "Schön hier",
        extra: { place: { name: "Café Zoë", address: "München", latitude: 48.1, longitude: 11.5 }, people: ["Zoe"] },
      },
    ]);
  });

  it("[IMP-1] does not list albums as readable, because they are not read", async () => {
    const photo = { uri: "your_facebook_activity/posts/media/Sea_1/1.jpg", creation_timestamp: 1500000000 };
    const files = { "posts/album/0.json": JSON.stringify({ name: "Sea", photos: [photo] }) };
    const { claims, unrecognized: notUnderstood } = await detect(createMemoryTree(files, 0), formats);
    expect(claims).toEqual([]);
    expect(notUnderstood.map(({ path }) => path)).toEqual(["posts/album/0.json"]);
    expect(notUnderstood[0]?.reason).toMatch(/albums/);
  });
});
