import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderBackLink } from "../../frame/render/parts.tsx";
import { formatCount, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { getPersonUrl, type PersonView } from "./person-data.ts";

/** Joins two people: find the other one, see what will be joined, then do it. */

export interface MergeView {
  readonly person: PersonView;
  readonly q: string;
  readonly found: readonly PersonView[];
  readonly other: PersonView | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
}

export function renderMergePage(view: MergeView): Html {
  const { person, q, found, other, viewer } = view;
  return renderPage(
    `Merge ${person.display_name.slice(0, 80)}`,
    <>
      {renderBackLink(`/${getPersonUrl(person.handle)}`, renderText(person.display_name))}
      <h1>Merge with…</h1>
      {other === undefined ? (
        <>
          <p>Who is the same person as {renderText(person.display_name)}?</p>
          <form class="people-search" role="search" aria-label="People" action="/person/merge">
            <input type="hidden" name="id" value={person.handle} />
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
          {q !== "" && found.length === 0 && <p>Nobody found.</p>}
          <ul class="people">
            {found.map((each) => (
              <li>
                {renderLetterMark(each.display_name)}
                <div>
                  <h2>
                    <a
                      href={`/person/merge?id=${encodeURIComponent(person.handle)}&other=${encodeURIComponent(each.handle)}`}
                    >
                      {renderText(each.display_name)}
                    </a>
                  </h2>
                  <p class="soft">{renderText(each.known_as.slice(0, 120))}</p>
                </div>
                <span class="soft">{formatCount(each.things, "thing")}</span>
              </li>
            ))}
          </ul>
        </>
      ) : (
        renderPreview(view, other)
      )}
    </>,
    { owner: { room: "/people", viewer } },
  );
}

const renderPreview = ({ person, names, viewer }: MergeView, other: PersonView): Html => (
  <>
    <p>These become one person, known as all of:</p>
    {[person, other].map((each) => (
      <section class="card">
        <h2>{renderText(each.display_name)}</h2>
        <ul>
          {each.identities.map(({ value, connection_ids }) => (
            <li>
              {renderText(value)}{" "}
              <span class="soft">
                {renderText(
                  connection_ids
                    .map((id) => names.source(id))
                    .join(", ")
                    .slice(0, 120),
                )}
              </span>
            </li>
          ))}
        </ul>
        <p class="soft">{formatCount(each.things, "thing")}</p>
      </section>
    ))}
    <form class="line" method="post" action="/person/same">
      {renderCsrfField(viewer)}
      <input type="hidden" name="id" value={person.handle} />
      <input type="hidden" name="other" value={other.handle} />
      <button class="primary">Merge</button>
      <a class="button" href={`/${getPersonUrl(person.handle)}`}>
        Cancel
      </a>
    </form>
    <p class="soft">Your records stay as they are. You can undo this.</p>
  </>
);
