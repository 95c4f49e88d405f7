import { type AssistantChat, type AssistantMessage, owner } from "./household.ts";
import { createUuid } from "./ids.ts";

/** ChatGPT's export: a tree of messages per conversation, below two hidden ones. */
export const writeAssistantChats = (
  chats: readonly AssistantChat[],
  messages: readonly AssistantMessage[],
): Record<string, string> => ({
  "conversations.json": JSON.stringify(
    chats.toReversed().map((chat) =>
      buildConversation(
        chat,
        messages.filter(({ conversation_id }) => conversation_id === chat.id),
      ),
    ),
  ),
  "user.json": JSON.stringify({
    id: `user-${createUuid("owner").replaceAll("-", "").slice(0, 24)}`,
    email: owner.address,
    chatgpt_plus_user: true,
    birth_year: null,
  }),
  "message_feedback.json": "[]",
  "shared_conversations.json": "[]",
});

const toSeconds = (iso: string): number => Date.parse(iso) / 1000;

const buildNode = (id: string, parent: string | null, child: string | undefined, buildMessage: object | null) => ({
  id,
  message: buildMessage,
  parent,
  children: child === undefined ? [] : [child],
});

const message = (id: string, role: string, at: number | null, text: string, metadata: object) => ({
  id,
  author: { role, name: null, metadata: {} },
  create_time: at,
  update_time: null,
  content: { content_type: "text", parts: [text] },
  status: "finished_successfully",
  end_turn: role === "user" ? null : true,
  weight: role === "system" ? 0 : 1,
  metadata,
  recipient: "all",
  channel: null,
});

function buildConversation(chat: AssistantChat, messages: readonly AssistantMessage[]): object {
  const id = createUuid(chat.id);
  const [root, system] = [createUuid(chat.id, "root"), createUuid(chat.id, "system")];
  const ids = messages.map((_, n) => createUuid(chat.id, String(n)));
  const nodes = messages.map(({ author, content, created_at }, n) => {
    const [own = "", parent = system] = [ids[n], ids[n - 1]];
    const [role, more] =
      author === "owner" ? ["user", {}] : ["assistant", { model_slug: chat.model, parent_id: parent }];
    const visible = message(own, role, toSeconds(created_at), content, { timestamp_: "absolute", ...more });
    return [own, buildNode(own, parent, ids[n + 1], visible)];
  });
  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`the conversation ${chat.title} has no messages`);
  const hidden = message(system, "system", null, "", { is_visually_hidden_from_conversation: true });
  return {
    title: chat.title,
    create_time: toSeconds(first.created_at),
    update_time: toSeconds(last.created_at),
    mapping: {
      [root]: buildNode(root, null, system, null),
      [system]: buildNode(system, root, ids[0], hidden),
      ...Object.fromEntries(nodes),
    },
    moderation_results: [],
    current_node: ids.at(-1),
    plugin_ids: null,
    conversation_id: id,
    conversation_template_id: null,
    gizmo_id: null,
    is_archived: false,
    safe_urls: [],
    default_model_slug: chat.model,
    conversation_origin: null,
    voice: null,
    id,
  };
}
