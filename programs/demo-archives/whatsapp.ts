import type { ChatMessage, ChatRoom } from "./household.ts";
import { toLocalTime } from "./local-time.ts";

/** WhatsApp exports as an iPhone writes them: one archive per chat, named after it, with a `_chat.txt` inside. */
export function writeChats(
  rooms: readonly ChatRoom[],
  messages: readonly ChatMessage[],
): { name: string; text: string }[] {
  return rooms.map(({ id, title }) => {
    const own = messages.filter(({ conversation_id }) => conversation_id === id);
    const lines = own.map(({ sent_at, sender_name, text }) => `${formatStamp(sent_at)} ${sender_name}: ${text}`);
    const [first] = own;
    if (first === undefined) throw new Error(`the chat ${title} has no messages`);
    const notice = `${formatStamp(first.sent_at)} ${title}: \u200eMessages and calls are end-to-end encrypted. Only people in this chat can read, listen to, or share them.`;
    return {
      // File names cannot contain a slash.
      name: `WhatsApp Chat - ${title.replaceAll("/", "_")}.zip`,
      text: `${[notice, ...lines].join("\r\n")}\r\n`,
    };
  });
}

/** `[12.01.26, 06:48:00]` */
function formatStamp(instant: string): string {
  const local = toLocalTime(instant);
  return `[${local.slice(8, 10)}.${local.slice(5, 7)}.${local.slice(2, 4)}, ${local.slice(11)}]`;
}
