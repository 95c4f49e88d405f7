/** Describes when an event repeats, such as "every Wednesday until 27 April 2026". */

const dayNames: Readonly<Record<string, string>> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};
const monthNames = Array.from({ length: 12 }, (_, i) =>
  new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" }).format(Date.UTC(2026, i, 1)),
);
const untilFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

const units = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year", HOURLY: "hour" } as const;
type Frequency = keyof typeof units;

interface Rule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly days: readonly string[];
  readonly monthDays: readonly number[];
  readonly months: readonly number[];
  readonly until: string | undefined;
  readonly count: number | undefined;
  /** Whether it has parts that are not put into words. */
  readonly hasMore: boolean;
}

/** `rule` is text of RFC 5545, or an object with its parts. Undefined if it is neither. */
export function describeRecurrence(rule: unknown): string | undefined {
  const parsed = parseRule(rule);
  if (parsed === undefined) return undefined;
  const { until, count, hasMore } = parsed;
  const end = until === undefined ? (count === undefined ? "" : `, ${count === 1 ? "once" : `${count} times`}`) : until;
  return `${describePattern(parsed)}${hasMore ? ", with exceptions" : ""}${end}`;
}

function describePattern({ frequency, interval, days, monthDays, months }: Rule): string {
  const unit = units[frequency];
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
  const within = months.length === 0 ? "" : `${joinWords(months.map((month) => monthNames[month - 1] ?? ""))}`;
  if (monthDays.length > 0) {
    const named = joinWords(monthDays.map(describeMonthDay));
    return within === "" ? `${every} on the ${named}` : `${every} on the ${named} of ${within}`;
  }
  if (days.length === 0) return within === "" ? every : `${every} in ${within}`;
  const tail = within === "" ? "" : ` of ${within}`;
  const plain = days.every((day) => day.length === 2);
  if (!plain) return `${every} on the ${joinWords(days.map(describeDay))}${tail}`;
  const named = describeDays(days);
  const inMonths = within === "" ? "" : ` in ${within}`;
  if (interval === 1 && (frequency === "WEEKLY" || frequency === "DAILY")) return `every ${named}${inMonths}`;
  return `${every} on ${named}${inMonths}`;
}

function describeDays(days: readonly string[]): string {
  const all = new Set(days);
  const isWorkWeek = all.size === 5 && !all.has("SA") && !all.has("SU");
  if (isWorkWeek) return "weekday";
  return all.size === 7 ? "day" : joinWords([...all].map(describeDay));
}

function describeDay(day: string): string {
  const name = dayNames[day.slice(-2)] ?? day;
  return day.length === 2 ? name : `${describeOrdinal(Number(day.slice(0, -2)))} ${name}`;
}

const describeMonthDay = (day: number): string => (day < 0 ? `${describeOrdinal(day)} day` : describeOrdinal(day));

function describeOrdinal(number: number): string {
  if (number === -1) return "last";
  const size = Math.abs(number);
  const tail =
    size % 100 > 10 && size % 100 < 14 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" } as Record<number, string>)[size % 10];
  return `${size}${tail ?? "th"}${number < 0 ? " to last" : ""}`;
}

const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const maxRuleChars = 2000;

function parseRule(rule: unknown): Rule | undefined {
  if (typeof rule === "string") return rule.length > maxRuleChars ? undefined : readParts(splitRule(rule));
  if (typeof rule !== "object" || rule === null || Array.isArray(rule)) return undefined;
  const { frequency, freq, interval, by_day, by_month_day, by_month, until, count } = rule as Record<string, unknown>;
  const list = (value: unknown): string | undefined =>
    Array.isArray(value) ? value.slice(0, 31).join(",") : undefined;
  const parts = {
    FREQ: String(frequency ?? freq ?? "").toUpperCase(),
    INTERVAL: interval,
    BYDAY: list(by_day),
    BYMONTHDAY: list(by_month_day),
    BYMONTH: list(by_month),
    UNTIL: until,
    COUNT: count,
  };
  return readParts(
    new Map(Object.entries(parts).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]))),
  );
}

function splitRule(rule: string): ReadonlyMap<string, string> {
  const [first = ""] = rule.split(/\r?\n/);
  return new Map(
    first
      .replace(/^RRULE[^:]*:/i, "")
      .split(";")
      .flatMap((part): [string, string][] => {
        const at = part.indexOf("=");
        return at < 1
          ? []
          : [
              [
                part.slice(0, at).trim().toUpperCase(),
                part
                  .slice(at + 1)
                  .trim()
                  .toUpperCase(),
              ],
            ];
      }),
  );
}

const known = new Set(["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "UNTIL", "COUNT", "WKST"]);

function readParts(parts: ReadonlyMap<string, string>): Rule | undefined {
  const frequency = parts.get("FREQ") ?? "";
  if (!Object.hasOwn(units, frequency)) return undefined;
  const numbers = (name: string, least: number, most: number): number[] =>
    (parts.get(name) ?? "")
      .split(",")
      .map(Number)
      .filter((number) => Number.isInteger(number) && number !== 0 && number >= least && number <= most);
  const [interval = 1] = numbers("INTERVAL", 1, 10_000);
  const days = (parts.get("BYDAY") ?? "")
    .split(",")
    .filter((day) => /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.test(day));
  return {
    frequency: frequency as Frequency,
    interval,
    days: [...new Set(days)].slice(0, 14),
    monthDays: numbers("BYMONTHDAY", -31, 31).slice(0, 14),
    months: numbers("BYMONTH", 1, 12).slice(0, 12),
    until: describeUntil(parts.get("UNTIL")),
    count: numbers("COUNT", 1, 1_000_000)[0],
    hasMore: [...parts.keys()].some((name) => !known.has(name)),
  };
}

function describeUntil(until: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)/.exec(until ?? "") ?? [];
  if (year === undefined) return undefined;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return Number.isNaN(at) ? undefined : ` until ${untilFormat.format(at)}`;
}
