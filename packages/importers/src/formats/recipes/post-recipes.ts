import { createPostRecords, definePostStreams } from "../../core/records/post.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { dropNulls } from "../../core/text/clean.ts";
import { formatInZone } from "../../core/time/times.ts";
import { createRecipeImporter, parseLocalDay, type Row } from "./recipe.ts";

/** `2024-01-31 10:00:00 UTC`. */
const formatTime = (row: Row): string => formatInZone(parseLocalDay(row.value("date"), "ymd"), "UTC");

const findLink = (row: Row): string | null => {
  const link = row.value("permalink");
  return link === null ? null : link.startsWith("/") ? `https://www.reddit.com${link}` : link;
};

/** Reddit posts and comments. IP addresses are skipped. */
export const reddit = createRecipeImporter({
  key: "reddit",
  title: "Reddit",
  manifest: defineManifest("reddit", "Reddit", "1.0.0", definePostStreams()),
  mainStream: "posts",
  sheets: [
    {
      columns: ["id", "permalink", "date", "subreddit", "title", "url", "body"],
      also: ["ip", "gildings"],
      *read(row) {
        const id = row.value("id");
        if (id === null) throw new Error("it has no id");
        yield* createPostRecords(
          {
            id: `t3_${id}`,
            text: row.value("body"),
            at: formatTime(row),
            title: row.value("title"),
            url: row.value("url") ?? findLink(row),
            extra: dropNulls({ subreddit: row.value("subreddit"), permalink: findLink(row) }),
          },
          row.answers,
        );
      },
    },
    {
      columns: ["id", "permalink", "date", "subreddit", "link", "parent", "body"],
      also: ["ip", "gildings", "media"],
      *read(row) {
        const id = row.value("id");
        if (id === null) throw new Error("it has no id");
        const parent = row.value("parent");
        const post = /\/comments\/(\w+)\//.exec(row.value("link") ?? "")?.[1];
        yield* createPostRecords(
          {
            id: `t1_${id}`,
            text: row.value("body"),
            at: formatTime(row),
            kind: "reply",
            url: findLink(row),
            replyTo: parent !== null ? `t1_${parent}` : post === undefined ? null : `t3_${post}`,
            extra: dropNulls({ subreddit: row.value("subreddit") }),
          },
          row.answers,
        );
      },
    },
  ],
});
