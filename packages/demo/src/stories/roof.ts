import type { Script } from "../script.ts";
import { meetingTranscript } from "./meeting-transcript.ts";

export function roof(s: Script): void {
  const invitation = s.mail({
    box: "private",
    at: "2026-03-02 09:00",
    from: "Hausverwaltung Anker <verwaltung@hv-anker.example.com>",
    subject: "Einladung zur Eigentümerversammlung am 24.03.2026",
    labels: ["house"],
    files: [{ filename: "tagesordnung.pdf", mime_type: "application/pdf", size_bytes: 55130 }],
    body: `Sehr geehrte Eigentümerinnen und Eigentümer,

wir laden Sie ein zur Versammlung der Gemeinschaft Lindenufer 14 am Dienstag, 24. März 2026, 18:30 Uhr, Saal der Alten Seilerei.

1. Begrüßung, Beschlussfähigkeit
2. Jahresabrechnung 2025
3. Dachsanierung: Angebote und Beschluss
4. Sonderumlage
5. Fahrradraum im Hof
6. Hausordnung: Ruhezeiten
7. Treppenhausreinigung
8. Verschiedenes

Drei Angebote zur Dachsanierung liegen bei: Dachwerk Möwe 84.600 €, Giebel & Grat 91.250 €, Zimmerei Holm 88.900 €.`,
  });
  s.reply(
    invitation,
    "2026-03-04 20:12",
    "ada",
    "Guten Tag, ich nehme teil und schreibe gern das Protokoll mit. Darf ich für die Mitschrift eine Aufnahme machen, wenn alle einverstanden sind? Viele Grüße, Ada Brambleby (3. OG rechts)",
  );
  s.mail({
    box: "private",
    at: "2026-03-31 10:45",
    from: "Hausverwaltung Anker <verwaltung@hv-anker.example.com>",
    subject: "Protokoll der Versammlung vom 24.03.2026",
    labels: ["house", "important"],
    files: [{ filename: "protokoll-2026-03-24.pdf", mime_type: "application/pdf", size_bytes: 72018 }],
    body: `Sehr geehrte Damen und Herren,

anbei das Protokoll. Beschlossen wurde:

TOP 3: Auftrag an Dachwerk Möwe über 84.600 € (9 Ja, 2 Nein, 1 Enthaltung). Beginn am 24. August 2026.
TOP 4: Sonderumlage von 4.200 € je Wohnung, fällig am 30. Juni 2026 (8 Ja, 3 Nein, 1 Enthaltung).
TOP 5: Fahrradraum: vertagt.
TOP 6: Ruhezeiten unverändert, 22 Uhr.

Unser Dank gilt Frau Brambleby für die Mitschrift.`,
  });
  s.mail({
    box: "private",
    at: "2026-06-29 20:04",
    from: "Hafenbank <service@hafenbank.example.com>",
    subject: "Ihre Überweisung wurde ausgeführt",
    labels: ["bank"],
    body: `Guten Tag Ada Brambleby,

Ihre Überweisung wurde ausgeführt:

Empfänger: WEG Lindenufer 14, c/o Hausverwaltung Anker
Betrag: 4.200,00 €
Verwendungszweck: Sonderumlage Dach, 3. OG rechts

Ihre Hafenbank`,
  });
  s.talk(
    "2026-03-25 20:30",
    "Minutes of the owners' meeting (long transcript)",
    ["house", "roof"],
    [
      `I recorded our owners' meeting last night (everyone agreed) and had it transcribed and translated. It's long. Please find every resolution with the count of votes, who objected and why, and every promise that somebody made with a date. Here is the whole transcript:\n\n${meetingTranscript()}`,
      `I read the whole transcript. There were three votes, one adjournment and six promises. Times are those of the recording.

## Resolutions

| item | decision | yes | no | abstained |
|---|---|---|---|---|
| 3, roof | contract to **Dachwerk Möwe, 84,600 €**, start on 24 August 2026 | 9 | 2 | 1 |
| 4, levy | **4,200 € per flat**, due on 30 June 2026 | 8 | 3 | 1 |
| 5, bicycle room | adjourned until the autumn meeting | – | – | – |
| 6, quiet hours | stay as they are (22:00) | 12 | 0 | 0 |

## Who objected, and why

- **Herr Dornbusch** (no to both) would have waited a year and paid from the reserve, which holds 31,400 €. He also wanted his sentence in the minutes that "slates do not read calendars".
- **Frau Petersohn-Lück** (no to both) found three offers too few and the cheapest one suspicious: the scaffold is counted for six weeks, and she doubts that six are enough.
- **Herr Yıldıray** (yes to the roof, no to the levy) asked for payment in two halves. The administration refused, because the roofers want a third before they begin.
- **Frau Saengdao-Falk** abstained from the roof vote: she was out of the room with the coffee. She voted for the levy.
- The abstention in item 4 came from **Herr Oltmanns**, who is selling his flat.

## Promises

1. Administration (Frau Anker): minutes by **31 March**.
2. Administration: ask Dachwerk Möwe for a written limit on scaffold costs by **15 April**.
3. Herr Dornbusch: measure the courtyard for the bicycle room by **the end of May**.
4. You: share this transcript with everyone within a week.
5. Frau Steenkamp-Ohm: two more offers for cleaning the stairs by **10 April**.
6. Administration: a letter for those who want to pay the levy later, with conditions, by **30 April**.

## What I would check

The sum of the levy is 12 × 4,200 = 50,400 €. Together with the reserve of 31,400 € that makes 81,800 €, which is 2,800 € less than the offer. Nobody in the transcript mentions the gap. Either the reserve is larger by June, or a second levy is coming; I would ask before you pay.`,
      "Good catch with the gap! I'll ask.",
      'Ask in writing and to everyone, so that the answer is too. One sentence is enough: "How are the remaining 2,800 € financed?"',
    ],
  );
  const gap = s.mail({
    box: "private",
    at: "2026-03-26 19:40",
    from: "ada",
    to: ["Hausverwaltung Anker <verwaltung@hv-anker.example.com>"],
    cc: ["dornbusch", "ploy", "yara"],
    subject: "Dach: wie werden die restlichen 2.800 € finanziert?",
    labels: ["house"],
    body: `Guten Tag Frau Anker,

12 × 4.200 € Umlage und 31.400 € Rücklage sind zusammen 81.800 €, das Angebot liegt bei 84.600 €. Wie werden die restlichen 2.800 € finanziert?

Viele Grüße
Ada Brambleby`,
  });
  s.reply(
    gap,
    "2026-03-27 08:55",
    "Hausverwaltung Anker <verwaltung@hv-anker.example.com>",
    "Guten Tag Frau Brambleby,\n\ngut gerechnet. Bis August fließen noch monatliche Beiträge von rund 3.100 € in die Rücklage, eine zweite Umlage ist nicht geplant.\n\nHausverwaltung Anker, K. Anker",
  );
  s.event({
    title: "Eigentümerversammlung",
    start: "2026-03-24 18:30",
    length: 180,
    location: "Alte Seilerei",
    organizer: "Hausverwaltung Anker",
    guests: ["dornbusch", "ploy", "yara"],
    made: "2026-03-02 12:00",
  });
  s.event({
    title: "Pay the roof levy (4200 €)",
    calendar: "ada",
    start: "2026-06-30",
    length: 1,
    allDay: true,
    made: "2026-03-31 12:00",
  });
  s.event({
    title: "Roof works, scaffold up (Dachwerk Möwe)",
    start: "2026-08-24",
    length: 44,
    allDay: true,
    location: "Lindenufer 14",
    made: "2026-03-31 12:02",
    description: "Planned six weeks. Scaffold came down on 6 October.",
  });
  s.note({
    at: "2026-03-24 22:30",
    updated: "2026-10-06 18:20",
    title: "Roof and levy",
    notebook: "Home",
    tags: ["house", "roof"],
    body: `24.03. meeting: Dachwerk Möwe 84,600 € (9/2/1), levy 4,200 € per flat (8/3/1), due 30.06. Paid on 29.06.
Gap of 2,800 € → from monthly contributions, no second levy (mail of 27.03.).
Works 24.08.–06.10. The Hoffest happened under the scaffold.`,
  });
  s.chat(
    "house",
    "2026-08-24 07:12",
    `
dornbusch> Das Gerüst steht ab 7:00. Bitte Fenster geschlossen halten.
yara> Um SIEBEN, Herr Dornbusch. Ferien.
dornbusch> Schiefer kennt keine Ferien.
ada> 😄 in welche Richtung dürfen wir die Tomaten retten?`,
  );
}
