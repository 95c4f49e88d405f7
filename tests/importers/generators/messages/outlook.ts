import { outlook } from "#importers/formats/outlook/outlook";
import { type Dice, drawSentence, type Generator } from "../generator.ts";
import { type PstMail, property, writePst } from "../outlook/pst-file.ts";

const start = Date.UTC(2019, 0, 1);
const encode = (text: string): string => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;

/** A mail that was received; every seventh has a file, every fifth is HTML, every third was sent and has no headers. */
function drawMail(dice: Dice, n: number): PstMail {
  const [subject, text] = [drawSentence(dice, 4), drawSentence(dice)];
  const at = new Date(start + n * 4_000_000);
  const body = n % 5 === 1 ? { [property.html]: Buffer.from(`<p>${text}</p>`) } : { [property.body]: text };
  const shared = { [property.class]: "IPM.Note", [property.subject]: subject, [property.submitted]: at, ...body };
  const attachments =
    n % 7 === 2
      ? [{ name: "sums.csv", type: "text/csv", content: Buffer.from(`item,price\n${subject},12`.repeat(200)) }]
      : [];
  if (n % 3 === 0)
    return {
      properties: {
        ...shared,
        [property.messageId]: `<mail-${n}@example.org>`,
        [property.senderName]: "Zoë O'Neil",
        [property.senderType]: "SMTP",
        [property.senderAddress]: "zoe@example.org",
      },
      recipients: [
        { type: 1, name: "Ada", address: "ada@example.org" },
        { type: 2, name: "ben@example.org", address: "ben@example.org" },
      ],
      attachments,
    };
  const headers = [
    `Message-ID: <mail-${n}@example.org>`,
    `Date: ${at.toUTCString().replace("GMT", "+0000")}`,
    `From: ${encode("Zoë O'Neil")} <zoe@example.org>`,
    "To: Ada <ada@example.org>",
    `Subject: ${encode(subject)}`,
    'Content-Type: multipart/mixed;\r\n boundary="of the original"',
  ];
  return { properties: { ...shared, [property.headers]: `${headers.join("\r\n")}\r\n\r\n` }, attachments };
}

const folders = (inbox: readonly PstMail[], sent: readonly PstMail[]) => [
  {
    name: "Top of Personal Folders",
    mails: [],
    folders: [
      { name: "Inbox", mails: inbox },
      { name: "Sent", mails: sent },
    ],
  },
];

export const outlookGenerator: Generator = {
  importer: outlook,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawMail(dice, n));
    const [first, second, ...others] = all;
    // A draft that was finished later, and a mail that was deleted.
    const finished = {
      ...second,
      properties: { ...second?.properties, [property.html]: Buffer.from(drawSentence(dice, 20)) },
    };
    return {
      older: { "outlook.pst": writePst(folders(all.slice(0, size), all.slice(size))) },
      newer: {
        "outlook.pst": writePst(
          folders(
            [...(first === undefined ? [] : [first]), finished, ...others.slice(0, -2)],
            [drawMail(dice, size * 2)],
          ),
        ),
      },
    };
  },
  hostile(dice) {
    const mails = Array.from({ length: 6 }, (_, n) => drawMail(dice, n + 1));
    const [broken, other] = [drawMail(dice, 20), drawMail(dice, 21)];
    const inbox = [
      ...mails.slice(0, 2),
      { ...broken, isBroken: true },
      ...mails.slice(2, 4),
      { properties: { ...other.properties, [property.class]: "IPM.Contact" } },
      { ...mails[4], properties: { ...mails[4]?.properties, [property.rtf]: Buffer.from("not compressed") } },
      {
        properties: {
          [property.class]: "IPM.Note",
          [property.subject]: "\ud800 \u0000",
          [property.headers]: "\n: \nno header",
        },
      },
    ];
    return {
      files: {
        "broken.pst": writePst([{ name: "Inbox/\u0000", mails: inbox, count: inbox.length + 3 }]),
        "cut.pst": writePst(folders(mails, [])).subarray(0, 3000),
      },
      good: 6,
    };
  },
};
