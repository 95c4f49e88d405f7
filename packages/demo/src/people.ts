/** The cast. Every person, firm and address here is invented; all domains are reserved for examples. */
export interface Person {
  name: string;
  address: string;
  /** The language their mail program quotes in. */
  quotes?: "en" | "de" | "fr";
  signature?: string;
}

export const people = {
  ada: { name: "Ada Brambleby", address: "ada.brambleby@example.org" },
  jonas: {
    name: "Jonas Brambleby",
    address: "jonas@holzwerk.example.org",
    quotes: "de",
    signature: "Jonas Brambleby\nHolzwerk – Möbel nach Maß, Speicherstraße 9, Lindenhafen",
  },
  mila: { name: "Mila Brambleby", address: "mila@example.org" },
  heinz: { name: "Heinz Brambleby", address: "heinz.brambleby@example.net", quotes: "de", signature: "Euer Opa Heinz" },
  odile: { name: "Odile Marchevent", address: "odile.marchevent@example.net", quotes: "fr", signature: "Maman" },
  felix: { name: "Felix Marchevent", address: "felix@marchevent.example.com", signature: "F." },
  haruka: { name: "Haruka Mizushiro", address: "haruka@mizushiro.example.net", signature: "水代 遥 / Haruka" },
  priya: { name: "Priya Vantongeren", address: "priya.v@example.com", signature: "Priya" },
  ploy: { name: "Ploy Saengdao-Falk", address: "ploy@kruaploy.example.com", signature: "Ploy · ครัวพลอย 🌶️" },
  samir: { name: "Samir Al-Warraqi", address: "samir.alwarraqi@example.net", signature: "Samir – سمير" },
  dornbusch: {
    name: "Egon Dornbusch",
    address: "e.dornbusch@example.net",
    quotes: "de",
    signature: "MfG\nE. Dornbusch, 2. OG links",
  },
  yara: { name: "Yara Steenkamp-Ohm", address: "yara@example.com", quotes: "de" },
  leonie: { name: "Leonie Asmussen-Vey", address: "leonie.av@example.com", quotes: "de" },
  deniz: { name: "Deniz Kargalı", address: "deniz.kargali@example.net", quotes: "de" },
  bertil: { name: "Bertil Quackenbrook", address: "bertil.q@example.com" },
  nell: { name: "Nell Oakhanger", address: "nell.oakhanger@example.com", signature: "xx Nell" },
  wohlgemut: {
    name: "Sabine Wohlgemut",
    address: "wohlgemut@schule-lindenufer.example.org",
    quotes: "de",
    signature: "Mit freundlichen Grüßen\nSabine Wohlgemut\nKlassenlehrerin 3b\nGrundschule am Lindenufer",
  },
  sekretariat: {
    name: "Grundschule am Lindenufer",
    address: "sekretariat@schule-lindenufer.example.org",
    quotes: "de",
    signature: "Freundliche Grüße\nIhr Sekretariat\nGrundschule am Lindenufer · Lindenufer 40 · Lindenhafen",
  },
  reuter: {
    name: "Fenja Okoro-Reuter",
    address: "klavier@okoro-reuter.example.org",
    quotes: "de",
    signature: "Herzlich\nFenja Okoro-Reuter\nKlavierunterricht für kleine und große Hände",
  },
  kessel: {
    name: "Kessel & Sohn Heizungsbau",
    address: "buero@kessel-und-sohn.example.com",
    quotes: "de",
    signature: "Kessel & Sohn Heizungsbau\nMarkus Kessel\nWerftweg 3 · Lindenhafen · Notdienst 0555 010 4477",
  },
  maelle: {
    name: "Maëlle Kerdrezh",
    address: "bonjour@maison-des-goelands.example.com",
    quotes: "fr",
    signature: "Maëlle Kerdrezh\nMaison des Goélands, 4 venelle du Phare, Île de Morvanec",
  },
  storch: {
    name: "Praxis Bewegt, Lena Storch",
    address: "termine@praxis-bewegt.example.com",
    quotes: "de",
    signature: "Lena Storch, Physiotherapeutin\nPraxis Bewegt, Hafengasse 21",
  },
  hasenbein: {
    name: "Tierarztpraxis Dr. Hasenbein",
    address: "praxis@dr-hasenbein.example.com",
    quotes: "de",
    signature: "Dr. Pilar Hasenbein\nTierarztpraxis am Speicher",
  },
  greta: {
    name: "Greta Holmvane",
    address: "greta.holmvane@northlight.example.com",
    signature: "Greta\nHead of Tariffs, Northlight Freight",
  },
  samirWork: { name: "Samir Al-Warraqi", address: "samir@northlight.example.com", signature: "Samir" },
  tomasz: { name: "Tomasz Wrzos-Bell", address: "tomasz@northlight.example.com", signature: "-- \nTomasz | Platform" },
  ilse: { name: "Ilse Kranich", address: "people@northlight.example.com", signature: "Ilse Kranich\nPeople & Payroll" },
  noor: {
    name: "Noor Achterwald",
    address: "noor@tidewater.example.net",
    signature: "Noor Achterwald\nEngineering, Tidewater Maps",
  },
  wanjiru: { name: "Wanjiru Lark", address: "wanjiru@tidewater.example.net", signature: "W." },
  ben: { name: "Ben Zolt-Pike", address: "ben@tidewater.example.net", signature: "Ben" },
  callum: {
    name: "Callum Fetherby",
    address: "callum@harbour-talent.example.com",
    signature: "Callum Fetherby\nHarbour Talent – people for maps, ports and parcels",
  },
} satisfies Record<string, Person>;

