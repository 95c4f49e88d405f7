import type { SkippedPart } from "@pdpp/contract/sources";
import type { PlannedPart } from "@pdpp/importing/plan/plan-part";

const maxMessageChars = 500;

/** Names of files come from others. */
export const describeSkipped = (reason: string, message: string): SkippedPart => ({
  reason,
  message: message.slice(0, maxMessageChars).toWellFormed(),
});

/** The command that imports one format of the folder into the same connection, with what the run cannot decide. */
export function formatImportCommand(
  path: string,
  { importer, connection }: PlannedPart,
  ...options: readonly string[]
): string {
  const target = connection.isNew ? `--label ${quote(connection.label)}` : `--into ${connection.id}`;
  return ["pdpp import", quote(path), "--as", importer.key, target, ...options].join(" ");
}

const quote = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
