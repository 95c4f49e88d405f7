import type { Html } from "../frame/frame.tsx";
import { formatNumber, renderText } from "../frame/render/values.tsx";

/** A bar chart whose bars are links, with the same values as a table for screen readers. */

export interface LinkedBar {
  readonly label: string;
  readonly count: number;
  /** The formatted value, if it is not a plain count. */
  readonly value?: string;
  readonly href: string | undefined;
}

const maxHeight = 48;

/** `what`: the chart's label. `about`: a prefix for each value, such as "about ". */
export function renderLinkedBars(what: string, bars: readonly LinkedBar[], about = ""): Html {
  const maxCount = bars.reduce((top, { count }) => Math.max(top, Math.abs(count)), 0);
  const [first, last] = [bars[0], bars.at(-1)];
  const formatValue = ({ value, count }: LinkedBar): string => `${about}${value ?? formatNumber(count)}`;
  return (
    <>
      <div class="drawn">
        <ol class="linked-bars" aria-label={what}>
          {bars.map((bar) => {
            const drawn = (
              <>
                {renderBar(bar.count, maxCount)}
                <span class="hidden">
                  {renderText(bar.label)}: {formatValue(bar)}
                </span>
              </>
            );
            const title = `${bar.label.slice(0, 120).toWellFormed()}: ${formatValue(bar)}`;
            return (
              <li title={title}>
                {bar.href === undefined || bar.count === 0 ? drawn : <a href={bar.href}>{drawn}</a>}
              </li>
            );
          })}
        </ol>
        {!(first === undefined || last === undefined || first === last) && (
          <p class="ends soft" aria-hidden="true">
            {renderText(truncate(first.label))} {renderText(truncate(last.label))}
          </p>
        )}
      </div>
      <details class="values">
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{what}</th>
              <th scope="col" class="number">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter(({ count }) => count !== 0)
              .map((bar) => (
                <tr>
                  <th scope="row">
                    {bar.href === undefined ? renderText(bar.label) : <a href={bar.href}>{renderText(bar.label)}</a>}
                  </th>
                  <td class="number">{formatValue(bar)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

const truncate = (label: string): string => (label.length > 24 ? `${label.slice(0, 24).toWellFormed()}…` : label);

function renderBar(count: number, most: number): Html {
  // A small value still gets a visible bar.
  const high = count === 0 ? 1 : Math.max(2, (Math.abs(count) / Math.max(most, Number.MIN_VALUE)) * maxHeight);
  return (
    <svg class="chart" viewBox={`0 0 10 ${maxHeight}`} preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={count === 0 ? "none" : undefined}
        x="0"
        y={(maxHeight - high).toFixed(1)}
        width="10"
        height={high.toFixed(1)}
      ></rect>
    </svg>
  );
}