export type PersonKey = keyof typeof people;

/** A key of the cast, or "Name <address>" for someone who appears once. */
export function person(who: string): Person {
  const known = (people as Record<string, Person>)[who];
  if (known) return known;
  const match = /^(.+) <(.+)>$/.exec(who);
  if (!match) throw new Error(`demo vault: nobody is called ${who}`);
  return { name: match[1]!, address: match[2]!, quotes: "de" };
}

const adaAtWork: readonly { from: string; person: Person }[] = [
  {
    from: "2026-05-01",
    person: {
      name: "Ada Brambleby",
      address: "ada@tidewater.example.net",
      signature: "Ada Brambleby\nStaff Engineer, Tidewater Maps",
    },
  },
  {
    from: "2025-01-01",
    person: {
      name: "Ada Brambleby",
      address: "ada.brambleby@northlight.example.com",
      signature: "Ada Brambleby\nSenior Engineer, Tariffs · Northlight Freight",
    },
  },
];

/** Ada as the mailbox of that day knows her: she changed employers in May 2026. */
export function ada(box: "private" | "work", at: string): Person {
  return box === "private" ? people.ada : adaAtWork.find((job) => at >= job.from)!.person;
}

export const home = {
  name: "Ada Brambleby",
  street: "Lindenufer 14",
  addition: "3. OG rechts",
  postal_code: "00423",
  city: "Lindenhafen",
  country: "DE",
} as const;

export const rooms = {
  home: { title: "Jonas ❤️", kind: "direct", members: ["ada", "jonas"] },
  bande: { title: "Brambleby-Marchevent-Bande", kind: "group", members: ["ada", "jonas", "heinz", "odile", "felix"] },
  odile: { title: "Maman", kind: "direct", members: ["ada", "odile"] },
  felix: { title: "Felix", kind: "direct", members: ["ada", "felix"] },
  haruka: { title: "遥 Haruka 🍵", kind: "direct", members: ["ada", "haruka"] },
  runners: { title: "Lauftreff Dienstag 🏃‍♀️", kind: "group", members: ["ada", "priya", "bertil", "nell"] },
  parents: { title: "Eltern 3b / 4b", kind: "group", members: ["ada", "yara", "leonie", "deniz"] },
  ploy: { title: "Ploy (ชั้นล่าง)", kind: "direct", members: ["ada", "ploy"] },
  samir: { title: "Samir سمير", kind: "direct", members: ["ada", "samir"] },
  books: { title: "Seitenweise 📚", kind: "group", members: ["ada", "nell", "leonie", "bertil", "priya"] },
  house: { title: "Haus Lindenufer 14", kind: "group", members: ["ada", "dornbusch", "ploy", "yara"] },
} as const satisfies Record<string, { title: string; kind: string; members: readonly PersonKey[] }>;

export type RoomKey = keyof typeof rooms;
