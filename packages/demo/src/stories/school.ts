import type { Script } from "../script.ts";

export function school(s: Script): void {
  const trip = s.mail({
    box: "private",
    at: "2026-02-16 14:05",
    from: "wohlgemut",
    subject: "Klassenfahrt 3b zur Burg Krähenfels, 11.–13. Mai",
    labels: ["school"],
    files: [{ filename: "einverstaendnis.pdf", mime_type: "application/pdf", size_bytes: 31877 }],
    body: `Liebe Eltern der 3b,

vom 11. bis 13. Mai 2026 fahren wir auf die Burg Krähenfels. Die Kosten betragen 96,50 € pro Kind (Bus 24,00 €, Unterkunft und Essen 61,50 €, Rittertag 11,00 €). Bitte überweisen Sie bis zum 20. März und geben Sie die Einverständniserklärung bis zum 6. März zurück. Abfahrt am Montag um 8:15 Uhr vor der Turnhalle, Rückkehr am Mittwoch gegen 15:30 Uhr.`,
  });
  s.reply(
    trip,
    "2026-03-05 20:22",
    "ada",
    `Liebe Frau Wohlgemut,

Mila fährt sehr gern mit, die Erklärung hat sie im Ranzen. Sie nimmt bei Heuschnupfen abends eine halbe Tablette und hat einen blauen Inhalator dabei; ich lege einen Zettel bei. Die 96,50 € habe ich heute überwiesen.

Viele Grüße
Ada Brambleby`,
  );
  s.mail({
    box: "private",
    at: "2026-05-13 17:10",
    from: "wohlgemut",
    subject: "Alle wieder da!",
    labels: ["school"],
    body: `Liebe Eltern,

22 müde Ritterinnen und Ritter sind zurück. Fundsachen: eine grüne Brotdose, drei einzelne Socken, ein Holzschwert mit dem Buchstaben M. Danke an alle, die beim Packen geholfen haben, und besonders an die, die nicht geholfen haben: es war erstaunlich viel an seinem Platz.`,
  });
  s.mail({
    box: "private",
    at: "2026-01-14 12:30",
    from: "sekretariat",
    subject: "Kopfläuse in der 3b",
    labels: ["school"],
    body: `Liebe Eltern,

in der Klasse 3b sind Kopfläuse aufgetreten. Bitte kontrollieren Sie Ihre Kinder heute und noch einmal in acht Tagen, und geben Sie uns den unteren Abschnitt unterschrieben zurück. Kein Grund zur Panik, aber auch keiner zum Abwarten.`,
  });
  s.order({
    id: "AP-19844",
    shop: "Apotheke am Markt",
    at: "2026-01-14 17:20",
    items: [
      ["Lice comb, metal", "health", 1, 895],
      ["Lice treatment, 2 x 100 ml", "health", 1, 2180],
    ],
    delivered: "2026-01-14 17:25",
  });
  s.mail({
    box: "private",
    at: "2026-03-23 11:48",
    from: "wohlgemut",
    subject: "Mila: Referat über Bienen",
    labels: ["school"],
    body: `Liebe Frau Brambleby, lieber Herr Brambleby,

Mila hält ihr Referat über Wildbienen am Dienstag, 21. April. Zehn Minuten, ein Plakat, gern etwas zum Anfassen (bitte nichts Lebendes, wir haben aus der Sache mit den Schnecken gelernt).`,
  });
  s.talk(
    "2026-04-12 17:25",
    "Referat über Wildbienen, 3. Klasse",
    ["school", "mila"],
    [
      "Meine Tochter (8, 3. Klasse) hält ein Referat von zehn Minuten über Wildbienen. Schreib bitte eine Gliederung mit einfachen Sätzen, die sie selbst sagen kann, fünf Staunfakten und drei Fragen für ein Quiz. Und eine Bastelidee zum Anfassen, nichts Lebendes.",
      `Gern. Ich habe kurze Sätze gewählt, die man auch sprechen kann, wenn man aufgeregt ist.

## Gliederung (zehn Minuten)

**1. Anfang (1 Minute).** „Wer von euch wurde schon einmal gestochen? Das war wahrscheinlich keine Wildbiene. Die meisten Wildbienen können uns gar nicht stechen, ihr Stachel ist zu schwach für unsere Haut."

**2. Was ist eine Wildbiene? (2 Minuten).** „Bei uns gibt es mehr als fünfhundert Arten. Manche sind so klein wie ein Reiskorn, andere so groß wie mein Daumen. Honig machen sie nicht. Die Honigbiene ist nur eine einzige Art, und sie ist ein Haustier."

**3. Wie wohnen sie? (2 Minuten).** „Viele wohnen allein. Drei von vier Arten graben ein Loch in die Erde. Andere nehmen einen hohlen Stängel, altes Holz oder ein leeres Schneckenhaus. Die Mutter baut für jedes Ei ein eigenes Zimmer, legt Proviant hinein und mauert die Tür zu."

**4. Warum brauchen wir sie? (2 Minuten).** „Sie bestäuben Äpfel, Kirschen, Erdbeeren und Tomaten. Hummeln fliegen schon, wenn es der Honigbiene noch zu kalt ist. Ohne sie wäre unser Pausenbrot langweilig."

**5. Wie können wir helfen? (2 Minuten).** „Blumen stehen lassen, die wild wachsen. Eine Ecke mit Sand frei machen. Kein Gift. Und Stängel erst im Frühling abschneiden, denn im Winter schläft jemand darin."

**6. Schluss (1 Minute).** Quiz und Fragen.

## Fünf Staunfakten

1. Hummeln „zittern" an der Tomatenblüte, damit der Pollen herausfällt. Das klingt wie ein tiefes C.
2. Die Mauerbiene fliegt für eine einzige Kinderstube etwa zwanzigmal.
3. Manche Männchen schlafen nachts in Glockenblumen, zu mehreren, wie in einem Zelt.
4. Die Wollbiene rasiert Haare von Blättern und polstert damit ihr Nest.
5. Es gibt Kuckucksbienen: Sie bauen nichts und legen ihr Ei heimlich bei anderen hinein.

## Quiz

- Wie viele Zimmer baut eine Mutter für ein Ei? *(Genau eins.)*
- Wer macht Honig? *(Nur die Honigbiene.)*
- Wo wohnen die meisten Wildbienen? *(In der Erde.)*

## Zum Anfassen

Ein **Stängelhaus**: zehn Zentimeter lange Stücke von Schilf oder Bambus in eine saubere Dose stecken, hinten mit Lehm verschließen. Ein paar Röhren mit Lehm „zumauern", wie es die Mauerbiene tut. Alle dürfen hineinsehen. Und ganz wichtig: die Ränder glatt schleifen, sonst zerreißen die Flügel. (Das kann Papa in der Werkstatt.)

Viel Erfolg! Wenn Mila möchte, stelle ich ihr Fragen, wie sie die Klasse stellen könnte.`,
    ],
  );
  s.event({
    title: "Klassenfahrt Burg Krähenfels",
    calendar: "school",
    start: "2026-05-11",
    length: 3,
    allDay: true,
    location: "Burg Krähenfels",
    organizer: "Sabine Wohlgemut",
    description: "Abfahrt Mo 8:15 Turnhalle, zurück Mi 15:30. 96,50 € bezahlt am 05.03.",
    made: "2026-02-16 14:20",
  });
  s.event({
    title: "Mila: Referat Wildbienen",
    calendar: "school",
    start: "2026-04-21 09:00",
    length: 45,
    location: "Raum 12",
    made: "2026-03-23 12:00",
  });
  s.event({
    title: "Elternabend 3b",
    calendar: "school",
    start: "2025-11-13 19:30",
    length: 90,
    location: "Raum 12",
    organizer: "Sabine Wohlgemut",
  });
  s.event({
    title: "Elternabend 4b (weiterführende Schulen)",
    calendar: "school",
    start: "2026-09-22 19:30",
    length: 120,
    location: "Aula",
    organizer: "Sabine Wohlgemut",
    guests: ["jonas:declined"],
  });
  s.event({
    title: "Einschulung 4b, erster Schultag",
    calendar: "school",
    start: "2026-08-20 08:15",
    length: 180,
    location: "Grundschule am Lindenufer",
  });
  s.event({
    title: "Zeugnisse",
    calendar: "school",
    start: "2026-07-08 10:45",
    length: 30,
    location: "Grundschule am Lindenufer",
  });
  s.note({
    at: "2025-11-13 21:40",
    updated: "2026-09-22 22:15",
    title: "Schule: Elternabende",
    notebook: "Family",
    tags: ["school", "mila"],
    body: `**13.11.2025 (3b)** Schwimmen ab Februar, samstags. Handys: nein. Elternvertreter: Deniz und Yara. Klassenkasse 15 €.
**22.09.2026 (4b)** Empfehlungen im Januar 2027. Tag der offenen Tür: Gymnasium am Leuchtturm 14.11., Gesamtschule Ost 21.11. Mila will „dahin, wo Juno hingeht".

Klassenfahrt 11.–13.05.: 96,50 €, bezahlt am 05.03. Das Holzschwert mit M ist wieder da.`,
  });
  s.chat(
    "parents",
    "2026-01-14 13:02",
    `
yara> Läuse. Schon wieder. Wer hat noch den Metallkamm?
leonie> Ausgeliehen an Kaans Mutter. Seit Oktober.
ada> Ich kaufe nachher einen und mache eine Leihliste 😅
deniz> Wir waschen heute ALLES. Auch die Kuscheltiere. Auch den Hamsterkäfig, sicher ist sicher`,
  );
  s.chat(
    "parents",
    "2026-05-11 08:31",
    `
deniz> Bus ist los! Emre hat nicht gewinkt. Ich bin ok. (bin ich nicht)
ada> Mila hat gewinkt und dann die Scheibe angehaucht und AUF WIEDERSEN geschrieben
leonie> Ohne H ist es auch ein Abschied ::😂 ada ::😂 deniz`,
  );
}
