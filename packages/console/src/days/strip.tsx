import type { Day } from "@pdpp/language/dates/time-span";
import type { Html } from "../frame/frame.tsx";
import { formatCount } from "../frame/render/values.tsx";
import { formatDate, formatLongDay, formatShortMonth } from "./calendar.ts";

/** A bar for each day of a year, each a link to its day. */

export interface Strip {
  readonly days: readonly Day[];
  readonly counts: ReadonlyMap<string, number>;
  readonly isCounting: boolean;
  /** The highlighted day. */
  readonly current: string;
  readonly getUrl: (day: string) => string;
}

const levels = 20;

export function renderStrip({ days, counts, isCounting, current, getUrl }: Strip): Html {
  const bars = days.map((day) => {
    const key = day.toString();
    return { day, key, count: counts.get(key) ?? 0 };
  });
  const most = bars.reduce((top, { count }) => Math.max(top, count), 1);
  const [first, last] = [bars[0], bars.at(-1)];
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  // One bar can be reached with Tab; the script moves between them with the arrow keys.
  const reachable = bars.some(({ key }) => key === current) ? current : last?.key;
  return (
    <nav
      id="strip"
      class="strip"
      aria-label="Days of the year"
      data-strip=""
      data-counting={isCounting ? "" : undefined}
    >
      <p class="hidden">
        {first !== undefined && last !== undefined && `${formatDate(first.day)} to ${formatDate(last.day)}: `}
        {isCounting ? "Counting…" : formatCount(total, "record")}
      </p>
      <div class="bars">
        {bars.map(({ day, key, count }) => {
          const label = `${formatLongDay(day)}${count === 0 ? "" : `: ${formatCount(count, "record")}`}`;
          return (
            <>
              {day.day === 1 && (
                <span class="month" aria-hidden="true">
                  {formatShortMonth(day)}
                </span>
              )}
              <a
                class={`bar-${getLevel(count, most)}`}
                href={getUrl(key)}
                tabindex={key === reachable ? undefined : -1}
                aria-current={key === current ? "date" : undefined}
              >
                <b>{label}</b>
              </a>
            </>
          );
        })}
      </div>
      {isCounting && <p class="soft">Counting…</p>}
    </nav>
  );
}

/** The square root keeps quiet days visible beside a very busy one. */
const getLevel = (count: number, most: number): number =>
  count === 0 ? 0 : Math.max(1, Math.round(Math.sqrt(count / most) * levels));
