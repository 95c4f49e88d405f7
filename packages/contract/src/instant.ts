const DAY = 86_400_000;
const EARLIEST = -62_167_219_200_000;
const LATEST = 253_402_300_799_999;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const [UPPER_T, LOWER_T, SPACE] = [84, 116, 32];
const [UPPER_Z, LOWER_Z] = [90, 122];
const [PLUS, COMMA, MINUS, POINT, COLON] = [43, 44, 45, 46, 58];

/**
 * Parses a date or date-time as epoch milliseconds, with a fraction for finer digits; null if it is neither. Digits
 * beyond double precision are truncated, never rounded up, so that 23:59:59.999999999 stays in its day. For the same
 * reason a leap second (:60) becomes the last representable moment of :59. Years are 0000 to 9999; an offset may move
 * the instant up to a day beyond.
 */
export function parseInstant(value: string): number | null {
  const midnight = parseMidnight(value);
  if (midnight === null) return null;
  if (value.length === 10) return midnight;

  const separator = value.charCodeAt(10);
  if (separator !== UPPER_T && separator !== LOWER_T && separator !== SPACE) return null;
  const hour = readTwoDigits(value, 11);
  const minute = readTwoDigits(value, 14);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || value.charCodeAt(13) !== COLON) return null;

  let at = 16;
  let second = 0;
  let milliseconds = 0;
  let picoseconds = 0;
  if (value.charCodeAt(at) === COLON) {
    second = readTwoDigits(value, 17);
    if (second < 0 || second > 60) return null;
    at = 19;
    const mark = value.charCodeAt(at);
    if (mark === POINT || mark === COMMA) {
      const fraction = at + 1;
      at = endOfDigits(value, fraction);
      if (at === fraction) return null;
      milliseconds = readPaddedDigits(value, fraction, at, 3);
      picoseconds = readPaddedDigits(value, fraction + 3, at, 9);
    }
    if (second === 60) {
      second = 59;
      milliseconds = 999;
      picoseconds = 999_999_999;
    }
  }

  const offset = parseOffset(value, at);
  if (offset === null) return null;
  const whole = midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
  return picoseconds === 0 ? whole : whole + truncateFraction(picoseconds, whole);
}

/**
 * Formats an instant in UTC with milliseconds, always 24 characters. Instants outside the years 0000 to 9999 are
 * clamped.
 */
export function formatInstant(instant: number): string {
  return new Date(Math.floor(Math.min(Math.max(instant, EARLIEST), LATEST))).toISOString();
}

function parseMidnight(value: string): number | null {
  const century = readTwoDigits(value, 0);
  const yearOfCentury = readTwoDigits(value, 2);
  const month = readTwoDigits(value, 5);
  const day = readTwoDigits(value, 8);
  if (century < 0 || yearOfCentury < 0 || month < 1 || month > 12 || day < 1) return null;
  if (value.charCodeAt(4) !== MINUS || value.charCodeAt(7) !== MINUS) return null;
  const year = century * 100 + yearOfCentury;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (month === 2 && leap ? 29 : MONTH_LENGTHS[month - 1]!)) return null;
  return countDaysSinceEpoch(year, month, day) * DAY;
}

/** Counts years from March, so that the leap day comes last (Hinnant's days_from_civil). */
function countDaysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((marchMonth * 153 + 2) / 5) + day - 719_469;
}

/** Parses the UTC offset at the end of the value, in minutes. No offset means UTC. */
function parseOffset(value: string, at: number): number | null {
  const length = value.length - at;
  if (length === 0) return 0;
  const sign = value.charCodeAt(at);
  if (length === 1) return sign === UPPER_Z || sign === LOWER_Z ? 0 : null;
  if (sign !== PLUS && sign !== MINUS) return null;
  if (length !== 3 && length !== 5 && length !== 6) return null;
  if (length === 6 && value.charCodeAt(at + 3) !== COLON) return null;
  const hours = readTwoDigits(value, at + 1);
  const minutes = length === 3 ? 0 : readTwoDigits(value, value.length - 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  const total = hours * 60 + minutes;
  return sign === PLUS ? total : -total;
}

/** The fraction of a millisecond that a double can hold in addition to `whole`: a quarter of a microsecond today. */
function truncateFraction(picoseconds: number, whole: number): number {
  let steps = 4096;
  for (let limit = 2 ** 41; Math.abs(whole) >= limit; limit *= 2) steps /= 2;
  return Math.floor((picoseconds * steps) / 1e9) / steps;
}

function endOfDigits(value: string, at: number): number {
  let end = at;
  while (readDigit(value, end) >= 0) end++;
  return end;
}

/** Reads the digits from `at` to `end` as exactly `count` digits, truncated or padded with zeros. */
function readPaddedDigits(value: string, at: number, end: number, count: number): number {
  let number = 0;
  for (let place = at; place < at + count; place++) number = number * 10 + (place < end ? readDigit(value, place) : 0);
  return number;
}

function readTwoDigits(value: string, at: number): number {
  const tens = readDigit(value, at);
  const ones = readDigit(value, at + 1);
  return tens < 0 || ones < 0 ? -1 : tens * 10 + ones;
}

function readDigit(value: string, at: number): number {
  if (at >= value.length) return -1;
  const digit = value.charCodeAt(at) - 48;
  return digit <= 9 ? digit : -1;
}
