import { type Html, renderPage } from "../frame/frame.tsx";
import { renderAlert } from "../frame/render/parts.tsx";

/** `passkey`: the request options, if the vault has a passkey for this host name. */
export const renderSignInPage = (next: string, passkey: object | undefined, fault?: string): Html =>
  renderPage(
    "Sign in",
    <>
      <h1>Sign in to your vault</h1>
      {renderAlert(fault)}
      {passkey === undefined ? (
        renderLinkForm(next)
      ) : (
        <>
          {renderPasskeyForm(next, passkey)}
          {/* Open until a script knows that the browser supports passkeys. */}
          <details class="sign-in-link" open>
            <summary>Use a sign-in link</summary>
            {renderLinkForm(next)}
          </details>
        </>
      )}
    </>,
    { scripts: ["/assets/sign-in.js", "/assets/passkey.js"] },
  );

const renderPasskeyForm = (next: string, options: object): Html => (
  <form method="post" action="/sign-in/passkey" hidden data-passkey="use" data-options={JSON.stringify(options)}>
    <input type="hidden" name="next" value={next} />
    <input type="hidden" name="answer" value="" />
    <div class="buttons">
      <button class="yes">Sign in with a passkey</button>
    </div>
    <p class="soft" role="status"></p>
  </form>
);

/** Signing in takes a click, so that link previews don't use up the code. */
const renderLinkForm = (next: string): Html => (
  <form class="sign-in-link" method="post" action="/sign-in">
    <input type="hidden" name="next" value={next} />
    <p data-without-code>
      On the computer with your vault, run <code>pdpp open</code>: it opens your browser with a sign-in link. For
      another device, run <code>pdpp sign-in</code> and open the link it prints, or paste it here.
    </p>
    <p data-with-code hidden>
      Your sign-in link is ready.
    </p>
    <p data-without-code>
      <label>
        Sign-in code
        <input
          type="text"
          name="code"
          required
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="code-hint"
        />
      </label>
      <span class="soft" id="code-hint">
        The whole link, or the part after #. Valid once, for 10 minutes.
      </span>
    </p>
    <div class="buttons">
      <button class="yes">Sign in</button>
    </div>
  </form>
);
