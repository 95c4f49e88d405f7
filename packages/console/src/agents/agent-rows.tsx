import type { SourceAccess } from "@pdpp/consent/access";
import type { Agent } from "@pdpp/consent/agents";
import { getImpersonationPath } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark } from "../frame/frame.tsx";
import { formatSourceAccess } from "../frame/render/sentences.ts";
import { renderAgo, renderDay, renderMinute } from "../frame/render/times.tsx";
import { formatCount, renderName } from "../frame/render/values.tsx";
import type { PendingRequest } from "../frame/session.ts";
import type { Viewer } from "../frame/viewer.ts";

/** One row for each agent, and one for each that is asking. */

export interface PageContext {
  readonly viewer: Viewer;
  readonly now: number;
}

/** Records read since midnight, in the owner's time zone. */
export type ReadToday = (agent: Agent) => number;

export const renderPendingRow = (
  { uid, client, at, isSpecific, recipient }: PendingRequest,
  { viewer, now }: PageContext,
): Html => (
  <li class="asking">
    {renderLetterMark(client)}
    <div class="about">
      <h3>{renderName(client)} is asking for access</h3>
      <p>
        {isSpecific ? "You choose what it can read." : "It didn't ask for anything specific."} Nothing is shared until
        you decide.
      </p>
      <p>
        Asked {renderAgo(at, now)}. {recipient}
      </p>
    </div>
    <div class="acts">
      <form method="post" action={`/consent/${uid}`}>
        {renderCsrfField(viewer)}
        <button name="act" value="deny">
          Decline<span class="hidden"> {renderName(client)}</span>
        </button>
      </form>
      <a class="button yes" href={`/consent/${uid}`}>
        Review request
      </a>
    </div>
  </li>
);

export const renderAgentRow = (agent: Agent, shown: PageContext, readToday: ReadToday): Html => (
  <li>
    {renderLetterMark(agent.client)}
    <div class="about">
      <h3>
        <bdi>
          <a href={`/agents/${agent.id}`}>{agent.client}</a>
        </bdi>
      </h3>
      <p>{renderAccessSummary(agent.access)}</p>
      <p class="soft">
        {renderReads(agent, readToday(agent), shown.now)} {renderEnd(agent)}
      </p>
    </div>
    <div class="acts">
      <a class="button" href={`${getImpersonationPath(agent.id)}/explore`}>
        See what it sees<span class="hidden">: {agent.client}</span>
      </a>
      <a class="button" href={`/agents/${agent.id}/narrow`}>
        Reduce access<span class="hidden"> of {agent.client}</span>
      </a>
      {renderRevokeForm(agent, shown)}
    </div>
  </li>
);

export const renderEndedRow = (agent: Agent, { now }: PageContext): Html => (
  <li>
    {renderLetterMark(agent.client)}
    <div class="about">
      <h3>
        <bdi>
          <a href={`/agents/${agent.id}`}>{agent.client}</a>
        </bdi>
      </h3>
      <p>{renderAccessSummary(agent.access)}</p>
      <p class="soft">{renderTimes(agent, now)}</p>
    </div>
  </li>
);

function renderReads({ lastRead }: Agent, today: number, now: number): Html {
  if (lastRead === "never") return <>Never used.</>;
  if (lastRead === "not lately") return <>Not used recently.</>;
  return today === 0 ? (
    <>Nothing read today, last used {renderAgo(lastRead, now)}.</>
  ) : (
    <>
      Read {formatCount(today, "record")} today, last at {renderMinute(lastRead)}.
    </>
  );
}

const renderEnd = ({ since, until }: Agent): Html => (
  <>
    Since {renderDay(since)}, until {until === undefined ? "you revoke it" : renderDay(until)}.
  </>
);

export const renderKind = ({ kindLabel }: SourceAccess): Html | string =>
  kindLabel === undefined ? (
    ""
  ) : (
    <>
      {" "}
      <span class="soft">{kindLabel}</span>
    </>
  );

const maxSources = 3;

/** Sources that it can read completely are listed on one line, the others on a line each. */
function renderAccessSummary(sources: readonly SourceAccess[]): Html {
  const complete = sources.filter(({ isComplete }) => isComplete);
  const partial = sources.filter(({ isComplete }) => !isComplete);
  const rest = partial.length - maxSources;
  return (
    <>
      {complete.length > 0 && <span class="source">{complete.map(({ label }) => label).join(", ")}</span>}
      {partial.slice(0, maxSources).map((source) => (
        <span class="source">
          {source.label}
          {renderKind(source)}: {formatSourceAccess(source)}
        </span>
      ))}
      {rest > 0 && <span class="source soft">and {rest} more</span>}
    </>
  );
}

export function renderTimes(agent: Agent, now: number): Html {
  const { status, since, until, endedAt } = agent;
  const end =
    status === "active" ? (
      until === undefined ? (
        <>until you revoke it</>
      ) : (
        <>until {renderDay(until)}</>
      )
    ) : (
      <>
        {status} {renderAgo(endedAt, now)}
      </>
    );
  return (
    <>
      Since {renderDay(since)}, {end} · {renderLastUsed(agent, now)}
    </>
  );
}

function renderLastUsed({ lastRead }: Agent, now: number): Html {
  if (lastRead === "never") return <>never used</>;
  return lastRead === "not lately" ? <>not used recently</> : <>last used {renderAgo(lastRead, now)}</>;
}

export const renderRevokeForm = ({ id, client }: Agent, { viewer }: PageContext): Html => (
  <form method="post" action={`/agents/${id}/revoke`}>
    {renderCsrfField(viewer)}
    <button class="danger">
      Revoke<span class="hidden"> {renderName(client)}</span>
    </button>
  </form>
);
