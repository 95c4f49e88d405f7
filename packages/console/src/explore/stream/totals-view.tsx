import type { Html } from "../../frame/frame.tsx";
import { renderTerm } from "../../frame/render/parts.tsx";
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
  { what, numbers, units, groups, refused }: NonNullable<Totals["result"]>,
): Html {
  if (refused !== undefined) return <p class="attention">Couldn't calculate totals: {renderText(refused)}.</p>;
  if (units.length > 0)
    return (
      <>
        <p>Amounts are in several units, so each is totalled separately:</p>
        <dl>
          {units.map(({ unit, value, filter }) =>
            renderTerm(
              filter === undefined ? (
                unit
              ) : (
                <a href={getTableUrl({ ...question, filters: [...question.filters, filter] })}>{renderText(unit)}</a>
              ),
              renderText(value),
            ),
          )}
        </dl>
      </>
    );
  return (
    <>
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
