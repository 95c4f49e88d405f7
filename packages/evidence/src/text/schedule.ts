import type { SourceSchedule } from "@pdpp/contract/schedule";

/** When a source is collected, after "collected". */
export function formatSchedule({ mode, interval_seconds, quiet_hours }: SourceSchedule): string {
  if (mode === "manual") return "only by hand";
  const quiet = quiet_hours === undefined ? "" : `, not between ${quiet_hours.from} and ${quiet_hours.to}`;
  return `every ${formatInterval(interval_seconds)}${quiet}`;
}

function formatInterval(seconds: number): string {
  for (const [unit, length] of [
    ["day", 86_400],
    ["hour", 3600],
    ["minute", 60],
  ] as const) {
    const count = seconds / length;
    if (Number.isInteger(count)) return count === 1 ? unit : `${count} ${unit}s`;
  }
  return `${seconds} seconds`;
}
