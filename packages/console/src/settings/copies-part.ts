import { html } from "hono/html";
import { type Html, proofField } from "../frame/frame.ts";
import type { SettingsView } from "./settings-page.ts";

/** Copies to keep: one to restore from, one to read with other programs. */
export const copiesPart = ({ self, proof }: SettingsView): Html => html`<h3>Backup</h3>
${
  self.is_only
    ? html`<p>The whole vault in one file: records with their history, files, permissions and the log. <code>pdpp restore FILE</code> makes a vault of it.</p>
<form method="post" action="/settings/backup">${proofField(proof)}
<div class="line"><label>Passphrase, if you want one<input type="password" name="passphrase" autocomplete="new-password" maxlength="1000"></label>
<label>The same again<input type="password" name="again" autocomplete="new-password" maxlength="1000"></label><button>Download a backup</button></div></form>
<p class="soft">Without a passphrase whoever has the file can read it. With one, nobody can without it: not even you.</p>`
    : html`<p>A backup holds the data of every owner of this vault. Whoever runs the server makes it:</p><p><code class="copy">pdpp backup FILE</code></p>`
}
<h3>Every record</h3>
<p>One line of JSON for each record, to read with whatever you like. Files are in the backup only.</p>
<form method="post" action="/settings/export">${proofField(proof)}<div class="buttons"><button>Download every record</button></div></form>`;
