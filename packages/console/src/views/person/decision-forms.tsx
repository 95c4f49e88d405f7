import { type Html, renderCsrfField } from "../../frame/frame.tsx";
import { renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import type { PersonView } from "./person-data.ts";

/** The forms with which an owner says who is who. */

/** Where the owner decides, and returns to. */
export type DecisionPage = "person" | "people";

export interface MadeDecision {
  readonly id: string;
  readonly title: string;
}

const answers: Readonly<Record<DecisionPage, readonly { readonly action: string; readonly label: string }[]>> = {
  person: [
    { action: "/person/same", label: "Same person" },
    { action: "/person/different", label: "Someone else" },
  ],
  people: [
    { action: "/person/same", label: "Merge" },
    { action: "/person/different", label: "Not the same" },
  ],
};

export const renderAnswers = (viewer: Viewer, page: DecisionPage, person: PersonView, other: PersonView): Html => (
  <span class="answers">
    {answers[page].map(({ action, label }) => (
      <form method="post" action={action}>
        {renderCsrfField(viewer)}
        <input type="hidden" name="id" value={person.handle} />
        <input type="hidden" name="other" value={other.handle} />
        <input type="hidden" name="from" value={page} />
        <button class="small">
          {label}
          {page === "people" && <span class="hidden">: {renderText(person.display_name)}</span>}
        </button>
      </form>
    ))}
  </span>
);

/** Says what was just decided. `person`: on the page of a person, who stays there. */
export const renderDecided = (viewer: Viewer, done: MadeDecision | undefined, person?: PersonView): Html =>
  done === undefined ? (
    <></>
  ) : (
    <div class="done ask" role="status">
      <span>{renderText(done.title)}.</span>
      <form method="post" action="/person/undo">
        {renderCsrfField(viewer)}
        {person !== undefined && <input type="hidden" name="id" value={person.handle} />}
        <input type="hidden" name="decision" value={done.id} />
        <button class="small">Undo</button>
      </form>
    </div>
  );
