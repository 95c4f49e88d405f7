import { type Html, renderCsrfField } from "../frame/frame.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { SettingsView } from "./settings-page.tsx";

export const renderRetention = ({ self, viewer }: SettingsView): Html => (
  <>
    <h3>Old versions</h3>
    <p>
      Deletes earlier versions of changed records, deleted records, and what agents asked before that day. Current
      records are kept. This can't be undone.
    </p>
    {renderDateForm("/settings/prune-versions", viewer, "Delete old versions")}
    <h3>Activity log</h3>
    {self.is_only ? (
      <>
        <p>
          Deletes old entries: reads with what was asked, refusals and your actions. Access is not changed. This can't
          be undone.
        </p>
        {renderDateForm("/settings/prune-log", viewer, "Delete old entries")}
      </>
    ) : (
      <p>The log is shared by all owners of this vault, so it can't be shortened here.</p>
    )}
  </>
);

const renderDateForm = (action: string, viewer: Viewer, act: string): Html => (
  <form method="post" action={action}>
    {renderCsrfField(viewer)}
    <div class="line">
      <label>
        Older than
        <input type="date" name="before" required />
      </label>
      <button class="danger">{act}</button>
    </div>
  </form>
);
