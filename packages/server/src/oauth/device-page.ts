import { type Html, notice, page } from "@pdpp/console/frame";
import { html } from "hono/html";
import { paths } from "./provider-paths.ts";

/** Where the owner types the code that a program shows, and sees which program that is. */

export const enterCodePage = (proof: string, typed: string, fault: string | undefined): Html =>
  page(
    "Connect a program",
    html`<h1>Connect a program</h1>
${fault === undefined ? "" : html`<p class="attention" role="alert">${fault}</p>`}
<form method="post" action="${paths.code_verification}">
<input type="hidden" name="xsrf" value="${proof}">
<p><label>The code that the program shows<br><input type="text" name="user_code" value="${typed}" required autocomplete="off" autocapitalize="characters" spellcheck="false" size="12" placeholder="XXXX-XXXX"></label></p>
<div class="buttons"><button class="yes">Go on</button></div>
</form>
<p class="soft">You see what it asks for before anything is shared.</p>`,
  );

export const confirmCodePage = (proof: string, userCode: string, clientName: string | undefined): Html =>
  page(
    "Is this your program?",
    html`<h1>Is this your program?</h1>
<p>A program that calls itself <q>${clientName?.trim() || "nothing"}</q> waits with the code <strong>${userCode}</strong>.</p>
<p class="attention">Go on only if you started it yourself just now and it shows this very code. Whoever sent you a code or a link would be the one who reads.</p>
<form method="post" action="${paths.code_verification}">
<input type="hidden" name="xsrf" value="${proof}">
<input type="hidden" name="user_code" value="${userCode}">
<div class="buttons decide"><button name="abort" value="yes">Stop</button><button class="yes" name="confirm" value="yes">See what it asks for</button></div>
</form>`,
  );

export const codeAnsweredPage = (shared: boolean): Html =>
  shared
    ? notice("The program is connected", "Go back to the program; it goes on by itself. You can close this page.")
    : notice("Nothing was shared", "The program was told so. You can close this page.");
