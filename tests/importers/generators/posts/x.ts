import { x } from "#importers/formats/x/x";
import { createEndlessFile, type Dice, drawSentence, type Generator } from "../generator.ts";

interface Tweet {
  readonly n: number;
  readonly text: string;
  readonly likes: number;
}

const drawTweet = (dice: Dice, n: number): Tweet => ({ n, text: drawSentence(dice), likes: dice.int(0, 9) });
const formatId = (n: number): string => String(1_169_246_717_864_136_705n + BigInt(n));
const formatTime = (n: number): string => {
  const [day, date, month, year, clock] = new Date(Date.UTC(2019, 8, 1) + n * 3_600_000)
    .toUTCString()
    .replace(",", "")
    .split(" ");
  return `${day} ${month} ${date} ${clock} +0000 ${year}`;
};

const wrapObject = ({ n, text, likes }: Tweet): object => ({
  tweet: {
    id: formatId(n),
    id_str: formatId(n),
    created_at: formatTime(n),
    full_text: `${n % 5 === 0 ? "RT @ada: " : ""}${text} &amp; more https://t.co/a${n}`,
    favorite_count: String(likes),
    retweet_count: "0",
    lang: "en",
    entities: { urls: [{ url: `https://t.co/a${n}`, expanded_url: `https://example.org/${n}` }] },
    ...(n % 4 === 1 ? { in_reply_to_status_id_str: formatId(n - 1), in_reply_to_screen_name: "ada" } : {}),
    ...(n % 3 === 0
      ? { extended_entities: { media: [{ media_url_https: `https://pbs.twimg.com/media/P${n}.jpg` }] } }
      : {}),
  },
});

const buildLike = (n: number, text: string): object => ({
  like: { tweetId: formatId(900 + n), fullText: text, expandedUrl: `https://twitter.com/i/${n}` },
});

const archive = (tweets: readonly Tweet[], likes: readonly object[], part: string): Record<string, string> => ({
  [`data/${part}.js`]: `window.YTD.tweets.part0 = ${JSON.stringify(tweets.map(wrapObject), null, 2)}`,
  "data/like.js": `window.YTD.like.part0 = ${JSON.stringify(likes)}`,
  "data/account.js":
    'window.YTD.account.part0 = [ { "account" : { "email" : "ada@example.org", "username" : "ada" } } ]',
  ...Object.fromEntries(
    tweets
      .filter(({ n }) => n % 6 === 0)
      .map(({ n }) => [`data/tweets_media/${formatId(n)}-P${n}.jpg`, `picture ${n}`]),
  ),
});

export const xGenerator: Generator = {
  importer: x,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawTweet(dice, n));
    const liked = all.slice(0, 2).map((each) => ({ ...each, likes: 99 }));
    const added = [drawTweet(dice, size * 2), drawTweet(dice, size * 2 + 1)];
    return {
      older: archive(all, [buildLike(1, "one"), buildLike(2, "two")], "tweets"),
      newer: archive(
        [...liked, ...all.slice(2, -2), ...added],
        [buildLike(2, "two"), buildLike(3, "three")],
        "tweets-part1",
      ),
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => JSON.stringify(wrapObject(drawTweet(dice, n))));
    const bad = [
      '{"tweet": {"id": 1169246717864136700}}',
      "null",
      '{"tweet": {"id_str": "5", "created_at": "never"}}',
      "{broken}",
    ];
    const odd =
      '{"tweet": {"id_str": "6", "created_at": "Wed Sep 04 13:51:55 +0000 2019", "full_text": "\\u0000 \\ud800", "entities": {"urls": [7, {"url": 7}]}, "extended_entities": 7}}';
    return {
      files: {
        "data/tweets.js": `window.YTD.tweets.part0 = [ ${good[0]}, ${bad.join(", ")}, ${good[1]}, ${odd}, ${good[2]}, {"tweet": {"id_str": "cut`,
      },
      good: 4,
    };
  },
  endless: (dice, bytes) =>
    createEndlessFile("data/tweets.js", bytes, (n) => JSON.stringify(wrapObject(drawTweet(dice, n))), [
      "window.YTD.tweets.part0 = [",
      ",",
      "]",
    ]),
};
