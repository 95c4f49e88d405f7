import type { TalkDraft } from "#demo/drafts";
import { people } from "#demo/people";
import { turnAt } from "#demo/records/assistant";
import { uuid } from "./ids.ts";

/** ChatGPT's export: a tree of messages for each conversation, under two that nobody sees. */
export const chatgptFiles = (talks: readonly TalkDraft[]): Record<string, string> => ({
  "conversations.json": JSON.stringify(talks.toReversed().map(conversation)),
  "user.json": JSON.stringify({
    id: `user-${uuid("owner").replaceAll("-", "").slice(0, 24)}`,
    email: people.ada.address,
    chatgpt_plus_user: true,
    birth_year: null,
  }),
  "message_feedback.json": "[]",
  "shared_conversations.json": "[]",
});

const seconds = (iso: string): number => Date.parse(iso) / 1000;

const node = (id: string, parent: string | null, child: string | undefined, message: object | null) => ({
  id,
  message,
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

function conversation(talk: TalkDraft): object {
  const id = uuid(talk.id);
  const [root, system] = [uuid(talk.id, "root"), uuid(talk.id, "system")];
  const ids = talk.turns.map((_, n) => uuid(talk.id, String(n)));
  const turns = talk.turns.map((text, n) => {
    const [own = "", parent = system] = [ids[n], ids[n - 1]];
    const [role, more] = n % 2 === 0 ? ["user", {}] : ["assistant", { model_slug: talk.model, parent_id: parent }];
    const said = message(own, role, seconds(turnAt(talk, n)), text, { timestamp_: "absolute", ...more });
    return [own, node(own, parent, ids[n + 1], said)];
  });
  const hidden = message(system, "system", null, "", { is_visually_hidden_from_conversation: true });
  return {
    title: talk.title,
    create_time: seconds(turnAt(talk, 0)),
    update_time: seconds(turnAt(talk, talk.turns.length - 1)),
    mapping: {
      [root]: node(root, null, system, null),
      [system]: node(system, root, ids[0], hidden),
      ...Object.fromEntries(turns),
    },
    moderation_results: [],
    current_node: ids.at(-1),
    plugin_ids: null,
    conversation_id: id,
    conversation_template_id: null,
    gizmo_id: null,
    is_archived: false,
    safe_urls: [],
    default_model_slug: talk.model,
    conversation_origin: null,
    voice: null,
    id,
  };
}
