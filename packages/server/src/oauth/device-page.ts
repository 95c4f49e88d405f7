import { type Html, renderNotice, renderPage } from "@pdpp/console/frame";
import { html } from "hono/html";
import { paths } from "./provider-paths.ts";

/** Pages of the device flow. */

export const renderEnterCodePage = (csrfToken: string, typed: string, fault: string | undefined): Html =>
  renderPage(
    "Connect an app",
    html`<h1>Connect an app</h1>
${fault === undefined ? "" : html`<p class="attention" role="alert">${fault}</p>`}
<form method="post" action="${paths.code_verification}">
<input type="hidden" name="xsrf" value="${csrfToken}">
<p><label>Code shown by the app<br><input type="text" name="user_code" value="${typed}" required autocomplete="off" autocapitalize="characters" spellcheck="false" size="12" placeholder="XXXX-XXXX"></label></p>
<div class="buttons"><button class="yes">Continue</button></div>
</form>
<p class="soft">You review what it asks for before anything is shared.</p>`,
  );

export const renderConfirmCodePage = (csrfToken: string, userCode: string, clientName: string | undefined): Html =>
  renderPage(
    "Is this your app?",
    html`<h1>Is this your app?</h1>
<p><q>${clientName?.trim() || "Unnamed app"}</q> is waiting with the code <strong>${userCode}</strong>.</p>
<p class="attention">Continue only if you just started it yourself and it shows this exact code. If someone sent you the code or link, they would get access.</p>
<form method="post" action="${paths.code_verification}">
<input type="hidden" name="xsrf" value="${csrfToken}">
<input type="hidden" name="user_code" value="${userCode}">
<div class="buttons decide"><button name="abort" value="yes">Cancel</button><button class="yes" name="confirm" value="yes">Continue</button></div>
</form>`,
  );

export const renderCodeAnsweredPage = (shared: boolean): Html =>
  shared
    ? renderNotice("App connected", "Return to the app. You can close this page.")
    : renderNotice("Access denied", "Nothing was shared. You can close this page.");
