import { answerTasks } from "../../core/workers/answer-tasks.ts";
import { type MailBatch, parseMail } from "./parse-mail.ts";
import type { ParsedMail } from "./parsed-mail.ts";
import { usePlainBlob } from "./plain-blob.ts";

usePlainBlob();

answerTasks(async ({ mails, keepsBytes }: MailBatch): Promise<ParsedMail[]> => {
  const parsed: ParsedMail[] = [];
  for (const each of mails) parsed.push(await parseMail(each, keepsBytes));
  return parsed;
});
