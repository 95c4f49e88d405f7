import type { EvidenceCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import { toAbsoluteUrl } from "../../frame/addresses.ts";
import { type Html, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderBars } from "../../frame/render/chart.tsx";
import { writeTitle } from "../../frame/render/own-titles.ts";
import { renderBackLink } from "../../frame/render/parts.tsx";
import { formatMonth } from "../../frame/render/times.tsx";
import { formatCount, formatNumber, renderRecordTime, renderText } from "../../frame/render/values.tsx";
import { getOpenUrl } from "../kind-views.ts";
import { getDay, listMonths, renderContactDay } from "./days.tsx";
import { renderAnswers, renderDecided } from "./decision-forms.tsx";
import { mentionsTab } from "./load-person.ts";
import { getPersonUrl } from "./person-data.ts";
import { renderPersonRail } from "./person-rail.tsx";
import { getFirstName, type PersonPageView } from "./person-view.ts";

/** Everything with one person, newest first. */

const months = 13;

export function renderPersonPage(view: PersonPageView): Html {
  const { person, viewer, impersonatedGrant } = view;
  const isOwner = impersonatedGrant === undefined;
  return renderPage(
    person.display_name.slice(0, 80),
    <div class="person">
      {renderBackLink("people", "People")}
      <div class="person-head">
        {renderLetterMark(person.display_name)}
        <div>
          <h1>{renderText(person.display_name)}</h1>
          {person.known_as !== "" && <p class="soft">{renderText(person.known_as.slice(0, 200))}</p>}
        </div>
        {isOwner && (
          <a class="button" href={toAbsoluteUrl(`person/merge?id=${encodeURIComponent(person.handle)}`)}>
            Merge with…
          </a>
        )}
      </div>
      {renderFacts(view)}
      {renderDecided(viewer, view.done, person)}
      {isOwner && renderQuestion(view)}
      <div class="with-rail">
        <div>
          <nav class="kind-tabs" aria-label="Kinds">
            {view.tabs.map((tab) => (
              <a
                href={getPersonUrl(person.handle, { tab: tab.name })}
                aria-current={tab.name === view.tab.name ? "page" : undefined}
              >
                {renderText(tab.label)} {tab.count !== undefined && <span class="soft">{formatNumber(tab.count)}</span>}
              </a>
            ))}
          </nav>
          {view.tab.name === mentionsTab ? renderMentions(view) : renderList(view)}
        </div>
        {renderPersonRail(view)}
      </div>
    </div>,
    { owner: { room: "/people", viewer, impersonatedGrant }, isWide: true },
  );
}

function renderFacts({ person, names, today }: PersonPageView): Html {
  const all = listMonths(today, months);
  const bars = all.map((month) => ({
    label: formatMonth(Date.parse(`${month}-01`)),
    count: person.months[month] ?? 0,
  }));
  const renderSource = (id: string | null | undefined) =>
    id === null || id === undefined ? <></> : <>, {renderText(names.source(id))}</>;
  return (
    <div class="person-facts">
      <dl>
        <div>
          <dt>last contact{renderSource(person.last_source)}</dt>
          <dd>{renderContactDay(person.last_contact, today)}</dd>
        </div>
        <div>
          <dt>first contact{renderSource(person.first_source)}</dt>
          <dd>{renderContactDay(person.first_contact, today)}</dd>
        </div>
        <div>
          <dt>
            {person.things === 1 ? "thing" : "things"} from {formatCount(person.source_count, "source")}
          </dt>
          <dd>{formatNumber(person.things)}</dd>
        </div>
      </dl>
      <figure>
        {renderBars("By month", bars, { width: 280, height: 28, gap: 2 })}
        <figcaption class="soft">
          <span>{bars[0]?.label}</span>
          <span>by month</span>
          <span>{bars.at(-1)?.label}</span>
        </figcaption>
      </figure>
    </div>
  );
}

function renderQuestion({ question, person, viewer, names }: PersonPageView): Html {
  if (question === undefined) return <></>;
  const { other } = question;
  const [source] = other.sources;
  const isNamed = other.identities.every(({ kind }) => kind === "name");
  return (
    <div class="attention ask">
      <span>
        “<a href={getPersonUrl(other.handle)}>{renderText(other.display_name)}</a>” appears in{" "}
        {formatCount(other.things, "thing")}
        {source !== undefined && <> from {renderText(names.source(source.connection_id))}</>}
        {isNamed ? " without an address" : <> as {renderText(other.identities[0]?.value ?? "")}</>}. Is this{" "}
        {renderText(getFirstName(person.display_name))}?
      </span>
      {renderAnswers(viewer, "person", person, other)}
    </div>
  );
}

function renderList({ list, person, tab, show, names, today, timeZone }: PersonPageView): Html {
  const { items, more, older } = list;
  return (
    <>
      {items.length === 0 && <p class="soft">No records to show here.</p>}
      <ul class="person-list">
        {items.map(({ card, at }) =>
          renderCard(card, names, at === 0 ? undefined : renderContactDay(getDay(at, timeZone), today)),
        )}
      </ul>
      {more > 0 && (
        <p>
          <a href={getPersonUrl(person.handle, { tab: tab.name, show: show + 20 })}>
            Show {formatNumber(Math.min(20, more))} more
          </a>
        </p>
      )}
      {more === 0 && older > 0 && (
        <p class="soft">
          {formatCount(older, "older record")} not listed.{" "}
          <a href={`explore?q=${encodeURIComponent(person.display_name)}`}>Search for them</a>
        </p>
      )}
    </>
  );
}

function renderCard(card: EvidenceCard, names: Names, when: Html | undefined): Html {
  const preview = findPreview(card);
  return (
    <li>
      {renderLetterMark(names.mark(card.connection_id))}
      <div>
        <h2>
          <a href={getOpenUrl(names, card)}>{renderText(writeTitle(names, card))}</a>
        </h2>
        {preview !== undefined && <p class="soft">{renderText(preview)}</p>}
      </div>
      <span class="soft">{when}</span>
    </li>
  );
}

const maxPreviewChars = 160;

/** The beginning of the body, on one line. */
function findPreview(card: EvidenceCard): string | undefined {
  const body = listPresentedFields(card).find(({ role }) => role === "body");
  const text =
    body?.shown === "inline"
      ? body.value
      : body?.shown === "preview" && body.format === "text"
        ? body.preview
        : undefined;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return text.replace(/\s+/g, " ").trim().slice(0, maxPreviewChars).toWellFormed();
}

function renderMentions({ mentions, person, names }: PersonPageView): Html {
  return (
    <>
      <p class="soft">
        Texts that mention “{renderText(person.display_name)}”. They may mean somebody else of that name, so they are
        not counted.
      </p>
      <ul class="person-list">
        {mentions.map((hit) => (
          <li>
            {renderLetterMark(names.mark(hit.connection_id))}
            <div>
              <h2>
                <a href={getOpenUrl(names, hit, person.display_name)}>{renderText(writeTitle(names, hit))}</a>
              </h2>
              <p class="soft">
                Mentioned by name.{" "}
                {renderText((hit.evidence[0]?.preview ?? "").replace(/\s+/g, " ").slice(0, maxPreviewChars))}
              </p>
            </div>
            <span class="soft">{renderRecordTime(hit)}</span>
          </li>
        ))}
      </ul>
      {mentions.length === 0 && <p>Nobody mentions this name.</p>}
    </>
  );
}
