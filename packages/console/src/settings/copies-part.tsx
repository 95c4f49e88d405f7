import { type Html, renderCsrfField } from "../frame/frame.tsx";
import type { SettingsView } from "./settings-page.tsx";

export const renderBackup = ({ self, viewer }: SettingsView): Html => (
  <>
    <h3>Backup</h3>
    {self.is_only ? (
      <>
        <p>
          The whole vault in one file: records with their history, files, access grants and the log. Restore it with{" "}
          <code>pdpp restore FILE</code>.
        </p>
        <form method="post" action="/settings/backup">
          {renderCsrfField(viewer)}
          <div class="line">
            <label>
              Passphrase (optional)
              <input type="password" name="passphrase" autocomplete="new-password" maxlength={1000} />
            </label>{" "}
            <label>
              Repeat passphrase
              <input type="password" name="again" autocomplete="new-password" maxlength={1000} />
            </label>
            <button>Download backup</button>
          </div>
        </form>
        <p class="soft">
          Without a passphrase anyone with the file can read it. If you lose the passphrase, the backup can't be opened.
        </p>
      </>
    ) : (
      <>
        <p>A backup includes every owner's data. Only the server's operator can create one:</p>
        <p>
          <code class="copy">pdpp backup FILE</code>
        </p>
      </>
    )}
    <h3>Export</h3>
    <p>All records as NDJSON, one per line. Attached files are only in the backup.</p>
    <form method="post" action="/settings/export">
      {renderCsrfField(viewer)}
      <div class="buttons">
        <button>Download all records</button>
      </div>
    </form>
  </>
);
