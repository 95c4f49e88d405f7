import type { Html } from "../frame.tsx";

/** A bar chart of one series, rendered on the server, with a text alternative. */

interface Bar {
  readonly label: string;
  readonly count: number;
}

interface ChartSize {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

/** `what`: describes the series for screen readers. */
export function renderBars(what: string, all: readonly Bar[], { width, height, gap }: ChartSize): Html {
  const highestBar = all.reduce<Bar | undefined>(
    (top, bar) => (top === undefined || bar.count > top.count ? bar : top),
    undefined,
  );
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const description =
    highestBar === undefined || total === 0
      ? `${what}: none`
      : `${what}: ${total.toLocaleString("en")}, most in ${highestBar.label} (${highestBar.count.toLocaleString("en")})`;
  const step = width / Math.max(1, all.length);
  const maxCount = Math.max(1, highestBar?.count ?? 1);
  const round = (n: number): string => n.toFixed(1);
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={description}
    >
      {all.map(({ label, count }, i) => {
        // A small value still gets a visible bar.
        const tall = count === 0 ? 0 : Math.max(2, (count / maxCount) * height);
        return count === 0 ? (
          <rect class="none" x={round(i * step)} y={height - 1} width={round(step - gap)} height="1"></rect>
        ) : (
          <rect x={round(i * step)} y={round(height - tall)} width={round(step - gap)} height={round(tall)}>
            <title>
              {label}: {count.toLocaleString("en")}
            </title>
          </rect>
        );
      })}
    </svg>
  );
}
