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
  { id: "signed-in", title: "Where you are signed in", part: browsersPart },
  { id: "sources", title: "Sources and room", part: storagePart },
  { id: "time-zone", title: "Time zone", part: timeZonePart },
  { id: "copies", title: "Take it along", part: copiesPart },
  { id: "prune", title: "Forget what is old", part: prunePart },
  { id: "programs", title: "Programs of your own", part: tokensPart },
  { id: "keys", title: "Keys", part: () => keyList() },
  { id: "everything", title: "Delete everything", part: () => everythingPart },
];

const everythingPart = html`<p>Every source with its records and files, and every permission. You read what goes and what stays before it happens.</p>
<p><a class="button danger" href="/settings/delete-everything">Delete everything …</a></p>`;

export function settingsPage(view: SettingsView): Html {
  const { did, storage, self } = view;
  return page(
    "Settings",
    html`<h1>Settings</h1>
${self.is_only ? "" : html`<p class="soft">You are <strong><bdi>${self.name}</bdi></strong>. This vault has other owners too; neither of you sees anything of the other.</p>`}
${did === undefined ? "" : html`<p class="done" role="status">${didWords(did)}</p>`}
${storage.is_clearing ? html`<p class="attention" role="status">What you deleted can no longer be read by anybody. Its bytes are still being cleared from the disk.</p>` : ""}
<ul class="jump">${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${parts.map(({ id, title, part }) => html`<section class="setting" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${part(view)}</section>`)}`,
    { owner: { room: "/settings", proof: view.proof }, scripts: [passkeyScriptPath] },
  );
}
