import { parentPort } from "node:worker_threads";
import { parseMail } from "#importers/formats/mail/parse-mail";

/** Reads mails, but for those that say it must not. */
parentPort?.on("message", async ({ mails }: { mails: readonly { bytes: Uint8Array; envelope: string }[] }) => {
  const answer = [];
  for (const each of mails) {
    if (Buffer.from(each.bytes).includes("hang")) for (;;);
    answer.push(await parseMail(each, true));
  }
  parentPort?.postMessage({ answer });
});
