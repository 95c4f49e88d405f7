import type { CalendarKey } from "../drafts.ts";
import { addDays, daysBetween, firstDay, lastDay, weekday } from "../local-time.ts";
import { fill } from "../phrases.ts";
import type { Random } from "../random.ts";
import type { Script } from "../script.ts";

interface Series {
  id: string;
  title: string;
  calendar: CalendarKey;
  from: string;
  until: string;
  every: number;
  time: string;
  length: number;
  location: string;
  guests?: string[];
  organizer?: string;
}

const days = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const series: readonly Series[] = [
  {
    id: "ev_piano_thu",
    title: "Mila: piano",
    calendar: "family",
    from: "2025-11-06",
    until: "2026-07-02",
    every: 7,
    time: "16:00",
    length: 40,
    location: "Frau Okoro-Reuter, Kanalstraße 5",
    organizer: "Fenja Okoro-Reuter",
  },
  {
    id: "ev_piano_wed",
    title: "Mila: piano (new day)",
    calendar: "family",
    from: "2026-09-02",
    until: "2026-10-28",
    every: 7,
    time: "16:30",
    length: 40,
    location: "Frau Okoro-Reuter, Kanalstraße 5",
    organizer: "Fenja Okoro-Reuter",
  },
  {
    id: "ev_lauftreff",
    title: "Lauftreff",
    calendar: "ada",
    from: "2025-11-04",
    until: "2026-10-27",
    every: 7,
    time: "18:30",
    length: 75,
    location: "Alter Kran",
    guests: ["priya", "nell", "bertil:tentative"],
  },
  {
    id: "ev_swimming",
    title: "Mila: swimming",
    calendar: "family",
    from: "2026-02-07",
    until: "2026-07-04",
    every: 7,
    time: "10:00",
    length: 60,
    location: "Hafenbad",
    guests: ["mila"],
  },
  {
    id: "ev_northlight_weekly",
    title: "Tariffs weekly",
    calendar: "work",
    from: "2025-11-03",
    until: "2026-04-27",
    every: 7,
    time: "09:30",
    length: 45,
    location: "Room Albatross",
    organizer: "Greta Holmvane",
    guests: ["samirWork", "tomasz"],
  },
  {
    id: "ev_northlight_1on1",
    title: "1:1 Greta",
    calendar: "work",
    from: "2025-11-06",
    until: "2026-04-23",
    every: 14,
    time: "11:00",
    length: 30,
    location: "Room Tern",
    organizer: "Greta Holmvane",
  },
  {
    id: "ev_tidewater_planning",
    title: "Tidal data planning",
    calendar: "work",
    from: "2026-05-11",
    until: "2026-10-26",
    every: 7,
    time: "10:00",
    length: 60,
    location: "Kontorhaus Süd, chart room",
    organizer: "Noor Achterwald",
    guests: ["wanjiru", "ben"],
  },
  {
    id: "ev_tidewater_1on1",
    title: "1:1 Noor",
    calendar: "work",
    from: "2026-05-07",
    until: "2026-10-22",
    every: 14,
    time: "15:00",
    length: 30,
    location: "walk along the quay",
    organizer: "Noor Achterwald",
  },
  {
    id: "ev_date_night",
    title: "Evening for two",
    calendar: "family",
    from: "2025-11-14",
    until: "2026-10-16",
    every: 28,
    time: "19:30",
    length: 150,
    location: "somewhere without crayons",
    guests: ["jonas"],
  },
  {
    id: "ev_stall",
    title: "Jonas: stall at the makers' market",
    calendar: "family",
    from: "2025-11-15",
    until: "2026-10-17",
    every: 28,
    time: "09:00",
    length: 420,
    location: "Speicherplatz",
    guests: ["jonas"],
  },
];

/** Days on which nothing of the weekly kind takes place: holidays of the school and of the household. */
function skipped(day: string): boolean {
  const away = (from: string, to: string) => day >= from && day <= to;
  return (
    away("2025-12-22", "2026-01-05") ||
    away("2026-03-30", "2026-04-13") ||
    away("2026-07-09", "2026-08-19") ||
    away("2026-10-19", "2026-10-30")
  );
}

const allDay: readonly (readonly [date: string, length: number, title: string, calendar: CalendarKey])[] = [
  ["2025-12-22", 15, "Weihnachtsferien", "school"],
  ["2026-03-30", 12, "Osterferien", "school"],
  ["2026-05-15", 1, "Brückentag", "school"],
  ["2026-07-09", 42, "Sommerferien", "school"],
  ["2026-10-19", 12, "Herbstferien", "school"],
  ["2025-12-24", 3, "🎄 Heinz with us", "family"],
  ["2026-04-11", 1, "🎂 Odile (70!)", "family"],
  ["2026-06-13", 1, "🎂 Mila (9)", "family"],
  ["2026-02-03", 1, "🎂 Jonas (41)", "family"],
  ["2026-08-17", 1, "🎂 Ada (40)", "family"],
  ["2026-03-19", 1, "🎂 Felix", "family"],
  ["2025-11-02", 1, "🎂 Heinz (73)", "family"],
  ["2026-05-21", 1, "🎂 Haruka", "ada"],
  ["2026-09-09", 1, "🎂 Nell", "ada"],
  ["2026-01-10", 1, "Collect the Christmas trees (house)", "family"],
  ["2026-09-13", 1, "Car-free Sunday cake sale (school)", "school"],
];

