import type { RecordItem } from "@pdpp/importers/importer";
import { detect } from "@pdpp/importers/plan";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { writeZip } from "../archives/zip-writer.ts";
import { answers, createMemoryTree, importTree, indexContent, listRecords, openOwner } from "../support.ts";

async function read(text: string | Uint8Array, path = "a.mbox"): Promise<{ [stream: string]: RecordItem["data"][] }> {
  const { claims } = await detect(createMemoryTree({ [path]: text }, 0, 11), [mail]);
  const found: { [stream: string]: RecordItem["data"][] } = { messages: [], attachments: [] };
  for (const { claim } of claims) {
    for await (const item of mail.read(claim, answers)) if (item.kind === "record") found[item.stream]?.push(item.data);
  }
  return found;
}

const readMailbox = (...mails: string[]): string =>
  mails.map((each) => `From MAILER Tue Jan  1 10:00:00 2019\n${each}\n\n`).join("");

describe("[IMP-11] mail", () => {
  it("is split at envelopes and nowhere else", async () => {
    const { messages } = await read(
      readMailbox(
        "Message-ID: <one@x.example>\nFrom: a@x.example\nSubject: one\n\nHello\n\nFrom my window I see\nthe sea\n>From the start",
        "Message-ID: <two@x.example>\nFrom: b@x.example\nSubject: two\n\nFrom : is no envelope\n>>From deep",
      ),
    );
    expect(messages?.map(({ id, body_text }) => [id, body_text])).toEqual([
      ["one@x.example", "Hello\n\nFrom my window I see\nthe sea\nFrom the start"],
      ["two@x.example", "From : is no envelope\n>From deep"],
    ]);
  });

  it("[IMP-28] is not split at a patch, unless the mailbox is made of patches", async () => {
    const start = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n";
    const patch = (n: number) =>
      `${start}From: a@x.example\nMessage-ID: <${n}@x.example>\nSubject: fix ${n}\n\ntext\n\n`;
    const mail = `Message-ID: <0@x.example>\nFrom: b@x.example\nSubject: see below\n\nLook:\n\n${patch(1)}`;
    expect((await read(readMailbox(mail, mail.replace("<0@", "<9@")))).messages?.map(({ id }) => id)).toEqual([
      "0@x.example",
      "9@x.example",
    ]);
    expect((await read(`${patch(1)}${patch(2)}`)).messages).toHaveLength(2);
  });

  it("[IMP-28] is one mail if the file has no envelope", async () => {
    const inner = "From a@x.example Tue Jan  1 10:00:00 2019\nSubject: inner\n\nx";
    const text = `Message-ID: <0@x.example>\nFrom: b@x.example\nSubject: outer\n\nLook:\n\n${inner}\n`;
    const { messages } = await read(text, "one.eml");
    expect(messages?.map(({ body_text }) => body_text)).toEqual([`Look:\n\n${inner}`]);
  });

  it("is recognized even if a header line of its first mail is broken", async () => {
    const broken =
      "Received: by mx\nhere a line was cut\nMessage-ID: <one@x.example>\nFrom: a@x.example\nSubject: one\n\nHello";
    const { messages } = await read(readMailbox(broken, "Message-ID: <two@x.example>\nFrom: b@x.example\n\nx"));
    expect(messages?.map(({ id, subject }) => [id, subject])).toEqual([
      ["one@x.example", "one"],
      ["two@x.example", ""],
    ]);
    expect((await read(broken, "one.eml")).messages).toHaveLength(1);
    expect((await read(broken, "one.txt")).messages).toHaveLength(0);
  });

  it("takes its time from the Date header, the Received header, or the envelope", async () => {
    const { messages } = await read(
      readMailbox(
        "Message-ID: <1@x.example>\nFrom: a@x.example\nDate: Fri, 1 Mar 2019 12:00:00 +0100 (CET)\n\nx",
        "Message-ID: <2@x.example>\nFrom: a@x.example\nDate: soon\nReceived: by mx;\n Sat, 2 Mar 2019 08:00:00 -0500\n\nx",
        "Message-ID: <3@x.example>\nFrom: a@x.example\n\nx",
      ),
    );
    expect(messages?.map(({ sent_at, time_source }) => [sent_at, time_source])).toEqual([
      ["2019-03-01T11:00:00.000Z", "date"],
      ["2019-03-02T13:00:00.000Z", "received"],
      ["2019-01-01T10:00:00.000Z", "envelope"],
    ]);
  });

  it("understands the zone names of old mails, and offsets with a colon", async () => {
    const readDate = async (date: string) =>
      (await read(`Message-ID: <1@x.example>\nFrom: a@x.example\nDate: ${date}\n\nx`, "a.eml")).messages?.[0]?.sent_at;
    expect(await readDate("Fri, 5 Jan 2001 15:04:05 CET")).toBe("2001-01-05T14:04:05.000Z");
    expect(await readDate("Fri, 6 Jul 2001 15:04:05 BST")).toBe("2001-07-06T14:04:05.000Z");
    expect(await readDate("Fri, 5 Jan 2001 15:04:05 JST (Tokyo)")).toBe("2001-01-05T06:04:05.000Z");
    expect(await readDate("Fri, 5 Jan 2001 15:04:05 EST")).toBe("2001-01-05T20:04:05.000Z");
    expect(await readDate("Fri, 5 Jan 2001 15:04:05 +01:00")).toBe("2001-01-05T14:04:05.000Z");
  });

  it("has decoded names, threads and labels", async () => {
    const text = [
      "Message-ID: <a@x.example>",
      "In-Reply-To: <b@x.example>",
      "References: <root@x.example>",
      "\t<b@x.example>",
      "X-Gmail-Labels: =?UTF-8?Q?Inbox,H=C3=A4user,Inbox?=",
      "From: =?ISO-8859-1?Q?J=F6rg?= <JOERG@x.example>",
      "To: team: =?utf-8?B?WmnDqQ==?= <z@x.example>, y@x.example;",
      "Subject: =?utf-8?Q?Gru=C3=9F?=",
      "Content-Type: text/html; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "<style>p{}</style><p>Sch=F6n</p><p>gut</p>",
    ].join("\r\n");
    const { messages } = await read(text, "a.eml");
    expect(messages).toMatchObject([
      {
        thread_id: "root@x.example",
        in_reply_to_id: "b@x.example",
        labels: ["Häuser", "Inbox"],
        from_name: "Jörg",
        from_address: "joerg@x.example",
        to: ["Zié <z@x.example>", "y@x.example"],
        subject: "Gruß",
        body_text: "Schön\n\ngut",
        body_from: "html",
      },
    ]);
  });

  it("decodes mails with a missing or wrong charset", async () => {
    const readMail = async (lines: readonly string[], encoding: BufferEncoding = "latin1") => {
      const text = ["Message-ID: <a@x.example>", "Date: Fri, 1 Mar 2019 12:00:00 +0100", ...lines].join("\n");
      const { messages } = await read(Buffer.from(text, encoding), "a.eml");
      return messages?.map(({ from_name, subject, body_text }) => [from_name, subject, body_text]);
    };
    // Before MIME, and from programs that never learned of it.
    expect(await readMail(["From: Jörg <j@x.example>", "Subject: Grüße", "", "Schön"])).toEqual([
      ["Jörg", "Grüße", "Schön"],
    ]);
    expect(
      await readMail(["From: a@x.example", "Content-Type: text/html", "", "<meta charset=iso-8859-1><p>Schön</p>"]),
    ).toEqual([["a@x.example", "", "Schön"]]);
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]).toString("latin1");
    const windows = ["From: a@x.example", `Subject: ${cyrillic}`, "Content-Type: text/plain; charset=windows-1251"];
    expect(await readMail([...windows, "", cyrillic])).toEqual([["a@x.example", "Привет", "Привет"]]);
    const ascii = ["From: a@x.example", "Subject: cron", "Content-Type: text/plain; charset=US-ASCII", "", "Schön"];
    expect(await readMail(ascii, "utf8")).toEqual([["a@x.example", "cron", "Schön"]]);
    const parted = ["From: a@x.example", "Subject: =?UTF-8?B?4oI=?=", " =?UTF-8?B?rA==?=", "", "x"];
    expect(await readMail(parted)).toEqual([["a@x.example", "€", "x"]]);
  });

  it("includes the text of attachments", async () => {
    const docx = writeZip([
      {
        name: "word/document.xml",
        content: "<w:p><w:r><w:t>Boiler &amp; gutter</w:t></w:r></w:p><w:p><w:t xml:space='preserve'>end</w:t></w:p>",
      },
    ]);
    const parts = [
      ['text/html; name="p.html"', Buffer.from("<p>a page</p>")],
      ['application/octet-stream; name="offer.docx"', docx],
      ['application/pdf; name="scan.pdf"', Buffer.from("%PDF-1.4")],
      [
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document; name="bad.docx"',
        Buffer.from("no archive"),
      ],
      ["message/rfc822", Buffer.from("From: c@x.example\r\nSubject: inner\r\n\r\nforwarded words")],
    ] as const;
    const body = parts.map(
      ([type, bytes]) =>
        `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}\r\n`,
    );
    const head =
      "Message-ID: <a@x.example>\r\nFrom: a@x.example\r\nDate: Fri, 1 Mar 2019 12:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";
    const { attachments } = await read(`${head}${body.join("")}--b--\r\n`, "a.eml");
    expect(attachments?.map(({ name, text, text_from }) => [name, text, text_from])).toEqual([
      ["p.html", "a page", "html"],
      ["offer.docx", "Boiler & gutter\nend", "docx"],
      ["scan.pdf", null, null],
      ["bad.docx", null, null],
      ["mail-5.eml", "c@x.example\ninner\n\nforwarded words", "mail"],
    ]);
    expect(attachments?.[3]?.note).toMatch(/could not be extracted/);
    expect(
      attachments?.every(
        ({ message_id, sent_at }) => message_id === "a@x.example" && sent_at === "2019-03-01T12:00:00.000Z",
      ),
    ).toBe(true);
  });

  it("keeps two mails with the same id apart, in either order", async () => {
    const [one, two] = ["boiler", "gutter"].map((subject) =>
      readMailbox(`Message-ID: <same@x.example>\nFrom: a@x.example\nSubject: ${subject}\n\n${subject}`),
    );
    const contents = [];
    for (const order of [
      [one, two, one],
      [two, one, two],
    ]) {
      const vault = await createVault("sqlite");
      try {
        const owner = await openOwner(vault, () => 0);
        for (const text of order) await importTree(owner, createMemoryTree({ "a.mbox": text ?? "" }, 0));
        contents.push(indexContent(await listRecords(owner)));
      } finally {
        await vault.drop();
      }
    }
    expect(Object.keys(contents[0] ?? {}).length).toBe(2);
    expect(contents[0]).toEqual(contents[1]);
  });
});
