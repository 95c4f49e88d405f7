import { type Html, renderCsrfField, renderLetterMark } from "../../frame/frame.tsx";
import { renderBars } from "../../frame/render/chart.tsx";
import { joinHtml } from "../../frame/render/parts.tsx";
import { formatMonth } from "../../frame/render/times.tsx";
import { formatCount, formatNumber, renderText } from "../../frame/render/values.tsx";
import { listMonths } from "./days.tsx";
import { getFirstName, type PersonPageView } from "./person-view.ts";

/** Counts by source, what the person is known as, and who can read People. */

const months = 13;

export function renderPersonRail(view: PersonPageView): Html {
  return (
    <aside class="rail">
      <h2>By source</h2>
      {renderSources(view)}
      <h2>Known as</h2>
      {renderIdentities(view)}
      {view.impersonatedGrant === undefined && (
        <>
          <h2>Shared with</h2>
          {renderShared(view.shared)}
        </>
      )}
    </aside>
  );
}

function renderSources({ person, names, today }: PersonPageView): Html {
  const all = listMonths(today, months);
  return (
    <table class="person-sources">
      <tbody>
        {person.sources.map(({ connection_id, stream, things, months: counts }) => {
          const source = names.source(connection_id);
          const isSeveral = person.sources.filter((each) => each.connection_id === connection_id).length > 1;
          const bars = all.map((month) => ({
            label: formatMonth(Date.parse(`${month}-01`)),
            count: counts[month] ?? 0,
          }));
          return (
            <tr>
              <th scope="row">
                {renderLetterMark(names.mark(connection_id), "small")} {renderText(source)}
                {isSeveral && <span class="soft">, {renderText(names.stream(connection_id, stream))}</span>}
              </th>
              <td>
                {bars.some(({ count }) => count > 0) &&
                  renderBars(`${source} by month`, bars, { width: 56, height: 16, gap: 1 })}
              </td>
              <td class="number">{formatNumber(things)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function renderIdentities({ person, names, viewer, impersonatedGrant }: PersonPageView): Html {
  const canSplit = impersonatedGrant === undefined && person.identities.length > 1;
  return (
    <ul class="identities">
      {person.identities.map(({ identity, value, kind, things, cards, connection_ids }) => (
        <li>
          <span>
            {kind === "name" ? <>“{renderText(value)}”</> : renderText(value)}
            <span class="soft">
              {formatCount(things, "thing")}
              {cards > 0 && ", in your contacts"}
              {cards === 0 && connection_ids.length > 0 && (
                <>
                  ,{" "}
                  {renderText(
                    connection_ids
                      .map((id) => names.source(id))
                      .join(", ")
                      .slice(0, 80),
                  )}
                </>
              )}
            </span>
          </span>
          {canSplit && (
            <form method="post" action="/person/split">
              {renderCsrfField(viewer)}
              <input type="hidden" name="id" value={person.handle} />
              <input type="hidden" name="identity" value={identity} />
              <button class="plain">
                Not {renderText(getFirstName(person.display_name))}
                <span class="hidden">: {renderText(value)}</span>
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
  );
}

function renderShared(shared: PersonPageView["shared"]): Html {
  if (shared.length === 0) return <p class="soft">No agent can read People. It is shared only if you say so.</p>;
  return (
    <p class="soft">
      {joinHtml(shared, ", ", ({ id, client }) => (
        <a href={`/agents/${encodeURIComponent(id)}`}>{renderText(client)}</a>
      ))}{" "}
      can read People. It summarizes all your sources.
    </p>
  );
}
