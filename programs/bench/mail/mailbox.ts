import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { createRandom } from "@pdpp/test-support/vitest/random";
import { drawSentence } from "../../../tests/importers/generators/generator.ts";

const bodyBytes = 10_700;

/** Writes mails of about 11 kB, half text and half HTML with the same content. Returns the file's size. */
export async function writeMailbox(file: string, mails: number): Promise<number> {
  const out = createWriteStream(file);
  const dice = createRandom(7);
  const writeLine = () => `${drawSentence(dice, 9)}\r\n`;
  let bytes = 0;
  for (let n = 0; n < mails; n += 1) {
    let text = "";
    while (Buffer.byteLength(text) < bodyBytes / 2) text += writeLine();
    const date = new Date(Date.UTC(2010, 0, 1) + n * 3_600_000).toUTCString().replace("GMT", "+0000");
    const mail = `From someone@example.org Sat Jan  1 00:00:00 2010\r
From: Someone <someone${n % 500}@example.org>\r
To: ada@example.org\r
Subject: =?utf-8?B?${Buffer.from(`${drawSentence(dice, 4)} ${n}`).toString("base64")}?=\r
Message-ID: <${n}@example.org>\r
${n % 3 === 0 && n > 0 ? `In-Reply-To: <${n - 1}@example.org>\r\n` : ""}Date: ${date}\r
MIME-Version: 1.0\r
Content-Type: multipart/alternative; boundary="b${n}"\r
\r
--b${n}\r
Content-Type: text/plain; charset=utf-8\r
Content-Transfer-Encoding: 8bit\r
\r
${text}\r
--b${n}\r
Content-Type: text/html; charset=utf-8\r
Content-Transfer-Encoding: 8bit\r
\r
<p>${text}</p>\r
--b${n}--\r
\r
`;
    bytes += Buffer.byteLength(mail);
    if (!out.write(mail)) await new Promise((resolve) => out.once("drain", resolve));
  }
  await finished(out.end());
  return bytes;
}
