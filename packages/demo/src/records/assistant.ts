import type { DemoRecord } from "../demo-types.ts";
import type { TalkDraft } from "../drafts.ts";
import { addMinutes, collectedAt, utc } from "../local-time.ts";

/** Questions take the owner a while; answers come within the minute. */
export const turnAt = (talk: TalkDraft, index: number) =>
  utc(addMinutes(talk.at, Math.floor(index / 2) * 7 + (index % 2)));

export function* talkRecords(talks: readonly TalkDraft[]): Iterable<DemoRecord> {
  for (const talk of talks) {
    const updated = turnAt(talk, talk.turns.length - 1);
    const data = {
      id: talk.id,
      title: talk.title,
      model: talk.model,
      topics: talk.topics,
      created_at: utc(talk.at),
      updated_at: updated,
      message_count: talk.turns.length,
      settings: { temperature: 0.7, tools: talk.topics.includes("code") ? ["code"] : [], language: "auto" },
    };
    yield { key: talk.id, emitted_at: collectedAt(updated), data };
  }
}

export function* turnRecords(talks: readonly TalkDraft[]): Iterable<DemoRecord> {
  for (const talk of talks) {
    let read = 0;
    for (const [index, content] of talk.turns.entries()) {
      const id = `${talk.id}_${index + 1}`;
      const createdAt = turnAt(talk, index);
      const tokens = Math.ceil(content.length / 4);
      const data = {
        id,
        conversation_id: talk.id,
        position: index + 1,
        author: index % 2 === 0 ? "owner" : "assistant",
        content,
        created_at: createdAt,
        content_chars: [...content].length,
        usage: index % 2 === 0 ? null : { input_tokens: read, output_tokens: tokens },
      };
      read += tokens;
      yield { key: id, emitted_at: collectedAt(createdAt), data };
    }
  }
}
