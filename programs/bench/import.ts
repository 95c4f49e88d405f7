import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { random } from "#demo/random";
import { sentence } from "#importers/core/generating";
import { cleanEnvironment, pdppFile } from "../../tests/support/run-pdpp.ts";
import { watchedProcess } from "../../tests/support/watched-process.ts";
import type { Figure } from "./measure.ts";

const mostMb = 300;
const reader = fileURLToPath(new URL("../../tests/importers/memory-process.ts", import.meta.url));

/** A mailbox of so many mails through `pdpp import`, with its word index; and the two formats whose files are largest, as they are read. */
export async function benchImport(workDir: string, mails: number): Promise<Figure[]> {
  const file = join(workDir, "all.mbox");
  const megabytes = (await writeMailbox(file, mails)) / 1_000_000;
  let printed = "";
  const args = [pdppFile, "import", file, "--yes", "--json", "--data-dir", join(workDir, "imported")];
  const mail = await watchedProcess(args, cleanEnvironment(), (chunk) => {
    printed += chunk.toString();
  });
  const { report } = JSON.parse(printed) as { report: { streams: { stream: string; stored: number }[] }[] };
  const stored = report.flatMap(({ streams }) => streams).find(({ stream }) => stream === "messages")?.stored;
  if (stored !== mails) throw new Error(`${stored} of ${mails} mails were stored`);
  const figures: Figure[] = [
    { what: "mailbox, its size", unit: "MB", ours: megabytes },
    { what: "import of it", unit: "records/s", ours: mails / (mail.ms / 1000), limit: { atLeast: 600 } },
    { what: "import of it, peak memory", unit: "MB", ours: mail.peakMb, limit: { atMost: mostMb } },
  ];
  for (const [format, size] of [
    ["apple-health", 4 * megabytes],
    ["google-timeline", 3 * megabytes],
  ] as const) {
    const read = await watchedProcess([reader, format, String(Math.round(size))], cleanEnvironment());
    figures.push(
      {
        what: `reading ${format}, ${Math.round(size)} MB`,
        unit: "MB/s",
        ours: size / (read.ms / 1000),
        limit: { atLeast: 20 },
      },
      { what: `reading ${format}, peak memory`, unit: "MB", ours: read.peakMb, limit: { atMost: mostMb } },
    );
  }
  return figures;
}

const bodyBytes = 10_700;

/** Mails of some 11 kB: half text, half HTML that says the same. Answers its bytes. */
async function writeMailbox(file: string, mails: number): Promise<number> {
  const out = createWriteStream(file);
  const dice = random(7);
  const line = () => `${sentence(dice, 9)}\r\n`;
  let bytes = 0;
  for (let n = 0; n < mails; n += 1) {
    let text = "";
    while (Buffer.byteLength(text) < bodyBytes / 2) text += line();
    const date = new Date(Date.UTC(2010, 0, 1) + n * 3_600_000).toUTCString().replace("GMT", "+0000");
    const mail = `From someone@example.org Sat Jan  1 00:00:00 2010\r
From: Someone <someone${n % 500}@example.org>\r
To: ada@example.org\r
Subject: =?utf-8?B?${Buffer.from(`${sentence(dice, 4)} ${n}`).toString("base64")}?=\r
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
