import type { EvidenceCard } from "@pdpp/contract/wire";
import { type LinkedBar, renderLinkedBars } from "../../explore/linked-bars.tsx";
import { listFields } from "../../explore/record/record.ts";
import { type Filter, getTableUrl, type TableQuestion } from "../../explore/stream/table-question.ts";
import { getStreamUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { formatMoney, renderAmount } from "../../frame/render/money.tsx";
import { formatCount, formatNumber, renderRecordTime, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { addMonths, formatMonthName } from "../calendar/days.ts";
import { getOpenUrl } from "../kind-views.ts";
import { filterMonths, findPayee, type Money, type MoneyStream, type Sums } from "./load-money.ts";
import { getMoneyUrl, type MoneyQuestion, monthsShown } from "./money-question.ts";

export interface MoneyView {
  readonly question: MoneyQuestion;
  readonly stream: MoneyStream | undefined;
  readonly streams: readonly MoneyStream[];
  readonly money: Money | undefined;
  readonly zone: string;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

const sideNames = { in: "In", out: "Out" } as const;
const nameSide = ({ side }: Sums): string => (side === undefined ? "Total" : sideNames[side]);

export function renderMoneyPage(view: MoneyView): Html {
  const { stream, money } = view;
  const body = (
    <>
      <h1>Money</h1>
      {renderStreamChoices(view)}
      {stream === undefined || money === undefined ? renderNothing(view) : renderStream(view, stream, money)}
    </>
  );
  return renderPage("Money", body, {
    owner: { room: "/money", viewer: view.viewer, impersonatedGrant: view.impersonatedGrant },
    isWide: true,
    timeZone: view.zone,
  });
}

const renderNothing = ({ streams, impersonatedGrant }: MoneyView): Html => (
  <p>
    {streams.length > 0
      ? "No transactions yet."
      : impersonatedGrant !== undefined
        ? "This access includes no transactions with their amounts."
        : "No source has transactions. "}
    {streams.length === 0 && impersonatedGrant === undefined && <a href="/import">Import a bank account</a>}
  </p>
);

function renderStream(view: MoneyView, stream: MoneyStream, money: Money): Html {
  const { months, currency, sums, cards } = money;
  const [first = "", last = ""] = [months[0], months.at(-1)];
  const net = sums.reduce((sum, { total }) => sum + total, 0);
  return (
    <>
      <p class="soft">
        What went in and out of {renderText(view.names.source(stream.source))}, by month and payee. Choose a month or a
        payee to see its transactions, or open{" "}
        <a href={getStreamUrl(stream.source, stream.declaration.name)}>all of them</a>.
      </p>
      {renderSpan(view.question, first, last)}
      {money.earlier !== undefined && (
        <p class="neighbours">
          <a href={getMoneyUrl({ ...view.question, until: money.earlier, currency: undefined })}>
            Earlier transactions: {formatMonthName(`${money.earlier}-01`)}
          </a>
        </p>
      )}
      {renderCurrencies(view, money)}
      <p class="numbers">
        {sums.map((side) => (
          <span>
            {nameSide(side)} <strong>{renderAmount(side.total, currency)}</strong>
          </span>
        ))}
        {sums.length > 1 && (
          <span>
            Difference <strong>{renderAmount(net, currency)}</strong>
          </span>
        )}
      </p>
      {sums.filter(({ total }) => total !== 0).map((side) => renderSide(view, stream, money, side))}
      <h2>Transactions</h2>
      {cards.length === 0 ? <p>No transactions in these months.</p> : renderTransactions(view, stream, money)}
    </>
  );
}

function renderSpan(question: MoneyQuestion, first: string, last: string): Html {
  return (
    <div class="calendar-head">
      <p>
        {formatMonthName(`${first}-01`)} to {formatMonthName(`${last}-01`)}
      </p>
      <nav class="date-steps" aria-label="Dates">
        <a rel="prev" href={getMoneyUrl({ ...question, until: addMonths(last, -monthsShown) })}>
          <span aria-hidden="true">←</span> <span class="hidden">Earlier</span>
        </a>
        <a href={getMoneyUrl({ ...question, until: undefined })}>Newest</a>
        <a rel="next" href={getMoneyUrl({ ...question, until: addMonths(last, monthsShown) })}>
          <span aria-hidden="true">→</span> <span class="hidden">Later</span>
        </a>
      </nav>
    </div>
  );
}

function renderStreamChoices({ question, stream: shown, streams, names }: MoneyView): Html {
  if (streams.length < 2) return <></>;
  return (
    <nav class="tabs" aria-label="Accounts and shops">
      {streams.map((each) => {
        const { source, declaration } = each;
        return (
          <a
            href={getMoneyUrl({ ...question, source, stream: declaration.name, currency: undefined, until: undefined })}
            aria-current={each === shown ? "true" : undefined}
          >
            {renderText(names.place(source, declaration.name))}
          </a>
        );
      })}
    </nav>
  );
}

/** Says which of several currencies is shown, and offers the others. */
function renderCurrencies({ question }: MoneyView, { currencies, currency, withoutCurrency }: Money): Html {
  return (
    <>
      {currencies.length > 1 && (
        <>
          <p>
            Amounts are in several currencies. Showing <strong>{renderText(currency ?? "")}</strong>.
          </p>
          <nav class="tabs" aria-label="Currencies">
            {currencies.map(({ unit, count }) => (
              <a
                href={getMoneyUrl({ ...question, currency: unit })}
                aria-current={unit === currency ? "true" : undefined}
              >
                {renderText(unit)} <span class="soft">{formatNumber(count)}</span>
              </a>
            ))}
          </nav>
        </>
      )}
      {withoutCurrency > 0 && (
        <p class="soft">{formatCount(withoutCurrency, "transaction")} without a currency not included.</p>
      )}
    </>
  );
}

const buildTableQuestion = (
  { source, declaration, amount, time }: MoneyStream,
  { currency }: Money,
  { gte, lt }: { readonly gte: string; readonly lt: string },
  more: readonly Filter[],
): TableQuestion => ({
  source,
  stream: declaration.name,
  order: undefined,
  columns: [],
  isDefault: true,
  filters: [
    { field: time.name, operator: "gte", value: gte },
    { field: time.name, operator: "lt", value: lt },
    ...(currency === undefined || amount.unitField === undefined
      ? []
      : [{ field: amount.unitField, operator: "is" as const, value: currency }]),
    ...more,
  ],
  total: undefined,
  by: undefined,
});

function renderSide({ zone }: MoneyView, stream: MoneyStream, money: Money, sums: Sums): Html {
  const { amount, declaration } = stream;
  const { months, currency } = money;
  const bySign: readonly Filter[] =
    sums.side === undefined ? [] : [{ field: amount.name, operator: sums.side === "out" ? "lt" : "gte", value: "0" }];
  const getUrl = (since: string, until: string, more: readonly Filter[] = []): string =>
    getTableUrl(buildTableQuestion(stream, money, filterMonths(stream, since, until, zone), [...bySign, ...more]));
  const bars = months.map((month): LinkedBar => {
    const sum = sums.months.get(month) ?? 0;
    return {
      label: formatMonthName(`${month}-01`),
      count: sum,
      value: formatMoney(sum, currency),
      href: getUrl(month, month),
    };
  });
  const payee = findPayee(declaration);
  const [first = "", last = ""] = [months[0], months.at(-1)];
  const name = nameSide(sums);
  return (
    <section class="money-side">
      <h2>{name} by month</h2>
      <div class="over-time">{renderLinkedBars(`${name} by month`, bars)}</div>
      {payee !== undefined && sums.payees.length > 0 && (
        <>
          <h3>{name === "In" ? "In by payer" : `${name} by payee`}</h3>
          <ol class="payees">
            {sums.payees.map((each) => (
              <li>
                <a href={getUrl(first, last, [{ field: payee, operator: "is", value: each.name }])}>
                  {renderText(each.name)}
                </a>
                <span class="soft">{formatCount(each.count, "transaction")}</span>
                <span class="amount">{renderAmount(each.sum, currency)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function renderTransactions({ names, zone }: MoneyView, stream: MoneyStream, money: Money): Html {
  const [first = "", last = ""] = [money.months[0], money.months.at(-1)];
  const all = getTableUrl(buildTableQuestion(stream, money, filterMonths(stream, first, last, zone), []));
  return (
    <>
      <ol class="transactions">
        {money.cards.map((card) => (
          <li>
            <span class="soft">{renderRecordTime(card)}</span>
            <a href={getOpenUrl(names, card)}>{renderText(card.title)}</a>
            <span class="amount">{renderCardAmount(card, stream, money.currency)}</span>
          </li>
        ))}
      </ol>
      {money.hasMore && (
        <p class="pages">
          <a href={all}>All transactions of these months</a>
        </p>
      )}
    </>
  );
}

function renderCardAmount(card: EvidenceCard, { amount }: MoneyStream, currency: string | undefined): Html {
  const field = listFields(card).find(({ field_path }) => field_path === amount.name);
  return field?.shown === "inline" && typeof field.value === "number" ? renderAmount(field.value, currency) : <></>;
}
