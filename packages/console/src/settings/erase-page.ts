import { html } from "hono/html";
import { type Html, page, proofField } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { counted, grouped } from "../frame/value-view.ts";
import { typedField } from "./source-page.ts";

/** Everything of an owner at once. */

export interface EraseView {
  readonly records: number;
  readonly sources: number;
  readonly agents: number;
  readonly proof: Proof;
  readonly isMistyped: boolean;
}

export const eraseSentence = "delete everything";

export const erasePage = ({ records, sources, agents, proof, isMistyped }: EraseView): Html =>
  page(
    "Delete everything",
    html`<p class="back"><a href="/settings#everything">Settings</a></p>
<h1>Delete everything?</h1>
<h2>What will be gone</h2>
<ul><li>${counted(records, "record")} of ${sources === 1 ? "one source" : `${grouped(sources)} sources`}, with their history and files.</li>
<li>Every permission: ${agents === 0 ? "no agent has one now" : agents === 1 ? "one agent loses its" : `${grouped(agents)} agents lose theirs`}. Tokens of your own programs too.</li></ul>
<h2>What stays</h2>
<ul><li>You, signed in as you are, and your passkeys: the vault is empty, and yours.</li><li>The log: who read what, and what you did.</li><li>What agents have read already, they keep.</li><li>Backups that you made.</li></ul>
<form class="typed" method="post" action="/settings/delete-everything">${proofField(proof)}
${typedField("sentence", html`Type <strong>${eraseSentence}</strong>`, isMistyped, `That is not it. Type: ${eraseSentence}`)}
<div class="buttons"><button class="danger">Delete everything for good</button><a class="button" href="/settings">Keep it</a></div></form>
<p class="soft">This cannot be undone. <a href="/settings#copies">Take a copy first</a></p>`,
    { owner: { room: "/settings", proof } },
  );
