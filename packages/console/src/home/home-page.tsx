import { getActivityUrl } from "../activity/activity-page.tsx";
import { formatClient } from "../activity/event.tsx";
import { getStreamUrl, toAbsoluteUrl } from "../frame/addresses.ts";
import { type Html, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderBars } from "../frame/render/chart.tsx";
import { renderTable } from "../frame/render/parts.tsx";
import { formatMonth, renderAgo, renderDay } from "../frame/render/times.tsx";
import { formatBytes, formatCount, formatNumber, renderLabels, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { UnreadItems } from "./unread-items.ts";

/** The vault at a glance: sources, agent activity, and what needs attention. */

export interface HomeSource {
  readonly id: string;
  readonly stream: string | undefined;
  readonly label: string;
  readonly records: number;
  readonly isCounting: boolean;
  /** The times of its oldest and newest record. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** When a record was last stored, and when an export was last imported. */
  readonly stored: number | undefined;
  readonly imported: number | undefined;
  readonly months: readonly { readonly label: string; readonly count: number }[];
}

export interface HomeReader {
  readonly client: string;
  readonly week: { readonly reads: number; readonly records: number };
  readonly month: { readonly reads: number; readonly records: number };
}

export type Attention =
  | { readonly about: "grant"; readonly client: string; readonly id: string; readonly until: number }
  | ({ readonly about: "import" } & UnreadItems)
  | { readonly about: "refusal"; readonly client: string; readonly at: number; readonly times: number };

export interface HomeView {
  readonly sources: readonly HomeSource[];
  readonly readers: readonly HomeReader[];
  readonly days: readonly { readonly label: string; readonly count: number }[];
  readonly attention: readonly Attention[];
  readonly bytes: number;
  readonly viewer: Viewer;
  readonly now: number;
}

export function renderHomePage(view: HomeView): Html {
  const { sources, viewer } = view;
  const total = sources.reduce((sum, { records }) => sum + records, 0);
  return renderPage(
    "Home",
    <>
      <h1>Your vault</h1>
      {total === 0 && sources.length === 0 ? (
        renderGettingStarted()
      ) : (
        <>
          <p class="soft">{renderSummary(view, total)}</p>
          {renderAttention(view)}
          {renderSources(view)}
          <p class="bring">
            <a href="/import">Import data</a> from mail, calendar, chats, photos, notes or Google Takeout
          </p>
        </>
      )}
      {renderAgentActivity(view)}
    </>,
    {
      owner: { room: "/", viewer },
      isWide: true,
      ...(sources.some(({ isCounting }) => isCounting) ? { scripts: ["/assets/reload.js"], refreshSeconds: 2 } : {}),
    },
  );
}

function renderSummary({ sources, bytes }: HomeView, total: number): Html {
  const times = sources.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [from, to]));
  const years =
    times.length === 0 ? (
      ""
    ) : (
      <>
        , {new Date(Math.min(...times)).getUTCFullYear()} to {new Date(Math.max(...times)).getUTCFullYear()}
      </>
    );
  return (
    <>
      {formatCount(total, "record")} from {sources.length === 1 ? "one source" : `${sources.length} sources`}
      {years} · {formatBytes(bytes)}
    </>
  );
}

const renderGettingStarted = (): Html => (
  <>
    <p>Your vault is empty. Two ways to start:</p>
    <div class="two">
      <section class="card">
        <h2>Import data</h2>
        <p>An export of your mail, calendar, chats, photos or notes.</p>
        <p>
          <a class="button yes" href="/import">
            Import data
          </a>
        </p>
        <p class="soft">
          You review it before anything is saved. If the files are on the vault's computer, you can also run{" "}
          <code>npx pdpp import FILE</code>.
        </p>
      </section>
      <section class="card">
        <h2>Try the demo</h2>
        <p>A fictional household with mail, chats, a calendar and purchases, in a separate vault:</p>
        <p>
          <code class="copy">npx pdpp serve --demo</code>
        </p>
        <p class="soft">It doesn't touch your own vault.</p>
      </section>
    </div>
  </>
);

