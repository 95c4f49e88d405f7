import type { JsonObject } from "@pdpp/contract/declaration";
import type { Entry } from "../../tree/tree.ts";
import type { Answers, RecordItem } from "../importer.ts";
import { createBlob, createFileRecord, createRecord } from "../items.ts";
import { getFileName, guessMimeType } from "../text/paths.ts";
import { missingFileNote } from "./attachment.ts";
import * as field from "./field.ts";
import { createFormatDefiner, defineStream } from "./schema.ts";

/** Posts and the pictures and videos in them. */
export const definePostStreams = (): JsonObject[] => [
  defineStream({
    name: "posts",
    label: "Posts",
    description: "Posts, replies, reposts and likes.",
    time: "posted_at",
    fields: {
      id: field.text(),
      author: field.actor(),
      text: field.body(),
      posted_at: field.eventTime(),
      kind: field.maybeText({ x_pdpp_role: "secondary", description: "post, reply, repost or like." }),
      title: field.maybeText({ description: "Headline shown by the app." }),
      url: field.maybeText({ x_pdpp_type: "url", description: "Its address, or the one it links to." }),
      reply_to_id: field.maybeText({ description: "The post it replies to." }),
      media: field.texts({ description: "Names of pictures and videos." }),
      extra: field.extra(),
    },
    search: ["text", "title", "url"],
    groups: ["author", "kind"],
    relationships: [
      { name: "files", stream: "media", foreign_key: "post_id", cardinality: "has_many" },
      { name: "replies", stream: "posts", foreign_key: "reply_to_id", cardinality: "has_many" },
    ],
  }),
  defineStream({
    name: "media",
    label: "Pictures and videos",
    description: "Media attached to posts.",
    time: "posted_at",
    fields: {
      id: field.text(),
      post_id: field.text({ description: "The post it belongs to." }),
      name: field.title(),
      description: field.body(),
      mime_type: field.maybeText({ x_pdpp_role: "secondary" }),
      size_bytes: { type: ["integer", "null"], description: "File size in bytes." },
      posted_at: field.eventTime(),
      note: field.maybeText({ description: "Why the file is missing." }),
      blob_ref: field.blobReference(),
    },
    presentation: { kind: "photo", fields: { media_type: "mime_type", size: "size_bytes" } },
    search: ["name", "description"],
    groups: ["mime_type"],
    relationships: [{ name: "post", stream: "posts", foreign_key: "post_id", cardinality: "has_one" }],
  }),
];

export const definePostFormat = createFormatDefiner(definePostStreams(), "posts", { media: { fill: ["blob_ref"] } });

interface Post {
  readonly id: string;
  readonly author?: string | null;
  readonly text: string | null;
  readonly at: string | null;
  readonly kind?: string;
  readonly title?: string | null;
  readonly url?: string | null;
  readonly replyTo?: string | null;
  readonly media?: readonly PostMedia[];
  readonly extra?: JsonObject;
}

interface PostMedia {
  readonly name: string;
  readonly description?: string | null;
  /** If the name does not show it. */
  readonly mimeType?: string | null;
  readonly entry?: Entry | undefined;
}

export function* createPostRecords(post: Post, answers: Answers): Generator<RecordItem> {
  const media = post.media ?? [];
  yield createRecord("posts", {
    id: post.id,
    author: post.author ?? null,
    text: post.text,
    posted_at: post.at,
    kind: post.kind ?? "post",
    title: post.title ?? null,
    url: post.url ?? null,
    reply_to_id: post.replyTo ?? null,
    media: media.map(({ name }) => getFileName(name)),
    extra: post.extra ?? {},
  });
  for (const [n, { name, description, entry, mimeType: declaredType }] of media.entries()) {
    const mimeType = declaredType ?? guessMimeType(name);
    const isWanted = entry !== undefined && answers.attachments;
    yield createFileRecord("media", isWanted ? createBlob("blob_ref", mimeType, entry) : undefined, {
      id: `${post.id}/${n + 1}`,
      post_id: post.id,
      name: getFileName(name),
      description: description ?? null,
      mime_type: mimeType,
      size_bytes: entry?.size ?? null,
      posted_at: post.at,
      note: entry === undefined ? missingFileNote : null,
      blob_ref: null,
    });
  }
}
