import { createRandom } from "@pdpp/test-support/vitest/random";
import { encodeJpeg } from "../generators/activity/photos.ts";
import { type Dice, drawSentence, type Files } from "../generators/generator.ts";

/** A Takeout of nine products, in Takeout's folders; one of them in the words of another language, as accounts have it that changed theirs. */

const start = Date.UTC(2026, 0, 5, 7);
const hour = 3_600_000;
const formatTime = (n: number): Date => new Date(start + n * hour);
const repeatTimes = <T>(size: number, make: (n: number) => T): T[] => Array.from({ length: size }, (_, n) => make(n));
const formatBasicTime = (time: Date): string => time.toISOString().replace(/[-:]|\.\d+/g, "");

function buildMail(n: number, from: string, subject: string, text: string, label = "Inbox"): string {
  const time = formatTime(n);
  return [
    `From ${1_790_000_000_000_000_000n + BigInt(n)}@xxx ${time.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (.*) GMT$/, "$1 $3 $2 $5 +0000 $4")}`,
    `X-GM-THRID: ${1_790_000_000_000_000_000n + BigInt(n)}`,
    `X-Gmail-Labels: ${label}`,
    `Message-ID: <takeout-${n}@mail.example.org>`,
    `Date: ${time.toUTCString().replace("GMT", "+0000")}`,
    `From: ${from}`,
    "To: Maren Dahl <maren.dahl@example.org>",
    `Subject: ${subject}`,
    "MIME-Version: 1.0",
    'Content-Type: text/plain; charset="UTF-8"',
    "",
    text,
    "",
    "",
  ].join("\r\n");
}

const buildMailbox = (dice: Dice, size: number): string =>
  [
    buildMail(
      3,
      "Nordlys Energi <faktura@nordlys.example.com>",
      "Your invoice for January",
      "Amount due: 1,284.50 NOK, invoice 55-9021.",
      "Inbox,Bills",
    ),
    ...repeatTimes(size, (n) =>
      buildMail(
        n + 10,
        `Sender ${n % 40} <sender${n % 40}@example.com>`,
        drawSentence(dice, 4),
        drawSentence(dice, 60),
      ),
    ),
  ].join("");

const buildEvent = (n: number, summary: string, place: string): string[] => [
  "BEGIN:VEVENT",
  `DTSTART:${formatBasicTime(formatTime(n))}`,
  `DTEND:${formatBasicTime(formatTime(n + 1))}`,
  `UID:takeout-${n}@google.com`,
  `LOCATION:${place}`,
  `SUMMARY:${summary}`,
  "STATUS:CONFIRMED",
  "END:VEVENT",
];

const buildCalendar = (dice: Dice, size: number): string =>
  [
    "BEGIN:VCALENDAR",
    "PRODID:-//Google Inc//Google Calendar 70.9054//EN",
    "VERSION:2.0",
    "X-WR-CALNAME:maren.dahl@example.org",
    "X-WR-TIMEZONE:Europe/Oslo",
    ...buildEvent(50, "Dentist, wisdom tooth", "Tannlege Viken, Storgata 8"),
    ...repeatTimes(size, (n) => buildEvent(n + 60, drawSentence(dice, 3), drawSentence(dice, 2))).flat(),
    "END:VCALENDAR",
    "",
  ].join("\r\n");

const buildCard = (name: string, phone: string): string =>
  `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${name}\r\nN:${name.split(" ").reverse().join(";")};;;\r\nTEL;TYPE=CELL:${phone}\r\nEND:VCARD\r\n`;

const keep = (n: number, title: string, content: object): string =>
  JSON.stringify({
    color: "DEFAULT",
    isTrashed: false,
    isPinned: false,
    isArchived: false,
    title,
    userEditedTimestampUsec: (start + n * hour) * 1000,
    createdTimestampUsec: (start + n * hour) * 1000,
    ...content,
  });

/** `Monday, January 5, 2026 at 7:00:00 AM UTC`, with a narrow space before AM. */
const buildProse = (time: Date): string =>
  new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeStyle: "medium", timeZone: "UTC" })
    .format(time)
    .replace(" AM", "\u202fAM")
    .replace(" PM", "\u202fPM")
    .concat(" UTC");

const people = [
  { name: "Maren Dahl", email: "maren.dahl@example.org", user_type: "Human" },
  { name: "Tobias Lund", email: "tobias@example.org", user_type: "Human" },
];

const buildMessage = (n: number, text: string): object => ({
  creator: people[n % 2],
  created_date: buildProse(formatTime(n)),
  text,
  topic_id: `t${n}`,
  message_id: `AAA/t${n}/t${n}`,
});

const buildActivity = (n: number, header: string, title: string, titleUrl: string): object => ({
  header,
  title,
  titleUrl,
  time: formatTime(n).toISOString(),
  products: [header],
  activityControls: ["Web & App Activity"],
});

