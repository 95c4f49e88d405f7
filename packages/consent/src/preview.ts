import { findStream } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi } from "@pdpp/contract/owner";
import { describeAccess, type SourceAccess } from "./access.ts";
import { labelField, labelStream } from "./labels.ts";
import { findNewestCard, listCardTexts } from "./offer.ts";

/** A preview of what a client would see, read with exactly the scope it would get. */

export interface Preview {
  readonly access: readonly SourceAccess[];
  readonly cards: readonly PreviewCard[];
  /** The exact result of the client's first tool call. */
  readonly firstCall?: string;
}

interface PreviewCard {
  readonly source: string;
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly value: string }[];
}

export const emptyPreview: Preview = { access: [], cards: [] };

const maxStreams = 8;

/** Runs a tool as an agent would, and answers the text that the agent gets. */
export type RunTool = (
  api: ReadApi,
  tool: string,
  args: Record<string, unknown>,
  origin: string,
) => Promise<{ readonly text: string; readonly isError: boolean }>;

/** `runTool` is left out where the preview is only compared, not shown. */
export async function buildPreview(owner: OwnerApi, request: GrantRequest, runTool?: RunTool): Promise<Preview> {
  const [{ grants, reader }, catalog] = [await owner.grants.propose(request), await owner.catalog()];
  const granted = grants.flatMap(({ connector_key, streams }) =>
    streams.map((stream) => ({ connector: catalog.connectors.get(connector_key), stream })),
  );
  const cards: PreviewCard[] = [];
  for (const { connector, stream } of granted.slice(0, maxStreams)) {
    const declaration = connector && findStream(connector, stream.name);
    const card = declaration && (await findNewestCard(reader, stream.name, stream.connection_ids));
    if (declaration === undefined || card === undefined) continue;
    const labels = new Map(declaration.fields.map((field) => [field.name, labelField(field)]));
    cards.push({
      source: [card.display_name ?? card.connection_id, labelStream(declaration)].join(" · "),
      title: card.title,
      lines: [...listCardTexts(card)].map(([name, value]) => ({ label: labels.get(name) ?? name, value })),
    });
  }
  // The schema contains no addresses, so any origin will do.
  const firstCall =
    granted.length === 0 ? undefined : (await runTool?.(reader, "schema", {}, "http://localhost"))?.text;
  return { access: describeAccess(grants, catalog), cards, ...(firstCall === undefined ? {} : { firstCall }) };
}