function renderAttention({ attention, now }: HomeView): Html {
  if (attention.length === 0) return <></>;
  return (
    <section class="attention" aria-label="Needs attention">
      <ul>
        {attention.map((each) => {
          if (each.about === "grant")
            return (
              <li>
                {renderText(each.client)} loses access on {renderDay(each.until)}.{" "}
                <a href={`/agents/${each.id}`}>Review access</a>
              </li>
            );
          if (each.about === "import")
            return (
              <li>
                {formatCount(each.items, "item")} of {renderLabels(each.labels)} couldn't be imported,{" "}
                {renderAgo(each.at, now)}. <a href={`/import/${each.id}#aside`}>See details</a>
              </li>
            );
          return (
            <li>
              {renderText(formatClient(each.client))} was refused
              {each.times > 1 && <> {formatNumber(each.times)} times</>}, last {renderAgo(each.at, now)}.{" "}
              <a href={getActivityUrl({ kind: "refusal", client: each.client })}>See details</a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function renderSources({ sources, now }: HomeView): Html {
  const renderRow = ({ id, stream, label, records, isCounting, from, to, stored, imported, months }: HomeSource) => (
    <tr>
      <th scope="row">
        <span class="named">
          {renderLetterMark(label)}
          {stream === undefined ? (
            renderText(label)
          ) : (
            <a href={toAbsoluteUrl(getStreamUrl(id, stream))}>{renderText(label)}</a>
          )}
        </span>
      </th>
      <td class="bars">
        {isCounting ? (
          <span class="soft">Counting…</span>
        ) : months.length === 0 ? (
          ""
        ) : (
          renderBars(`${label.slice(0, 80).toWellFormed()}: records per month, last two years`, months, {
            width: 168,
            height: 28,
            gap: 1.5,
          })
        )}
      </td>
      <td class="number" data-label="Records">
        {formatNumber(records)}
      </td>
      <td data-label="Period">
        {!(from === undefined || to === undefined) && (
          <>
            {formatMonth(from)} – {formatMonth(to)}
          </>
        )}
      </td>
      <td data-label="Updated">
        {stored === undefined ? <span class="soft">Never</span> : renderAgo(stored, now)}
        {imported !== undefined && <small class="beneath">imported {renderAgo(imported, now)}</small>}
      </td>
    </tr>
  );
  const isCounting = sources.some((source) => source.isCounting);
  return (
    <div id="sources" data-counting={isCounting ? "" : undefined}>
      {renderTable(
        {
          label: "Sources",
          className: "sources",
          columns: ["Source", "Records per month, last two years", { number: "Records" }, "Period", "Last updated"],
        },
        <tbody>{sources.map(renderRow)}</tbody>,
      )}
    </div>
  );
}

function renderAgentActivity({ readers, days }: HomeView): Html {
  if (readers.length === 0)
    return (
      <>
        <h2>Agent activity</h2>
        <p>
          No reads in the last 30 days. <a href="/agents">Connect an agent</a>
        </p>
      </>
    );
  const renderCells = ({ reads, records }: HomeReader["week"]) => (
    <>
      <td class="number">{formatNumber(reads)}</td>
      <td class="number">{formatNumber(records)}</td>
    </>
  );
  return (
    <>
      <h2>Agent activity, last 30 days</h2>
      <p>{renderBars("Records read by agents per day, last 30 days", days, { width: 480, height: 64, gap: 3 })}</p>
      <p class="ends soft">
        <span>{days[0]?.label ?? ""}</span>
        <span>Today</span>
      </p>
      {renderTable(
        {
          label: "Agent activity",
          className: "readers",
          columns: [
            "Agent",
            { number: "Reads, 7 days" },
            { number: "Records" },
            { number: "Reads, 30 days" },
            { number: "Records" },
          ],
        },
        <tbody>
          {readers.map((reader) => (
            <tr>
              <th scope="row">
                <a href={getActivityUrl({ client: reader.client })}>{renderText(reader.client)}</a>
              </th>
              {renderCells(reader.week)}
              {renderCells(reader.month)}
            </tr>
          ))}
        </tbody>,
      )}
    </>
  );
}