const visit = (n: number, placeId: string, name: string): object => ({
  startTime: formatTime(n).toISOString(),
  endTime: formatTime(n + 1).toISOString(),
  visit: {
    hierarchyLevel: 0,
    topCandidate: { placeId, semanticType: name, probability: 0.8, placeLocation: { latLng: "59.9127°, 10.7461°" } },
  },
});

export function buildTakeout(size: number): Files {
  const dice = createRandom(11);
  const groups = "Takeout/Google Chat/Groups/DM AAAbbb";
  const photos = "Takeout/Google Photos/Photos from 2024";
  const sidecar = {
    title: "IMG_0007.jpg",
    description: "The blue rowing boat at Hvaler",
    photoTakenTime: {
      timestamp: String(Date.UTC(2024, 2, 8, 9, 0, 7) / 1000),
      formatted: "Mar 8, 2024, 9:00:07 AM UTC",
    },
    geoData: { latitude: 59.06, longitude: 10.9, altitude: 0, latitudeSpan: 0, longitudeSpan: 0 },
    people: [{ name: "Tobias Lund" }],
    url: "https://photos.google.com/photo/x",
  };
  return {
    "Takeout/archive_browser.html":
      "<!DOCTYPE html><html><head><title>Google Takeout</title></head><body>Archive</body></html>",
    "Takeout/Mail/All mail Including Spam and Trash.mbox": buildMailbox(dice, size),
    "Takeout/Calendar/maren.dahl@example.org.ics": buildCalendar(dice, Math.ceil(size / 10)),
    "Takeout/Contacts/All Contacts/All Contacts.vcf":
      buildCard("Tobias Lund", "+47 555 01 204") + buildCard("Ingrid Aas", "+47 555 01 377"),
    "Takeout/Keep/Wifi at the cabin.json": keep(7, "Wifi at the cabin", {
      textContent: "Network Furuly, password is on the fridge: granbar-42",
    }),
    "Takeout/Keep/Packing.json": keep(8, "Packing", {
      listContent: [
        { text: "head torch", isChecked: true },
        { text: "wool socks", isChecked: false },
      ],
    }),
    "Takeout/Keep/Labels.txt": "cabin\n",
    [`${groups}/group_info.json`]: JSON.stringify({ members: people }),
    [`${groups}/messages.json`]: JSON.stringify(
      {
        messages: [
          buildMessage(20, "Shall we take the 14:05 ferry?"),
          buildMessage(21, "Yes. I left the spare key with Ingrid."),
          ...repeatTimes(size / 5, (n) => buildMessage(n + 30, drawSentence(dice))),
        ],
      },
      null,
      2,
    ),
    "Takeout/Google Chat/Users/User 1/user_info.json": JSON.stringify({ user: people[0] }),
    "Takeout/Location History (Timeline)/Timeline.json": JSON.stringify({
      semanticSegments: repeatTimes(Math.ceil(size / 10), (n) =>
        visit(n * 3, `p${n % 7}`, n % 2 === 0 ? "HOME" : "WORK"),
      ),
    }),
    "Takeout/My Activity/Search/MyActivity.json": JSON.stringify([
      buildActivity(30, "Search", "Searched for how to descale a moka pot", "https://www.google.com/search?q=descale"),
      ...repeatTimes(size / 2, (n) =>
        buildActivity(
          n + 40,
          "Search",
          `Searched for ${drawSentence(dice, 3)}`,
          `https://www.google.com/search?q=${n}`,
        ),
      ),
    ]),
    [`${photos}/IMG_0007.jpg`]: encodeJpeg(7, true),
    [`${photos}/IMG_0007.jpg.supplemental-metadata.json`]: JSON.stringify(sidecar, null, 2),
    "Takeout/YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.json": JSON.stringify([
      {
        ...buildActivity(
          33,
          "YouTube",
          "Splicing a three-strand rope angesehen",
          "https://www.youtube.com/watch?v=rope",
        ),
        subtitles: [{ name: "Harbour Hands", url: "https://www.youtube.com/channel/x" }],
      },
    ]),
  };
}

/** Questions about it, and what the answer says. */
export const takeoutQuestions: readonly (readonly [question: string, answer: string])[] = [
  ["How much was the January invoice of Nordlys Energi?", "1,284.50 NOK"],
  ["Where is the dentist for the wisdom tooth?", "Storgata 8"],
  ["phone number of Ingrid Aas", "+47 555 01 377"],
  ["What is the wifi password at the cabin?", "granbar-42"],
  ["Who has the spare key?", "with Ingrid"],
  ["What did I search about the moka pot?", "descale"],
  ["What is on the picture from Hvaler?", "blue rowing boat"],
  ["Which video about splicing a rope did I watch?", "three-strand"],
];
