import { getActivityUrl } from "../activity/activity-page.tsx";
import { formatClient, renderEvent } from "../activity/event.tsx";
import { type Html, renderLetterMark } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { joinHtml } from "../frame/render/parts.tsx";
import { asSentence } from "../frame/render/sentences.ts";
import { renderAgo, renderDay, renderMinute } from "../frame/render/times.tsx";
import { formatCount, formatNumber, renderLabels, renderText } from "../frame/render/values.tsx";
import { getSourceUrl } from "../sources/sources-page.tsx";
import type { AgentReads } from "./agent-reads.ts";
import type { Attention } from "./attention.ts";

/** The most urgent problem on one line, with the rest folded. */
export function renderAttention(attention: readonly Attention[], now: number): Html {
  const [first, ...rest] = attention;
  if (first === undefined) return <></>;
  return (
    <section class="attention" aria-label="Needs attention">
      <p>{renderAttentionLine(first, now)}</p>
      {rest.length > 0 && (
        <details>
          <summary>and {formatNumber(rest.length)} more</summary>
          <ul>
            {rest.map((each) => (
              <li>{renderAttentionLine(each, now)}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function renderAttentionLine(each: Attention, now: number): Html {
  if (each.about === "source")
    return (
      <>
        {renderText(each.label)}: {renderText(asSentence(each.text))}{" "}
        <a href={getSourceUrl(each.id)}>Open the source</a>
      </>
    );
  if (each.about === "grant")
    return (
      <>
        {renderText(each.client)} loses access on {renderDay(each.until)}.{" "}
        <a href={`/agents/${each.id}`}>Review access</a>
      </>
    );
  if (each.about === "import")
    return (
      <>
        {formatCount(each.items, "item")} of {renderLabels(each.labels)} couldn't be imported, {renderAgo(each.at, now)}
        . <a href={`/import/${each.id}#aside`}>See details</a>
      </>
    );
  return (
    <>
      {renderText(formatClient(each.client))} was refused
      {each.times > 1 && <> {formatNumber(each.times)} times</>}, last {renderAgo(each.at, now)}.{" "}
      <a href={getActivityUrl({ kind: "refusal", client: each.client })}>See details</a>
    </>
  );
}

interface ReadsView {
  readonly reads: readonly AgentReads[];
  readonly names: Names;
  readonly steps: { readonly hasAgent: boolean };
}

export function renderAgentReads({ reads, names, steps }: ReadsView): Html {
  return (
    <section aria-labelledby="reads-title">
      <div class="section-head">
        <h2 id="reads-title">What agents read today</h2>
        <a href="/activity">Activity</a>
      </div>
      {reads.length === 0 ? (
        <p class="soft">Nothing so far. {!steps.hasAgent && <a href="/agents">Connect an agent</a>}</p>
      ) : (
        <ul class="agent-reads">
          {reads.map((read) => (
            <li>
              {renderLetterMark(formatClient(read.client), "small")}
              <span>
                <strong>
                  <a href={getActivityUrl({ client: read.client })}>{renderText(formatClient(read.client))}</a>
                </strong>{" "}
                {renderSentence(read, names)}
              </span>
              <span class="when">{renderMinute(read.at)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const sourcesNamed = 2;

function renderSentence({ records, searches, sources, refusal }: AgentReads, names: Names): Html {
  if (refusal !== undefined) return <>{renderEvent(refusal, names)}.</>;
  const searched = searches === 0 ? "" : searches === 1 ? "searched once" : `searched ${formatNumber(searches)} times`;
  if (records === 0) return <>{searched === "" ? "looked at what it can read" : `${searched} and found nothing`}.</>;
  const named = sources.slice(0, sourcesNamed);
  return (
    <>
      {searched !== "" && `${searched} and `}read {formatCount(records, "record")} from{" "}
      {joinHtml(named, named.length === sources.length ? " and " : ", ", (id) => renderText(names.source(id)))}
      {sources.length > named.length && ` and ${formatNumber(sources.length - named.length)} more`}.
    </>
  );
}
