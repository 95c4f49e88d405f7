import type { DemoRecord } from "../demo-types.ts";
import type { ChatDraft } from "../drafts.ts";
import { collectedAt, utc } from "../local-time.ts";
import { people, type RoomKey, rooms } from "../people.ts";

const conversationId = (room: RoomKey) => `cv_${room}`;

export function* conversationRecords(chats: readonly ChatDraft[]): Iterable<DemoRecord> {
  for (const [key, room] of Object.entries(rooms)) {
    const own = chats.filter((chat) => chat.room === key);
    const last = utc(own.at(-1)!.at);
    const data = {
      id: conversationId(key as RoomKey),
      title: room.title,
      kind: room.kind,
      participants: room.members.map((member) => people[member].name),
      message_count: own.length,
      first_message_at: utc(own[0]!.at),
      last_message_at: last,
    };
    yield { key: data.id, emitted_at: collectedAt(last), data };
  }
}

export function* chatRecords(chats: readonly ChatDraft[]): Iterable<DemoRecord> {
  for (const chat of chats) {
    const sentAt = utc(chat.at);
    const data = {
      id: chat.id,
      conversation_id: conversationId(chat.room),
      reply_to_id: chat.replyTo ?? null,
      sender_name: people[chat.from].name,
      from_owner: chat.from === "ada",
      text: chat.text,
      sent_at: sentAt,
      reactions: chat.reactions,
    };
    yield { key: chat.id, emitted_at: collectedAt(sentAt), data };
  }
}
