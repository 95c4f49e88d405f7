import type { Row } from "../../core/database/database-messages.ts";
import type { Database } from "../../core/database/sqlite-file.ts";

/** Reads a `chat.db` of any macOS or iOS version. */

/** Message columns, some of which older versions lack. */
// biome-ignore format: a compact table
const columns = [
  "guid", "text", "attributedBody", "subject", "service", "handle_id", "date", "date_edited", "date_retracted",
  "is_from_me", "item_type", "group_title", "associated_message_type", "thread_originator_guid",
];

export class Tables {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether the expected tables exist. */
  get areComplete(): boolean {
    return this.#has("message", "guid") && this.#has("handle", "id") && this.#has("chat_message_join", "message_id");
  }

  #has(table: string, column: string): boolean {
    return this.#database.tables.get(table)?.has(column) ?? false;
  }

  /** Phone numbers and addresses by row id. */
  async listHandles(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for await (const { ROWID, id } of this.#database.query("SELECT ROWID, id FROM handle"))
      if (typeof id === "string") found.set(String(ROWID), id);
    return found;
  }

  async *listChats(): AsyncGenerator<Row> {
    if (!this.#has("chat", "guid")) return;
    const name = this.#has("chat", "display_name") ? "display_name" : "NULL AS display_name";
    yield* this.#database.query(`SELECT ROWID, guid, chat_identifier, ${name} FROM chat`);
  }

  async *listMembers(): AsyncGenerator<Row> {
    if (this.#has("chat_handle_join", "chat_id"))
      yield* this.#database.query("SELECT DISTINCT chat_id, handle_id FROM chat_handle_join");
  }

  /** Messages with their chat, files and reactions, in order of arrival. */
  listMessages(): AsyncGenerator<Row> {
    const own = columns.map((name) => (this.#has("message", name) ? `m.${name}` : `NULL AS ${name}`));
    return this.#database.query(
      `SELECT m.ROWID, ${own.join(", ")}, c.chat_id, f.files, t.taps FROM message m
       LEFT JOIN (SELECT message_id, MIN(chat_id) AS chat_id FROM chat_message_join GROUP BY message_id) c ON c.message_id = m.ROWID
       LEFT JOIN (${this.#buildFilesQuery()}) f ON f.message_id = m.ROWID
       LEFT JOIN (${this.#buildReactionsQuery()}) t ON t.target = m.guid
       ${this.#has("message", "associated_message_type") ? "WHERE COALESCE(m.associated_message_type, 0) < 2000" : ""}
       ORDER BY m.ROWID`,
    );
  }

  #buildFilesQuery(): string {
    if (!this.#has("message_attachment_join", "message_id") || !this.#has("attachment", "filename"))
      return "SELECT NULL AS message_id, NULL AS files WHERE 0";
    return `SELECT j.message_id, json_group_array(json_object('path', a.filename, 'name', a.transfer_name, 'type', a.mime_type, 'size', a.total_bytes)) AS files
      FROM message_attachment_join j JOIN attachment a ON a.ROWID = j.attachment_id GROUP BY j.message_id`;
  }

  /** Reactions are separate messages whose target id is prefixed with the part they refer to. */
  #buildReactionsQuery(): string {
    if (!this.#has("message", "associated_message_guid")) return "SELECT NULL AS target, NULL AS taps WHERE 0";
    const emoji = this.#has("message", "associated_message_emoji") ? "associated_message_emoji" : "NULL";
    const named = "associated_message_guid";
    return `SELECT CASE WHEN instr(${named}, '/') > 0 THEN substr(${named}, instr(${named}, '/') + 1)
        WHEN instr(${named}, ':') > 0 THEN substr(${named}, instr(${named}, ':') + 1) ELSE ${named} END AS target,
      json_group_array(json_object('type', associated_message_type, 'emoji', ${emoji}, 'handle', handle_id, 'me', is_from_me)) AS taps
      FROM (SELECT * FROM message WHERE associated_message_type BETWEEN 2000 AND 3999 ORDER BY ROWID) GROUP BY target`;
  }
}
