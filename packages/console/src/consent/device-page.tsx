import { type Html, renderNotice, renderPage } from "../frame/frame.tsx";
import { renderAlert } from "../frame/render/parts.tsx";
import { renderName } from "../frame/render/values.tsx";

/** Pages of the device flow. Their forms go to `action`. */

export const renderEnterCodePage = (
  action: string,
  csrfToken: string,
  typed: string,
  error: string | undefined,
): Html =>
  renderPage(
    "Connect an app",
    <>
      <h1>Connect an app</h1>
      {renderAlert(error)}
      <form method="post" action={action}>
        <input type="hidden" name="xsrf" value={csrfToken} />
        <p>
          <label>
            Code shown by the app
            <br />
            <input
              type="text"
              name="user_code"
              value={typed}
              required
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              size={12}
              placeholder="XXXX-XXXX"
            />
          </label>
        </p>
        <div class="buttons">
          <button class="yes">Continue</button>
        </div>
      </form>
      <p class="soft">You review what it asks for before anything is shared.</p>
    </>,
  );

export const renderConfirmCodePage = (
  action: string,
  csrfToken: string,
  userCode: string,
  clientName: string | undefined,
): Html =>
  renderPage(
    "Is this your app?",
    <>
      <h1>Is this your app?</h1>
      <p>
        <q>{renderName(clientName?.trim() || "Unnamed app")}</q> is waiting with the code <strong>{userCode}</strong>.
      </p>
      <p class="attention">
        Continue only if you just started it yourself and it shows this exact code. If someone sent you the code or
        link, they would get access.
      </p>
      <form method="post" action={action}>
        <input type="hidden" name="xsrf" value={csrfToken} />
        <input type="hidden" name="user_code" value={userCode} />
        <div class="buttons decide">
          <button name="abort" value="yes">
            Cancel
          </button>
          <button class="yes" name="confirm" value="yes">
            Continue
          </button>
        </div>
      </form>
    </>,
  );

export const renderCodeAnsweredPage = (shared: boolean): Html =>
  shared
    ? renderNotice("App connected", "Return to the app. You can close this page.")
    : renderNotice("Access denied", "Nothing was shared. You can close this page.");
