import type {
  AccessDocument,
  ConnectionDetail,
  OwnerSelf,
  OwnerTokenDocument,
  StorageDocument,
} from "@pdpp/contract/owner";
import { html } from "hono/html";
import { type Html, page, passkeyScriptPath } from "../frame/frame.ts";
import { keyList } from "../frame/keys.ts";
import type { Names } from "../frame/names.ts";
import { type BrowsersView, browsersPart } from "./browsers-page.ts";
import { copiesPart } from "./copies-part.ts";
import { didWords } from "./did-words.ts";
import { prunePart } from "./prune-part.ts";
import { storagePart } from "./storage-part.ts";
import { timeZonePart } from "./time-zone-part.ts";
import { tokensPart } from "./tokens-part.ts";

/** What an owner sets, takes along and deletes. */

export interface SettingsView extends BrowsersView {
  readonly self: OwnerSelf;
  readonly storage: StorageDocument;
  readonly connections: readonly ConnectionDetail[];
  readonly tokens: readonly OwnerTokenDocument[];
  readonly names: Names;
  /** What was just done, as the log has it. */
  readonly did: AccessDocument | undefined;
}

const parts: readonly { readonly id: string; readonly title: string; readonly part: (view: SettingsView) => Html }[] = [
  { id: "signed-in", title: "Signed-in browsers", part: browsersPart },
  { id: "sources", title: "Storage", part: storagePart },
  { id: "time-zone", title: "Time zone", part: timeZonePart },
  { id: "copies", title: "Backup & export", part: copiesPart },
  { id: "prune", title: "Data retention", part: prunePart },
  { id: "programs", title: "API tokens", part: tokensPart },
  { id: "keys", title: "Keyboard shortcuts", part: () => keyList() },
  { id: "everything", title: "Delete everything", part: () => everythingPart },
];

const everythingPart = html`<p>Deletes all sources, records, files and access. You can review what will be deleted first.</p>
<p><a class="button danger" href="/settings/delete-everything">Delete everything …</a></p>`;

export function settingsPage(view: SettingsView): Html {
  const { did, storage, self } = view;
  return page(
    "Settings",
    html`<h1>Settings</h1>
${self.is_only ? "" : html`<p class="soft">Signed in as <strong><bdi>${self.name}</bdi></strong>. This vault has other owners. Owners can't see each other's data.</p>`}
${did === undefined ? "" : html`<p class="done" role="status">${didWords(did)}</p>`}
${storage.is_clearing ? html`<p class="attention" role="status">Deleted data is no longer readable. It is still being cleared from disk.</p>` : ""}
<ul class="jump">${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${parts.map(({ id, title, part }) => html`<section class="setting" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${part(view)}</section>`)}`,
    { owner: { room: "/settings", proof: view.proof }, scripts: [passkeyScriptPath] },
  );
}
