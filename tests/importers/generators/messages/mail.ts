import { mail } from "#importers/formats/mail/mail";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

const start = Date.UTC(2019, 0, 1);

function formatDate(n: number): string {
  return new Date(start + n * 4_000_000).toUTCString().replace("GMT", "+0000");
}

interface Draft {
  readonly n: number;
  readonly subject: string;
  readonly text: string;
  readonly labels: readonly string[];
}

const drawMail = (dice: Dice, n: number): Draft => ({
  n,
  subject: drawSentence(dice, 4),
  text: `${drawSentence(dice)}\nFrom here on it is ${drawSentence(dice)}\n\nFrom the other side`,
  labels: n % 3 === 0 ? ["Inbox", "Häuser"] : ["Inbox"],
});

const encodeHeader = (text: string): string => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;

/** One mail; every seventh has a file, every eleventh no id. */
function formatMail({ n, subject, text, labels }: Draft, end: string): string {
  const head = [
    ...(n % 11 === 4 ? [] : [`Message-ID: <mail-${n}@example.org>`]),
    ...(n % 5 === 3
      ? [
          `In-Reply-To: <mail-${n - 1}@example.org>`,
          `References: <mail-${n - 3}@example.org>\n <mail-${n - 1}@example.org>`,
        ]
      : []),
    `Date: ${formatDate(n)}`,
    `From: ${encodeHeader("Zoë O'Neil")} <zoe@example.org>`,
    "To: Ada <ada@example.org>, Team: ben@example.org, cleo@example.org;",
    `Subject: ${encodeHeader(subject)}`,
    `X-Gmail-Labels: ${encodeHeader(labels.join(","))}`,
    "MIME-Version: 1.0",
  ];
  const plain = ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "", text];
  const lines =
    n % 7 === 2
      ? [
          ...head,
          'Content-Type: multipart/mixed; boundary="b0undary"',
          "",
          "--b0undary",
          ...plain,
          "--b0undary",
          'Content-Type: text/csv; name="sums.csv"',
          'Content-Disposition: attachment; filename="sums.csv"',
          "Content-Transfer-Encoding: base64",
          "",
          Buffer.from(`item,price\n${subject},12`).toString("base64"),
          "--b0undary--",
          "",
        ]
      : [...head, ...plain, ""];
  return lines.join("\n").replaceAll("\n", end);
}

/** As mbox files have it. */
const formatMailbox = (drafts: readonly Draft[]): string =>
  drafts
    .map(
      (each) =>
        `From zoe@example.org Tue Jan 01 00:00:00 2019\n${formatMail(each, "\n").replace(/^(>*From )/gm, ">$1")}\n`,
    )
    .join("");

export const mailGenerator: Generator = {
  importer: mail,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawMail(dice, n));
    // Labels are added, and never lost; some mails were deleted.
    const labelled = all.slice(0, 3).map((each) => ({ ...each, labels: ["Later"] }));
    const added = [drawMail(dice, size * 2), drawMail(dice, size * 2 + 1)];
    const [one] = all;
    return {
      older: {
        "All mail.mbox": formatMailbox(all),
        ...(one === undefined ? {} : { "copy.eml": formatMail(one, "\r\n") }),
      },
      newer: { "All mail.mbox": formatMailbox([...labelled, ...all.slice(3, -2), ...added]) },
    };
  },
  hostile(dice) {
    const good = [1, 2, 3].map((n) => formatMailbox([drawMail(dice, n)]));
    const same =
      "From a@b Tue Jan 01 00:00:00 2019\nMessage-ID: <mail-1@example.org>\nFrom: eve@example.org\nSubject: other\nDate: nonsense\n\nthe id of another\n\n";
    const broken =
      'From a@b Tue Jan 01 00:00:00 2019\nFrom: x\nSubject: =?bad?Q?=00?= \u0000\nContent-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain; charset=none\nContent-Transfer-Encoding: base64\n\n!!!!\n--x\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n\n';
    const nothing = "From a@b Tue Jan 01 00:00:00 2019\nX-Nothing: at all\n\nnobody wrote this\n\n";
    return {
      files: {
        "broken.mbox": [good[0], broken, same, good[1], nothing, good[2]].join(""),
        "cut.eml": "From: a@example.org\nSubject: cut off\nDate: Tue, 1 Jan 2019 00:00:00 +0000",
      },
      good: 5,
    };
  },
  endless: (dice, bytes) => ({
    path: "All mail.mbox",
    *pieces() {
      for (let n = 0, size = 0; size < bytes; n += 1) {
        const text = formatMailbox([drawMail(dice, n)]);
        size += text.length;
        yield text;
      }
    },
  }),
};
