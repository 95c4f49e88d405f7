import { html } from "hono/html";
import { type Html, proofField } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import type { SettingsView } from "./settings-page.ts";

/** Forgetting what is old: earlier versions of records, and old entries of the log. */
export const prunePart = ({ self, proof }: SettingsView): Html => html`<h3>Earlier versions</h3>
<p>What records said before they were changed, and records that were deleted. What they say now stays. It cannot be brought back.</p>
${dated("/settings/prune-versions", proof, "Forget earlier versions")}
<h3>The log</h3>
${
  self.is_only
    ? html`<p>Who read what, who was refused, and what you did. Permissions stay. It cannot be brought back.</p>${dated("/settings/prune-log", proof, "Forget old entries")}`
    : html`<p>The log is one for all owners of this vault, so none of you can shorten it alone.</p>`
}`;

const dated = (action: string, proof: Proof, act: string): Html =>
  html`<form method="post" action="${action}">${proofField(proof)}<div class="line"><label>From before<input type="date" name="before" required></label><button class="danger">${act}</button></div></form>`;
