import type { ChatDraft } from "#demo/drafts";
import { people, rooms } from "#demo/people";

/** Chats as an iPhone exports them: an archive for each, with the name of the chat, and `_chat.txt` in it. */
export function chatFiles(chats: readonly ChatDraft[]): { name: string; text: string }[] {
  return Object.entries(rooms).map(([key, { title }]) => {
    const own = chats.filter(({ room }) => room === key);
    const said = own.map(({ at, from, text }) => `${stamp(at)} ${people[from].name}: ${text}`);
    const opening = `${stamp(own[0]?.at ?? "2025-11-01 08:00")} ${title}: \u200eMessages and calls are end-to-end encrypted. Only people in this chat can read, listen to, or share them.`;
    // A slash cannot stand in the name of a file.
    return {
      name: `WhatsApp Chat - ${title.replaceAll("/", "_")}.zip`,
      text: `${[opening, ...said].join("\r\n")}\r\n`,
    };
  });
}

/** `[12.01.26, 06:48:00]`. */
const stamp = (at: string): string => `[${at.slice(8, 10)}.${at.slice(5, 7)}.${at.slice(2, 4)}, ${at.slice(11)}:00]`;