const single: readonly (readonly [
  title: string,
  calendar: CalendarKey,
  time: string,
  length: number,
  location: string,
])[] = [
  ["[Dentist|Dentist, check-up|Dentist: hygienist]", "ada", "08:[10|30|50]", 40, "Dr. Zahnwald, Marktplatz 2"],
  [
    "Dinner with [Nell|Priya and Tom|Samir and Rania|the Steenkamps|Leonie|Bertil]",
    "family",
    "19:[00|30]",
    180,
    "[home|their place|Krua Ploy]",
  ],
  ["Haircut", "ada", "17:[15|45]", 45, "Salon Locke"],
  [
    "Mila at [Juno's|Emre's|Pelle's|Lotti's]",
    "family",
    "15:00",
    150,
    "[Kanalstraße|Werftweg|ground floor|Speicherstraße]",
  ],
  ["[Juno|Emre|Pelle|Mila's friend Ida] at our place", "family", "15:00", 150, "home"],
  ["Phone call with [Haruka|Felix|Maman]", "ada", "20:[00|30]", 60, "phone"],
  ["[Bike|Cargo bike] to the repair shop", "family", "08:00", 20, "Radkontor"],
  ["Choir concert of [Leonie|Yara|Opa's neighbour]", "family", "18:00", 120, "Alte Seilerei"],
  ["Design review: {subject}", "work", "14:[00|30]", 60, "{room}"],
  ["Interview: [backend|data|platform] engineer", "work", "13:00", 60, "video"],
  ["Fix-it evening: [shelf|balcony door|washing machine|Mila's lamp]", "family", "19:00", 90, "home"],
  ["Sunday walk: [dunes|lock and back|old lighthouse|marsh path]", "family", "11:00", 150, "[Hohe Düne|canal|marsh]"],
  ["Paediatrician, Mila", "family", "09:[00|20]", 30, "Dr. Fennwick"],
];

/** The calf: no running in company from 7 March to 6 June. */
const injured = (id: string, day: string) => id === "ev_lauftreff" && day > "2026-03-07" && day < "2026-06-06";

const northlight = { subject: ["tariff validity", "surcharges", "island zones", "rounding"], room: ["room Albatross"] };
const tidewater = { subject: ["tide tables", "gauge importer", "depth tiles", "offline maps"], room: ["chart room"] };

export function everydayCalendar(script: Script, dice: Random): void {
  for (const entry of series) {
    const off: string[] = [];
    const dates: string[] = [];
    for (let day = entry.from; day <= entry.until; day = addDays(day, entry.every))
      (skipped(day) ? off : dates).push(day);
    const recurrence = {
      frequency: "weekly" as const,
      interval: entry.every / 7,
      by_day: [days[weekday(entry.from)]!],
      until: entry.until,
      skipped: off,
    };
    const { id, title, calendar, location, length } = entry;
    for (const day of dates) {
      script.event({
        id,
        title,
        calendar,
        location,
        length,
        start: `${day} ${entry.time}`,
        organizer: entry.organizer ?? "Ada Brambleby",
        guests: entry.guests ?? [],
        recurrence,
        made: `${addDays(entry.from, -9)} 12:30`,
        status: dice.chance(0.04) || injured(id, day) ? "cancelled" : "confirmed",
      });
    }
  }
  for (const [date, length, title, calendar] of allDay) {
    if (date <= lastDay)
      script.event({ title, calendar, start: date, length, allDay: true, made: `${firstDay} 09:00` });
  }
  const span = daysBetween(firstDay, lastDay);
  const count = 92;
  for (let index = 0; index < count; index++) {
    let day = addDays(firstDay, Math.floor(((index + dice.next()) * span) / count));
    const [title, calendar, time, length, location] = single[index % single.length]!;
    const anyDay = calendar === "family" && !/Paediatrician|repair/.test(title);
    if (!anyDay) while (weekday(day) % 6 === 0) day = addDays(day, -1);
    if (title.startsWith("Sunday")) while (weekday(day) !== 0) day = addDays(day, -1);
    if (day < firstDay || (day >= "2026-07-18" && day <= "2026-08-02")) continue;
    const slots = day < "2026-05-01" ? northlight : tidewater;
    script.event({
      title: fill(title, slots, dice),
      calendar,
      start: `${day} ${fill(time, {}, dice)}`,
      length,
      location: fill(location, slots, dice),
    });
  }
}
