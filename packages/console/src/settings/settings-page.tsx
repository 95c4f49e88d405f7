import type {
  AccessDocument,
  ConnectionDetail,
  OwnerSelf,
  OwnerTokenDocument,
  StorageDocument,
} from "@pdpp/contract/owner";
import { type Html, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderKeyList } from "../frame/render/keys.tsx";
import { type BrowsersView, renderBrowsers } from "./browsers-page.tsx";
import { describeAction } from "./confirmations.ts";
import { renderBackup } from "./copies-part.tsx";
import { renderRetention } from "./prune-part.tsx";
import { renderStorage } from "./storage-part.tsx";
import { renderTimeZone } from "./time-zone-part.tsx";
import { renderTokens } from "./tokens-part.tsx";

/** Settings, backup and deletion. */

export interface SettingsView extends BrowsersView {
  readonly self: OwnerSelf;
  readonly storage: StorageDocument;
  readonly connections: readonly ConnectionDetail[];
  readonly tokens: readonly OwnerTokenDocument[];
  readonly names: Names;
  /** The last action, from the log. */
  readonly lastAction: AccessDocument | undefined;
}

const parts: readonly { readonly id: string; readonly title: string; readonly part: (view: SettingsView) => Html }[] = [
  { id: "signed-in", title: "Signed-in browsers", part: renderBrowsers },
  { id: "sources", title: "Storage", part: renderStorage },
  { id: "time-zone", title: "Time zone", part: renderTimeZone },
  { id: "copies", title: "Backup & export", part: renderBackup },
  { id: "prune", title: "Data retention", part: renderRetention },
  { id: "programs", title: "API tokens", part: renderTokens },
  { id: "keys", title: "Keyboard shortcuts", part: () => renderKeyList() },
  { id: "everything", title: "Delete everything", part: () => everythingPart },
];

const everythingPart = (
  <>
    <p>Deletes all sources, records, files and access. You can review what will be deleted first.</p>
    <p>
      <a class="button danger" href="/settings/delete-everything">
        Delete everything …
      </a>
    </p>
  </>
);

export function renderSettingsPage(view: SettingsView): Html {
  const { lastAction, storage, self } = view;
  return renderPage(
    "Settings",
    <>
      <h1>Settings</h1>
      {self.is_only ? (
        ""
      ) : (
        <p class="soft">
          Signed in as{" "}
          <strong>
            <bdi>{self.name}</bdi>
          </strong>
          . This vault has other owners. Owners can't see each other's data.
        </p>
      )}
      {lastAction !== undefined && (
        <p class="done" role="status" data-forget-searches={lastAction.operation === "owner.erase" ? "" : undefined}>
          {describeAction(lastAction)}
        </p>
      )}
      {storage.is_clearing ? (
        <p class="attention" role="status">
          Deleted data is no longer readable. It is still being cleared from disk.
        </p>
      ) : (
        ""
      )}
      <ul class="jump">
        {parts.map(({ id, title }) => (
          <li>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
      {parts.map(({ id, title, part }) => (
        <section class="setting" aria-labelledby={id}>
          <h2 id={id}>{title}</h2>
          {part(view)}
        </section>
      ))}
    </>,
    { owner: { room: "/settings", viewer: view.viewer }, scripts: ["/assets/passkey.js"] },
  );
}
