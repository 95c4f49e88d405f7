import { parseInstant } from "@pdpp/contract/instant";
import type { OwnerRight, OwnerTokenDocument } from "@pdpp/contract/owner";
import { type Html, renderCsrfField, renderLetterMark } from "../frame/frame.tsx";
import { renderDay } from "../frame/render/times.tsx";
import { renderName } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { SettingsView } from "./settings-page.tsx";

/** Tokens for the owner's own programs. */

const rightLabels: Readonly<Record<OwnerRight, string>> = {
  read: "read everything",
  ingest: "store records and files",
  push: "send to push sources",
  manage: "delete records",
  introspect: "introspect tokens",
  everything: "do everything",
};

const maxShown = 100;

export function renderTokens({ tokens, viewer }: SettingsView): Html {
  const active = tokens.filter(({ status }) => status === "active").slice(0, maxShown);
  return (
    <>
      {active.length === 0 ? (
        <p>
          None. Run <code>pdpp owner-token create</code> to create a token for your own scripts.
        </p>
      ) : (
        <ul class="rows">{active.map((token) => renderToken(token, viewer))}</ul>
      )}
    </>
  );
}

function renderToken(
  { token_id, name, may, connection_ids, created_at, expires_at }: OwnerTokenDocument,
  viewer: Viewer,
): Html {
  const until = expires_at === undefined ? null : parseInstant(expires_at);
  const where =
    connection_ids === undefined
      ? ""
      : `, in ${connection_ids.length === 1 ? "one source" : `${connection_ids.length} sources`}`;
  return (
    <li>
      {renderLetterMark(name)}
      <div class="about">
        <h3>{renderName(name)}</h3>
        <p>
          Can {may.map((right) => rightLabels[right]).join(", ")}
          {where}
        </p>
        <p class="soft">
          Created {renderDay(parseInstant(created_at) ?? 0)}
          {until !== null && <>, expires {renderDay(until)}</>}
        </p>
      </div>
      <form method="post" action={`/settings/tokens/${token_id}/revoke`}>
        {renderCsrfField(viewer)}
        <button class="danger">
          Revoke<span class="hidden"> token {renderName(name)}</span>
        </button>
      </form>
    </li>
  );
}
