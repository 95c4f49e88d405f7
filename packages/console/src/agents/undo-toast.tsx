import { undoRevocationMs } from "@pdpp/contract/owner";
import { type Html, renderCsrfField } from "../frame/frame.tsx";
import type { PageContext } from "./agent-rows.tsx";

/** Says what was just revoked, and offers to undo it. The script hides the offer after ten seconds. */

export interface Revoked {
  readonly sentence: Html;
  readonly at: number;
  readonly undoPath: string;
}

export function renderUndoToast({ sentence, at, undoPath }: Revoked, { viewer, now }: PageContext): Html {
  const canUndo = now - at >= 0 && now - at < undoRevocationMs;
  return (
    <div class="toast" data-toast={canUndo ? "" : undefined}>
      <p role="status">{sentence} Data it has already read can't be taken back.</p>
      {canUndo && (
        <form method="post" action={undoPath}>
          {renderCsrfField(viewer)}
          <button>
            Undo <span data-seconds="" aria-hidden="true"></span>
          </button>
        </form>
      )}
    </div>
  );
}
