import { maxPersonIdentities } from "@pdpp/contract/people";
import { buildUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { formatCount, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { renderContactDay } from "./days.tsx";
import { type MadeDecision, renderAnswers, renderDecided } from "./decision-forms.tsx";
import { getPersonUrl, type PeoplePage, type PersonView } from "./person-data.ts";
import type { SameName } from "./same-names.ts";

export interface PeoplePageView extends PeoplePage {
  readonly q: string;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  readonly today: string;
  /** Whether people may be missing because the limit is reached. */
  readonly isFull: boolean;
  readonly sameNames: readonly SameName[];
  readonly done: MadeDecision | undefined;
}

export function renderPeoplePage(view: PeoplePageView): Html {
  const { people, q, nextCursor, viewer, impersonatedGrant } = view;
  return renderPage(
    "People",
    <>
      <h1>People</h1>
      <p class="soft">Everyone in your sources, by last contact. Open someone to see everything with them.</p>
      {view.isFull && (
        <p class="attention">
          Some people may be missing: your vault keeps at most {maxPersonIdentities.toLocaleString("en")} names,
          addresses and numbers.
        </p>
      )}
      <form class="people-search" role="search" aria-label="People" action="people">
        <input
          type="search"
          name="q"
          value={q}
          aria-label="Find a person"
          placeholder="Find a name, address or number"
          maxlength={200}
        />
        <button>Find</button>
      </form>
      {renderDecided(viewer, view.done)}
      {renderSameNames(view)}
      {people.length === 0 && renderNobody(q, impersonatedGrant)}
      {people.length > 0 && <ul class="people">{people.map((person) => renderRow(person, view))}</ul>}
      {nextCursor !== undefined && (
        <p class="pages">
          <a href={buildUrl("people", { cursor: nextCursor })}>Show more</a>
        </p>
      )}
    </>,
    { owner: { room: "/people", viewer, impersonatedGrant } },
  );
}

const renderNobody = (q: string, impersonatedGrant: ImpersonatedGrant | undefined): Html =>
  q === "" && impersonatedGrant !== undefined ? (
    <p>Nobody. This access does not include people.</p>
  ) : q === "" ? (
    <p>
      Nobody yet. People appear a few seconds after you <a href="/import">import</a> mail, chats, calendars or contacts.
    </p>
  ) : (
    <p>
      Nobody found. <a href="people">Show everyone</a>
    </p>
  );

const renderSameNames = ({ sameNames, viewer, names }: PeoplePageView): Html =>
  sameNames.length === 0 ? (
    <></>
  ) : (
    <section class="same-person" aria-labelledby="same-person">
      <h2 id="same-person">Same person?</h2>
      {sameNames.map(({ person, other }) => (
        <div class="attention ask">
          <span>
            <strong>{renderText(person.display_name)}</strong> appears in {renderEntry(person, names)} and in{" "}
            {renderEntry(other, names)}.
          </span>
          {renderAnswers(viewer, "people", person, other)}
        </div>
      ))}
    </section>
  );

const renderEntry = (person: PersonView, names: Names): Html => (
  <>
    <a href={getPersonUrl(person.handle)}>{renderText(describeSources(person, names))}</a> (
    {person.known_as !== "" && <>{renderText(person.known_as.slice(0, 60).toWellFormed())}, </>}
    {formatCount(person.things, "thing")})
  </>
);

const maxNamedSources = 2;

/** Two people of the same name are told apart by where they appear. Sources that a grant excludes have no name. */
function describeSources({ sources, source_count }: PersonView, names: Names): string {
  const ids = new Set(sources.map(({ connection_id }) => connection_id));
  const known = names.sources.filter(({ id }) => ids.has(id)).map(({ label }) => label);
  return known.length === source_count && known.length <= maxNamedSources
    ? known.join(" and ")
    : formatCount(source_count, "source");
}

const renderRow = (person: PersonView, { names, today }: PeoplePageView): Html => (
  <li>
    {renderLetterMark(person.display_name)}
    <div>
      <h2>
        <a href={getPersonUrl(person.handle)}>{renderText(person.display_name)}</a>
      </h2>
      <p class="soft">
        {person.known_as !== "" && <>{renderText(person.known_as.slice(0, 120))} · </>}
        {formatCount(person.things, "thing")} from {renderText(describeSources(person, names))}
      </p>
    </div>
    <span class="soft">{renderContactDay(person.last_contact, today)}</span>
  </li>
);
