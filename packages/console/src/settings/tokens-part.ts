import { parseInstant } from "@pdpp/contract/instant";
import type { OwnerRight, OwnerTokenDocument } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { type Html, letterMark, proofField } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { onDay } from "../frame/time-words.ts";
import { said } from "../frame/value-view.ts";
import type { SettingsView } from "./settings-page.ts";

/** Tokens that the owner made for programs of their own. */

const rights: Readonly<Record<OwnerRight, string>> = {
  read: "read everything",
  ingest: "store records and files",
  manage: "delete records",
  introspect: "introspect tokens",
  everything: "do everything",
};

const mostShown = 100;

export function tokensPart({ tokens, proof }: SettingsView): Html {
  const active = tokens.filter(({ status }) => status === "active").slice(0, mostShown);
  return html`${
    active.length === 0
      ? html`<p>None. Run <code>pdpp owner-token create</code> to create a token for your own scripts.</p>`
      : html`<ul class="rows">${active.map((token) => row(token, proof))}</ul>`
  }`;
}

function row({ token_id, name, may, connection_ids, created_at, expires_at }: OwnerTokenDocument, proof: Proof): Html {
  const until = expires_at === undefined ? null : parseInstant(expires_at);
  const where =
    connection_ids === undefined
      ? ""
      : `, in ${connection_ids.length === 1 ? "one source" : `${connection_ids.length} sources`}`;
  return html`<li>${letterMark(name)}<div class="about"><h3>${said(name)}</h3><p>Can ${may.map((right) => rights[right]).join(", ")}${where}</p>
<p class="soft">Created ${onDay(parseInstant(created_at) ?? 0)}${until === null ? "" : html`, expires ${onDay(until)}`}</p></div>
<form method="post" action="/settings/tokens/${token_id}/revoke">${proofField(proof)}<button class="danger">Revoke<span class="hidden"> token ${name}</span></button></form></li>`;
}
