type SmallTalk = readonly [at: string, title: string, topics: string, ...turns: string[]];

/** A table of conversations of everyday kind, written out. */
export const smallTalks: readonly SmallTalk[] = [
  [
    "2025-11-12 21:14",
    "Comparing two tariff tables in SQL",
    "work code",
    "I have two tables, old_rates and new_rates, both with (zone, weight_class, valid_from, cents). I want every difference, including rows that exist only on one side. What's the cleanest query?",
    `A full outer join on the key, and a comparison that treats null as a value:

\`\`\`sql
SELECT coalesce(o.zone, n.zone)                 AS zone,
       coalesce(o.weight_class, n.weight_class) AS weight_class,
       coalesce(o.valid_from, n.valid_from)     AS valid_from,
       o.cents AS old_cents,
       n.cents AS new_cents,
       n.cents - o.cents AS difference
FROM old_rates o
FULL OUTER JOIN new_rates n USING (zone, weight_class, valid_from)
WHERE o.cents IS DISTINCT FROM n.cents
ORDER BY abs(coalesce(n.cents - o.cents, 1000000)) DESC;
\`\`\`

Three remarks:

1. \`IS DISTINCT FROM\` is the important part. With \`<>\` the rows that exist only on one side would vanish, because a comparison with null is neither true nor false.
2. The order puts missing rows first, then large differences. In a migration that is the order in which you want to be frightened.
3. Count before you look: \`SELECT count(*), count(old_cents), count(new_cents)\` over the same query tells you at once whether you are dealing with rounding or with a forgotten zone.

If valid_from differs by time zone (midnight here, 23:00 there), every row will seem to be missing on both sides. Cast to date first.`,
    "It was the time zone. All 4,212 rows.",
    "Then you have not 4,212 bugs but one, which is the best kind of bad news. Fix it where the date is read, add one test with a date in late March and one in late October, and run the comparison again before you touch anything else.",
  ],
  [
    "2025-12-09 20:32",
    "Weihnachtsplätzchen ohne Haselnüsse",
    "cooking family",
    "Wir backen am Samstag mit Juno, die keine Haselnüsse verträgt. Drei Sorten bitte, die Kinder selbst machen können, ohne Nüsse überhaupt.",
    `Gern, ganz ohne Nüsse, und die Zutatenlisten von Schokolade und Streuseln bitte trotzdem lesen („kann Spuren enthalten“ heißt bei einer echten Allergie: nein).

**1. Butterplätzchen zum Ausstechen.** 300 g Mehl, 200 g Butter, 100 g Zucker, 1 Ei, Prise Salz, Schale einer Zitrone. Kneten, eine Stunde kalt stellen, ausrollen, ausstechen. 10 Minuten bei 180 °C. Aufgabe für Kinder: alles, vor allem das Mehl auf dem Boden.

**2. Kokosmakronen.** 4 Eiweiß steif schlagen, 200 g Zucker einrieseln lassen, 250 g Kokosraspel unterheben. Häufchen, 15 Minuten bei 150 °C. Kokos ist botanisch keine Nuss, aber fragt Junos Mutter kurz.

**3. Haferflockentaler.** 150 g Butter schmelzen, 250 g Haferflocken darin rösten, abkühlen lassen, 100 g Zucker, 1 Ei, 2 Esslöffel Mehl, 1 Teelöffel Backpulver. 12 Minuten bei 180 °C. Schmecken, als wären Nüsse darin, ohne dass es so ist.

Zwei Bleche nur für Juno, frisches Backpapier, neues Nudelholz oder gründlich heiß gespült. Und das Glas Nougatcreme an diesem Tag in den Schrank.`,
    "Kokos ist ok, sagt Leonie. Danke!",
    "Wunderbar. Dann viel Freude, und ein Tipp: Erst die Makronen, solange noch jemand Geduld zum Eischneeschlagen hat.",
  ],
  [
    "2026-01-22 22:05",
    "What to ask in a first interview (as the candidate)",
    "work career",
    "I had a first conversation with a possible new employer (maps, tides). Second round is in February, with the team. What should I ask them that shows me how they really work?",
    `Ask for stories, not for values. Nobody describes their process wrongly on purpose, but everyone describes it as it is on the website.

**To the people you'd work with**

- "What was the last thing you shipped that you're proud of, and what was the last thing you had to take back?" Listen to whether the second story has a culprit in it.
- "Show me a change you disagreed about. How did it end?" If nobody can remember a disagreement, it takes place elsewhere.
- "What does the first hour of an incident look like, and who is awake?"
- "Which part of the system would you not let me touch in the first month?" You will learn where the fear lives.

**To the manager**

- "When did you last change your mind because of someone in the team?"
- "What will I be doing in month seven that I couldn't do in month one?"
- "What would make you say after a year that hiring me was a mistake?"

**To yourself, on the way home**

- Did they interrupt one another? Did they interrupt you?
- Did anybody say "I don't know"?
- Were you more curious at the end than in the beginning?

And one thing to look at: the whiteboard. If it has only finished drawings on it, it's a decoration.`,
  ],
  [
    "2026-02-10 19:48",
    "Mila: warum ist Ebbe und Flut?",
    "school mila",
    "Erklär meiner Tochter (8), warum es Ebbe und Flut gibt. Sie will es genau wissen, aber mit Badewanne.",
    "Stell dir vor, die Erde trägt ein Kleid aus Wasser. Der Mond zieht an diesem Kleid, ganz sanft, aber ohne Pause. Auf der Seite, die zu ihm schaut, wölbt sich das Wasser ein bisschen: eine Beule. Und weil die Erde sich beim Drehen mit dem Mond ein wenig nach außen lehnt, wie wenn du dich mit jemandem im Kreis drehst, entsteht auf der anderen Seite noch eine Beule. Zwei Beulen also!\n\nJetzt kommt der Trick: Die Beulen bleiben stehen, und *du* drehst dich mit der Erde darunter durch. Kommst du in eine Beule, ist Flut. Kommst du heraus, ist Ebbe. Zweimal am Tag, weil es zwei Beulen sind.\n\nBadewanne: Schieb das Wasser langsam mit der flachen Hand hin und her, immer im gleichen Takt. Wenn du den richtigen Takt triffst, schwappt es hoch, obwohl du fast nichts tust. So macht es der Mond mit dem Meer. (Bitte vorher das Handtuch vor die Tür legen.)",
    "Sie fragt, ob der Mond auch an ihr zieht.",
    "Ja, ein kleines bisschen. So wenig, dass eine Fliege auf ihrer Schulter mehr drückt. Aber er zieht, immer, auch wenn sie schläft.",
  ],
  [
    "2026-04-06 15:20",
    "Heating costs: is our consumption normal?",
    "home money",
    "Three rooms, 84 m², gas heating, 11,900 kWh in the last year, two adults and a child. Normal? The boiler was repaired in January.",
    `11,900 kWh over 84 m² is about **142 kWh per square metre**, hot water included. For an old building with partly renewed windows that's average: a little better than typical (150–170), far from good (below 90).

What your number contains, roughly:

| use | kWh | share |
|---|---|---|
| hot water, three people | 2,100 | 18 % |
| losses of the boiler | 1,200 | 10 % |
| heating proper | 8,600 | 72 % |

Where the cheap savings are, in order of effect per euro:

1. **Flow temperature.** If the boiler still runs at 70 °C, try 60 and see whether anyone notices. Every ten degrees save four to six percent.
2. **Bleed and balance.** After a repair with refilled water there's nearly always air somewhere. If one radiator hisses and another stays cold, that is it.
3. **The insulation above the stairs**, if the house decides about the roof anyway. That isn't yours alone, but you can vote for it.
4. **Hot water**: a shower head with 7 litres a minute pays for itself within three months.

Expect some more for the coming year: with the pressure right, the rooms will at last get as warm as the thermostats say.`,
  ],
  [
    "2026-05-09 21:30",
    "Reading an unfamiliar codebase: first week plan",
    "work code",
    "First week at the new job done. The codebase is 400k lines, tides and tiles, and I understand about two percent. How would you spend week two?",
    `Two percent after a week is a good rate; it just doesn't feel like one.

**Monday: follow one number.** Take a single tide prediction as a user sees it and walk backwards until you reach the sensor. Write down every place where it changes its type, its unit or its time zone. That one page will be worth more than any diagram.

**Tuesday: read the tests that were written in anger.** Search the history for tests added within a day after an incident. They tell you what the system is afraid of.

**Wednesday: break something small, locally.** Remove a cache, swap two parameters, set a clock an hour off. Predict what fails first. When you're wrong, you've found a coupling that nobody told you about.

**Thursday: pair, and be the one who types.** With somebody who knows; they talk, you type. It's slower for them and three times faster for you.

**Friday: write the glossary you'd have needed on Monday.** Ten words. *Datum, residual, harmonic, gauge, epoch, ...* Send it to the team with the question: what's wrong? People who never answer mails will answer that one.

Don't refactor anything in the second week. You don't yet know which ugliness is load-bearing.`,
    "Following one number was brilliant. It changes its unit three times (cm, feet, cm).",
    "And I'd guess that one of the three was written by someone who was certain it happened nowhere else. Put the three places into your glossary mail, without adjectives.",
  ],
  [
    "2026-08-16 10:05",
    "Turning forty tomorrow",
    "personal",
    "I turn forty tomorrow. No party, that was my wish. Ask me five good questions and then be quiet.",
    "1. What did you stop apologising for in your thirties?\n2. Which of your ordinary days of this year would you like to have again, exactly as it was?\n3. Who knew you at twenty, and would recognise you at once?\n4. What are you carrying for somebody else, and did they ask you to?\n5. If the next ten years had a first sentence, what would it be?",
    "2: 22 July, the day with the 31 crabs. Thank you.",
    "🦀",
  ],
  [
    "2026-09-19 17:45",
    "Thank-you note in French to the holiday host",
    "language français",
    "Jonas sends Maëlle (our holiday host on Morvanec) an olive-wood bowl he made. Write a short note in French to go with it. Warm, not flowery. She let us stay for a night for free when the ferry was cancelled.",
    "Chère Maëlle,\n\ncette coupe a été tournée par Jonas, dans un morceau d'olivier qu'il gardait depuis des années sans savoir pour qui. Maintenant il sait.\n\nMerci pour la maison, pour les crabes, et surtout pour la nuit de tempête que vous nous avez offerte. Mila en parle encore : la lampe sous la table, les volets qui chantaient, et le matin, la mer toute plate, comme si de rien n'était.\n\nSi un jour le vent vous pousse jusqu'à Lindenhafen, il y a chez nous un lit, du café, et un chat qui ronfle.\n\nAda, Jonas et Mila",
  ],
];
