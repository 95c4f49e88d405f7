import type { SourceAccess, StreamAccess } from "@pdpp/consent/access";
import type { Agent } from "@pdpp/consent/agents";
import { describePurpose } from "@pdpp/consent/purpose";
import { parseInstant } from "@pdpp/contract/instant";
import type { AccessDocument } from "@pdpp/contract/owner";
import { renderPhrase } from "../activity/request-phrase.tsx";
import { getImpersonationPath } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderBars } from "../frame/render/chart.tsx";
import { renderAlert, renderBackLink, renderDone, renderTable, renderTerm } from "../frame/render/parts.tsx";
import { asSentence, formatSourceAccess } from "../frame/render/sentences.ts";
import { renderAgo, renderDay } from "../frame/render/times.tsx";
import { formatCount, formatNumber, renderName, renderText } from "../frame/render/values.tsx";
import { type PageContext, renderKind, renderRevokeForm, renderTimes } from "./agent-rows.tsx";
import { buildPageOptions } from "./agents-page.tsx";
import type { Exclusion } from "./exclusions.ts";
import { type Revoked, renderUndoToast } from "./undo-toast.tsx";

/** One agent: what it can read, what it has read, and the owner's controls. */

export interface AgentView extends PageContext {
  readonly agent: Agent;
  readonly leftOut: readonly Exclusion[];
  readonly ids: readonly { readonly label: string; readonly value: string }[];
  /** Records per day, oldest first. */
  readonly days: readonly { readonly label: string; readonly count: number }[];
  /** Set when the log was too long to count from the first day shown. */
  readonly countedFrom: number | undefined;
  readonly recent: readonly AccessDocument[];
  readonly records: Html;
  readonly names: Names;
  /** Confirms the last action. */
  readonly done: string | undefined;
  readonly alert: string | undefined;
  /** A source that was just removed. */
  readonly revoked: Revoked | undefined;
}

export function renderAgentPage(view: AgentView): Html {
  const { agent, now } = view;
  const isActive = agent.status === "active";
  return renderPage(
    agent.client,
    <>
      {renderBackLink("/agents", "Agents")}
      <div class="title">
        {renderLetterMark(agent.client)}
        <h1>{renderText(agent.client)}</h1>
      </div>
      {view.revoked !== undefined && renderUndoToast(view.revoked, view)}
      {renderDone(view.done)}
      {renderAlert(view.alert)}
      {agent.purpose !== undefined && (
        <p>
          Stated purpose: <q>{renderName(agent.purpose, 1000)}</q>
        </p>
      )}
      {agent.purposeCodes.map((code) => (
        <p>Declared purpose: {describePurpose(code) ?? <code>{code}</code>}</p>
      ))}
      <p class="soft">
        {renderTimes(agent, now)}
        {agent.narrowedAt !== undefined && <> · reduced {renderAgo(agent.narrowedAt, now)}</>}
      </p>
      {isActive && renderActions(view)}
      {renderRecentActivity(view)}
      {view.records}
      <h2>{isActive ? "What it can read" : "What it could read"}</h2>
      {agent.access.length > 1 && (
        <p class="soft">Access to {agent.access.length} sources. You can remove each one separately.</p>
      )}
      {agent.access.map((source) =>
        renderSource(source, isActive && agent.access.length > 1 ? renderRemoveSource(view, source) : <></>),
      )}
      <details>
        <summary>{isActive ? "What it can't read" : "What it couldn't read"}</summary>
        <dl class="left-out">
          {view.leftOut.map(({ label: of, lines: what }) =>
            renderTerm(
              of,
              what.map((line) => <span class="source">{line}</span>),
            ),
          )}
        </dl>
      </details>
      <p class="soft">Access is read-only.</p>
      {isActive && renderTestForm(view)}
      <details>
        <summary>Technical details</summary>
        <dl>
          {view.ids.map(({ label, value }) => (
            <>
              <dt>{label}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </>
          ))}
        </dl>
      </details>
    </>,
    { ...buildPageOptions(view), scripts: ["/assets/agents.js"] },
  );
}

