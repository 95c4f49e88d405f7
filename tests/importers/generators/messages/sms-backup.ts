import { smsBackup } from "#importers/formats/sms-backup/sms-backup";
import { createEndlessFile, type Dice, drawSentence, type Generator, people } from "../generator.ts";

const start = 1_700_000_000_000;

const escapeXml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    // As the app writes them: two halves.
    .replace(/[\u{10000}-\u{10ffff}]/gu, (char) => `&#${char.charCodeAt(0)};&#${char.charCodeAt(1)};`);

function drawMessage(dice: Dice, n: number): string {
  const number = `+49 170 ${1000 + (n % 3)}`;
  const name = people[n % 3] ?? "";
  const date = start + n * 60_000;
  if (n % 7 === 4)
    return (
      `<mms date="${date}" msg_box="1" address="${number}~+491701" contact_name="null" sub="null" m_id="m${n}"><parts>` +
      `<part seq="0" ct="application/smil" text="&lt;smil/&gt;" /><part seq="0" ct="image/jpeg" cl="a.jpg" data="anBlZw==" />` +
      `<part seq="0" ct="text/plain" text="${escapeXml(drawSentence(dice))}" /></parts>` +
      `<addrs><addr address="${number}" type="137" /><addr address="+491701" type="151" /></addrs></mms>`
    );
  return `<sms protocol="0" address="${number}" date="${date}" type="${1 + (n % 2)}" subject="null" body="${escapeXml(drawSentence(dice))} 🗝️ &amp; &#10;" read="1" contact_name="${n % 5 === 0 ? "(Unknown)" : escapeXml(name)}" />`;
}

const buildFile = (items: readonly string[]): string =>
  `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<!-- by an app -->\n<smses count="${items.length}">\n${items.join("\n")}\n</smses>\n`;

export const smsBackupGenerator: Generator = {
  importer: smsBackup,
  pair(dice, size) {
    const all = Array.from({ length: size * 3 }, (_, n) => drawMessage(dice, n));
    const call =
      '<call number="+49 170 1000" duration="35" date="1700000500000" type="2" contact_name="Ada Lovelace" />';
    return {
      older: {
        "sms-20240101.xml": buildFile([...all, all[1] ?? ""]),
        "calls-20240101.xml": `<calls count="1">${call}</calls>`,
      },
      newer: {
        "sms-20240201.xml": buildFile([...all.slice(4), drawMessage(dice, size * 3), drawMessage(dice, size * 3 + 1)]),
      },
    };
  },
  hostile: (dice) => ({
    files: {
      "sms.xml": `<smses count="7">
${drawMessage(dice, 1)}
<sms address="1" date="soon" type="1" body="when?" />
<sms address="1" date="1700000000000" type="1" body="broken & here" />
<sms address="1" date="1700000000001" type="1" body="half &#55357; nul &#0; end" />
<mms date="1700000000002" msg_box="1" address="1"><parts><part ct="image/png" data="!!!" /></parts></mms>
${drawMessage(dice, 4)}
<sms address="1" date="1700000000003" type="2" body="cut`,
    },
    good: 4,
  }),
  endless: (dice, bytes) =>
    createEndlessFile("sms.xml", bytes, (n) => `${drawMessage(dice, n)}\n`, ['<smses count="1">\n', "", "</smses>"]),
};
