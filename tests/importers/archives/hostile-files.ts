import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { writeDocument, writePdf, writeStream } from "../documents/pdf-writer.ts";
import { encodeDatabase } from "../generators/sqlite-bytes.ts";
import { writeZip } from "./zip-writer.ts";

/** Small files that unpack to gigabytes, each attached to a mail, with an ordinary one after them; and hostile databases. */
export function writeHostileFiles(folder: string): void {
  const documents: [string, Uint8Array][] = [
    ["unpacked.pdf", packTwice(1_500_000_000)],
    ["pages.pdf", writePdf(["", "", ""], { drawing: Buffer.alloc(300_000_000, " ") })],
    [
      "liar.docx",
      writeZip([{ name: "word/document.xml", content: Buffer.alloc(600_000_000, "<w:p>"), saidSize: 2000 }]),
    ],
    ["directory.docx", writeZip([{ name: "word/document.xml", content: Buffer.alloc(600_000_000, "<w:p>") }])],
    ["ordinary.pdf", writePdf(["Still read"])],
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "mails.mbox"), documents.map(([name, bytes]) => writeMail(name, bytes)).join(""));
  for (const [name, bytes] of databases) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "History"), bytes());
  }
}

const writeMail = (name: string, bytes: Uint8Array): string =>
  `From a Tue Jan  1 10:00:00 2019
Message-ID: <${name}@x.example>
From: a@x.example
Date: Fri, 1 Mar 2019 12:00:00 +0000
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: application/octet-stream; name="${name}"
Content-Disposition: attachment
Content-Transfer-Encoding: base64

${Buffer.from(bytes).toString("base64").replace(/.{76}/g, "$&\n")}
--b--

`;

/** A page whose drawing is compressed twice, which makes a file of a few kilobytes. */
function packTwice(bytes: number): Buffer {
  const packed = deflateSync(deflateSync(Buffer.alloc(bytes, " ")));
  return writeDocument([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R >>",
    writeStream(packed, "/Filter [/FlateDecode /FlateDecode]"),
  ]);
}

const visits = `CREATE TABLE visits(id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, transition INTEGER, visit_duration INTEGER);
  WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 60)
  INSERT INTO visits SELECT id, 1, 13350000000000000 + id, 0, 0 FROM n;`;
const urls = "CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT);";

const buildHistory = (sql: string) => () => encodeDatabase((database) => database.exec(`${visits} ${sql}`));

/** Recognized by their tables, except for the views. */
const databases: readonly (readonly [string, () => Uint8Array])[] = [
  ["long-title", buildHistory(`${urls} INSERT INTO urls VALUES (1, 'https://x.example/', hex(zeroblob(31000000)))`)],
  [
    "generated-column",
    buildHistory(
      `CREATE TABLE urls(id INTEGER PRIMARY KEY, url TEXT, title TEXT, more TEXT GENERATED ALWAYS AS (hex(zeroblob(400000000))));
      INSERT INTO urls(id, url, title) VALUES (1, 'https://x.example/', 'a')`,
    ),
  ],
  [
    "endless-view",
    buildHistory(
      `CREATE VIEW urls AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
      SELECT id, 'https://x.example/' AS url, hex(zeroblob(400000000)) AS title FROM n`,
    ),
  ],
];