const renderActions = (view: AgentView): Html => (
  <>
    <div class="buttons">
      <a class="button" href={`${getImpersonationPath(view.agent.id)}/explore`}>
        See what it sees
      </a>{" "}
      <a class="button" href={`/agents/${view.agent.id}/narrow`}>
        Reduce access
      </a>{" "}
      {renderRevokeForm(view.agent, view)}
    </div>
    <p class="soft">Revoking takes effect at once. Data it has already read can't be taken back.</p>
  </>
);

const renderTestForm = (view: AgentView): Html => (
  <>
    <h2>Test its tools</h2>
    <form class="line" action={`/agents/${view.agent.id}/try`}>
      <label>
        Search for <input type="text" name="q" maxlength={2000} autocomplete="off" />
      </label>
      <button>Run</button>
    </form>
    <p class="soft">Shows exactly what its tools return for the schema and for this search.</p>
  </>
);

/** A grant for several sources cannot be revoked for one of them, only reduced. */
const renderRemoveSource = ({ agent, viewer }: AgentView, { grantId, isAlone, label }: SourceAccess): Html =>
  isAlone ? (
    <form method="post" action={`/agents/${agent.id}/parts/${grantId}/revoke`}>
      {renderCsrfField(viewer)}
      <button class="danger">
        Remove this source<span class="hidden">: {label}</span>
      </button>
    </form>
  ) : (
    <a class="button" href={`/agents/${agent.id}/narrow`}>
      Reduce access<span class="hidden"> to {label}</span>
    </a>
  );

const renderSource = (source: SourceAccess, more: Html): Html => (
  <section class="card access">
    <h3>
      {source.label}
      {renderKind(source)}
    </h3>
    <p class="reads">{asSentence(formatSourceAccess(source))}</p>
    {source.streams.flatMap((stream) =>
      formatLimits(stream).map((text) => (
        <p class="reads">
          Only {text}
          {source.streams.length === 1 ? "" : ` (${stream.label})`}.
        </p>
      )),
    )}
    <details>
      <summary>Fields</summary>
      {source.streams.map((stream) => (
        <>
          {source.streams.length !== 1 && <h4>{stream.label}</h4>}
          <dl>{stream.groups.map(({ label: part, fields }) => renderTerm(part, fields.join(", ")))}</dl>
        </>
      ))}
    </details>
    {more}
  </section>
);

const formatLimits = ({ since, until, records }: StreamAccess): string[] => [
  ...(since === undefined ? [] : [`since ${since}`]),
  ...(until === undefined ? [] : [`before ${until}`]),
  ...(records === undefined ? [] : [`${records === 1 ? "one specific record" : `${records} specific records`}`]),
];

function renderRecentActivity({ days, countedFrom, recent, names, now }: AgentView): Html {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <h2>Recent activity</h2>
      {total !== 0 && (
        <>
          <p>
            {formatCount(total, "record")} in the last 30 days
            {countedFrom !== undefined && <>, counted since {renderDay(countedFrom)}</>}
          </p>
          <p>{renderBars("Records read per day, last 30 days", days, { width: 480, height: 64, gap: 3 })}</p>
          <p class="ends soft">
            <span>{days[0]?.label ?? ""}</span>
            <span>Today</span>
          </p>
        </>
      )}
      {recent.length === 0 ? <p class="soft">No activity yet.</p> : renderReads(recent, names, now)}
    </>
  );
}

const renderReads = (reads: readonly AccessDocument[], names: Names, now: number): Html =>
  renderTable(
    { label: "Recent reads", className: "reads", columns: ["When", "Action", "Data", { number: "Records" }] },
    <tbody>
      {reads.map((entry) => {
        const {
          at,
          stream,
          connection_ids: [source = ""],
          records,
        } = entry;
        return (
          <tr>
            <td>{renderAgo(parseInstant(at) ?? now, now)}</td>
            <td>
              <a href={`/activity/${entry.entry}`}>{renderPhrase(entry, names)}</a>
            </td>
            <td>{stream !== null && renderText(names.stream(source, stream))}</td>
            <td class="number">{formatNumber(records)}</td>
          </tr>
        );
      })}
    </tbody>,
  );
