import { type Html, renderCsrfField } from "../frame/frame.tsx";
import { renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { renderFields } from "./fields.tsx";
import type { SourceQuestion } from "./source-service.ts";
import { getSourceUrl } from "./sources-page.tsx";

/** A question of a running connector. Its words are the connector's, and are shown as such. */
export const renderQuestion = (question: SourceQuestion, sourceId: string, viewer: Viewer, now: number): Html => (
  <section class="card question" aria-labelledby="question-title">
    <h2 id="question-title">{titles[question.kind]}</h2>
    <p>The connector says:</p>
    <blockquote>{renderText(question.message)}</blockquote>
    <form method="post" action={`${getSourceUrl(sourceId)}/answer`} class="source-form">
      {renderCsrfField(viewer)}
      <input type="hidden" name="question" value={question.id} />
      {renderFields(question.fields, {})}
      <p class="soft">{formatTimeLeft(question.expiresAt - now)}</p>
      <div class="buttons">
        {/* First, because the Enter key presses the first button. */}
        <button class="yes" name="act" value="answer">
          {question.fields.length === 0 ? "Done" : "Continue"}
        </button>
        <button name="act" value="decline" formnovalidate>
          Decline
        </button>
      </div>
    </form>
  </section>
);

const titles: Readonly<Record<SourceQuestion["kind"], string>> = {
  credentials: "It asks for your sign-in",
  otp: "It asks for a one-time code",
  manual_action: "It asks you to do something",
};

function formatTimeLeft(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes <= 1 ? "Answer within a minute." : `Answer within ${minutes} minutes.`;
}
