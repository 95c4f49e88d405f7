import type { Html } from "../../frame/frame.tsx";
import { renderText } from "../../frame/render/values.tsx";
import { renderLinkedBars } from "../linked-bars.tsx";
import { renderHiddenFields } from "./table-forms.tsx";
import { getTableUrl, type TableQuestion } from "./table-question.ts";
import type { TotalChoice } from "./total-choices.ts";
import type { Totals } from "./totals.ts";

/** The form for totals, and their result. */
export function renderTotals(question: TableQuestion, totals: Totals | undefined): Html {
  if (totals === undefined) return <></>;
  const { whats, bys, result } = totals;
  const renderOptions = (all: readonly TotalChoice[], chosen: string | undefined) =>
    all.map(({ value, label }) => (
      <option value={value} selected={value === chosen}>
        {label}
      </option>
    ));
  return (
    <details open={result !== undefined}>
      <summary>Totals</summary>
      <form class="line" action="stream">
        {renderHiddenFields(question, "total")}{" "}
        <label>
          Total <select name="total">{renderOptions(whats, question.total)}</select>
        </label>{" "}
        {bys.length > 0 && (
          <label>
            Group by{" "}
            <select name="by">
              <option value="">No grouping</option>
              {renderOptions(bys, question.by ?? (result === undefined ? bys[0]?.value : undefined))}
            </select>
          </label>
        )}
        <button>Show</button>
      </form>
      {result !== undefined && renderResult(question, result)}
    </details>
  );
}

function renderResult(
  question: TableQuestion,
  { what, numbers, units, shownUnit, isMoney, groups, refused }: NonNullable<Totals["result"]>,
): Html {
  if (refused !== undefined) return <p class="attention">Couldn't calculate totals: {renderText(refused)}.</p>;
  return (
    <>
      {units.length > 0 && (
        <>
          <p>
            Amounts are in several {isMoney ? "currencies" : "units"}.
            {shownUnit !== undefined && <> Showing {renderText(shownUnit)}.</>}
          </p>
          <nav class="tabs" aria-label={isMoney ? "Currencies" : "Units"}>
            {units.map(({ unit, value, filter }) =>
              filter === undefined ? (
                <span class="soft">{renderText(value)} without a unit</span>
              ) : (
                <a
                  href={getTableUrl({ ...question, filters: [...question.filters, filter] })}
                  aria-current={unit === shownUnit ? "true" : undefined}
                >
                  {renderText(value)}
                </a>
              ),
            )}
          </nav>
        </>
      )}
      {numbers.length > 0 && (
        <p class="numbers">
          {numbers.map(({ label, value }) => (
            <>
              <span>
                {label} <strong>{renderText(value)}</strong>
              </span>{" "}
            </>
          ))}
        </p>
      )}
      {groups !== undefined &&
        (groups.bars.length === 0 ? (
          <p>No data to chart.</p>
        ) : (
          <div class="over-time">
            {renderLinkedBars(what, groups.bars)}
            {groups.note !== undefined && <p class="soft">{groups.note}</p>}
          </div>
        ))}
    </>
  );
}
