import { findStream } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { ConsoleParts } from "../frame/session.ts";
import { fieldLabel, type ReadableSource, readableOf, streamLabel } from "../frame/words.ts";
import { newestCard, shownTexts } from "./offer.ts";

/** What would be shared, as it is ticked. */
export interface Review {
  readonly reads: readonly ReadableSource[];
  readonly cards: readonly PreviewCard[];
  /** What its first call of a tool returns, word for word. */
  readonly firstCall?: string;
}

interface PreviewCard {
  readonly source: string;
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly value: string }[];
}

const previewedStreams = 8;

/** Read as the client would read, under the very scope it would have. `toolText`: when it is shown, and not only compared. */
export async function reviewOf(
  owner: OwnerApi,
  wanted: GrantRequest,
  toolText?: ConsoleParts["toolText"],
): Promise<Review> {
  const [{ grants, reader }, catalog] = [await owner.grants.propose(wanted), await owner.catalog()];
  const granted = grants.flatMap(({ connector_key, streams }) =>
    streams.map((stream) => ({ connector: catalog.connectors.get(connector_key), stream })),
  );
  const cards: PreviewCard[] = [];
  for (const { connector, stream } of granted.slice(0, previewedStreams)) {
    const declaration = connector && findStream(connector, stream.name);
    const card = declaration && (await newestCard(reader, stream.name, stream.connection_ids));
    if (declaration === undefined || card === undefined) continue;
    const labels = new Map(declaration.fields.map((field) => [field.name, fieldLabel(field)]));
    cards.push({
      source: [card.display_name ?? card.connection_id, streamLabel(declaration)].join(" · "),
      title: card.title,
      lines: [...shownTexts(card)].map(([name, value]) => ({ label: labels.get(name) ?? name, value })),
    });
  }
  // The schema names no address.
  const firstCall =
    granted.length === 0 ? undefined : (await toolText?.(reader, "schema", {}, "http://localhost"))?.text;
  return { reads: readableOf(grants, catalog), cards, ...(firstCall === undefined ? {} : { firstCall }) };
}
