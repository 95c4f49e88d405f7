import { type Html, renderCsrfField, renderLetterMark } from "../frame/frame.tsx";
import { renderAgo, renderDay } from "../frame/render/times.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { OwnerPasskey, OwnerSession } from "../sign-in/sign-in-service.ts";
import { describeBrowser } from "./describe-browser.ts";

export interface BrowsersView {
  readonly here: OwnerSession;
  readonly sessions: readonly OwnerSession[];
  readonly passkeys: readonly OwnerPasskey[];
  /** WebAuthn options for adding a passkey; undefined if the browser cannot have one. */
  readonly adding: object | undefined;
  readonly viewer: Viewer;
  readonly now: number;
}

export function renderBrowsers(view: BrowsersView): Html {
  const { here, sessions, viewer, now } = view;
  const others = sessions.filter(({ sessionId }) => sessionId !== here.sessionId);
  return (
    <>
      <p class="soft">Browsers are signed out after 12 hours without use, and after 7 days in any case.</p>
      <ul class="rows">
        {[here, ...others].map((session) => renderSession(session, session.sessionId === here.sessionId, viewer, now))}
      </ul>
      {others.length > 0 && (
        <form method="post" action="/browsers/sign-out-others">
          {renderCsrfField(viewer)}
          <div class="buttons">
            <button>Sign out other browsers</button>
          </div>
        </form>
      )}
      <h3>Passkeys</h3>
      {renderPasskeys(view)}
      <h3>Add a browser or phone</h3>
      <p>
        Run <code>pdpp sign-in</code> on the vault's computer. It prints a one-time link that signs in one browser.
      </p>
    </>
  );
}

const renderPasskeys = ({ passkeys, adding, viewer, now }: BrowsersView): Html => (
  <>
    <p class="soft">
      Sign in with your fingerprint, face or PIN. A passkey works only at this address; sign-in links always work.
    </p>
    {passkeys.length > 0 && (
      <ul class="rows">
        {passkeys.map(({ passkeyId, name, host, createdAt, usedAt }) => (
          <li>
            {renderLetterMark(name)}
            <div class="about">
              <h4>{name}</h4>
              <p class="soft">
                For {host}, since {renderDay(createdAt)} ·{" "}
                {usedAt === null ? "not used yet" : <>last used {renderAgo(usedAt, now)}</>}
              </p>
            </div>
            <form method="post" action={`/passkeys/${passkeyId}/remove`}>
              {renderCsrfField(viewer)}
              <button class="danger">
                Remove<span class="hidden"> passkey {name}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
    )}
    {adding === undefined ? (
      <p class="attention">Passkeys aren't available at this address. Use https, or localhost.</p>
    ) : (
      <form method="post" action="/passkeys" hidden data-passkey="add" data-options={JSON.stringify(adding)}>
        {renderCsrfField(viewer)}
        <input type="hidden" name="answer" value="" />
        <div class="buttons">
          <button>Add a passkey</button>
        </div>
        <p class="soft" role="status"></p>
      </form>
    )}
  </>
);

function renderSession(
  { sessionId, browser, createdAt, seenAt }: OwnerSession,
  isHere: boolean,
  viewer: Viewer,
  now: number,
) {
  const name = describeBrowser(browser);
  return (
    <li>
      {renderLetterMark(name)}
      <div class="about">
        <h3>
          {name} {isHere && <span class="here">This browser</span>}
        </h3>
        <p class="soft">
          Since {renderDay(createdAt)} · {isHere ? "In use" : <>last used {renderAgo(seenAt, now)}</>}
        </p>
      </div>
      <form method="post" action={`/browsers/${sessionId}/sign-out`}>
        {renderCsrfField(viewer)}
        <button class="danger">
          Sign out
          <span class="hidden">
            {" "}
            {name}
            {isHere && ", this browser"}
          </span>
        </button>
      </form>
    </li>
  );
}
