import { answerTasks } from "#importers/core/workers/answer-tasks";
import { parseMail } from "#importers/formats/mail/parse-mail";

/** Reads mails, and hangs on those that say so. */
answerTasks(async ({ mails }: { mails: readonly { bytes: Uint8Array; envelope: string }[] }) => {
  const parsed = [];
  for (const each of mails) {
    if (Buffer.from(each.bytes).includes("hang")) for (;;);
    parsed.push(await parseMail(each, true));
  }
  return parsed;
});
