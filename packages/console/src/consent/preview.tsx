import type { AccessChange } from "@pdpp/consent/access";
import type { Preview } from "@pdpp/consent/preview";
import { joinWords } from "../../assets/sentence.js";
import { renderKind } from "../agents/agent-rows.tsx";
import type { Html } from "../frame/frame.tsx";
import { renderTerm } from "../frame/render/parts.tsx";
import { formatSourceAccess } from "../frame/render/sentences.ts";

/** Shows an agent's view, and how it differs from the current one. */

const changeSigns = { added: "+", removed: "−", changed: "≠", unchanged: "=" } as const;
const changeLabels = { added: "Added", removed: "Removed", changed: "Changed", unchanged: "Unchanged" } as const;

export function renderChanges(
  title: string,
  changes: readonly AccessChange[],
  unchanged: readonly string[] = [],
): Html {
  const all = [
    ...changes,
    ...(unchanged.length === 0 || changes.length === 0
      ? []
      : [{ kind: "unchanged" as const, text: joinWords(unchanged) }]),
  ];
  return (
    <>
      <h3>{title}</h3>
      {all.length === 0 ? (
        <p>No changes.</p>
      ) : (
        <ul class="changes">
          {all.map(({ kind, text }) => (
            <li class={kind}>
              <span aria-hidden="true">{changeSigns[kind]}</span>
              <span>
                <strong>{changeLabels[kind]}:</strong> {text}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** One line per source. */
export const renderAccessList = (sources: Preview["access"]): Html => (
  <ul class="access">
    {sources.map((source) => (
      <li>
        <strong>{source.label}</strong>
        {renderKind(source)}: {formatSourceAccess(source)}
      </li>
    ))}
  </ul>
);

export const renderPreview = (preview: Preview, changes: Html | undefined): Html => {
  const { access, samples, cards, firstCall } = preview;
  return (
    <section class="review" id="review" aria-label="Preview">
      <h2>Preview</h2>
      {access.length === 0 ? (
        <p class="attention">Nothing is selected. Choose a source and what it can read.</p>
      ) : (
        renderAccessList(access)
      )}
      {access.length > 0 && changes}
      {samples.map(renderSample)}
      {cards.length > 0 && renderCards(cards)}
      {firstCall !== undefined && (
        <details class="tool-output schema">
          <summary>Schema it would receive</summary>
          <p class="soft">
            The exact result of <code>{"schema {}"}</code>:
          </p>
          <pre dir="auto" tabindex={0}>
            {firstCall}
          </pre>
        </details>
      )}
    </section>
  );
};

const renderSample = ({ question, tool, args, hits, output }: Preview["samples"][number]): Html => (
  <section class="sample">
    <h3>
      <q>{question}</q>
    </h3>
    {hits.length === 0 ? (
      <p class="soft">It would find nothing.</p>
    ) : (
      <ol>
        {hits.map(({ source, title, text }) => (
          <li>
            <strong>
              <bdi>{title}</bdi>
            </strong>{" "}
            <small>{source}</small>
            {text !== "" && <p dir="auto">{text}</p>}
          </li>
        ))}
      </ol>
    )}
    <details class="tool-output">
      <summary>
        Exact tool output<span class="hidden"> for {question}</span>
      </summary>
      <p class="soft">
        <code>
          {tool} {JSON.stringify(args)}
        </code>
      </p>
      <pre dir="auto" tabindex={0}>
        {output}
      </pre>
    </details>
  </section>
);

const renderCards = (cards: Preview["cards"]): Html => (
  <details>
    <summary>Latest record of each kind</summary>
    {cards.map(({ source, title, lines }) => (
      <div class="card">
        <small>{source}</small>
        <div>
          <strong>{title}</strong>
        </div>
        <dl>{lines.map(({ label, value }) => renderTerm(label, value))}</dl>
      </div>
    ))}
  </details>
);
