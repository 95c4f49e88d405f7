import { type Html, renderPage } from "../frame/frame.tsx";
import { renderAlert } from "../frame/render/parts.tsx";

/** Signing in takes a click, so that link previews don't use up the code. */
export const renderSignInPage = (next: string, passkey: object | undefined, fault?: string): Html =>
  renderPage(
    "Sign in",
    <>
      <h1>Sign in to your vault</h1>
      {renderAlert(fault)}
      <form method="post" action="/sign-in">
        <input type="hidden" name="next" value={next} />
        <p>
          <label>
            Sign-in code
            <br />
            <input
              type="text"
              name="code"
              required
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              size={30}
            />
          </label>
        </p>
        <div class="buttons">
          <button class="yes">Sign in</button>
        </div>
      </form>
      {passkey !== undefined && (
        <form method="post" action="/sign-in/passkey" hidden data-passkey="use" data-options={JSON.stringify(passkey)}>
          <input type="hidden" name="next" value={next} />
          <input type="hidden" name="answer" value="" />
          <div class="buttons">
            <button>Sign in with a passkey</button>
          </div>
          <p class="soft" role="status"></p>
        </form>
      )}
      <p class="soft">
        No link? <code>pdpp serve</code> prints one when it starts. Run <code>pdpp sign-in</code> for another. Links
        work once, for ten minutes.
      </p>
    </>,
    { scripts: ["/assets/sign-in.js", "/assets/passkey.js"] },
  );
