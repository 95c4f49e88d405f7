import { findStream } from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";
import type { ReadApi } from "@pdpp/contract/operations";
import type { OwnerApi, OwnerCatalog } from "@pdpp/contract/owner";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { describeAccess, type SourceAccess } from "./access.ts";
import { labelField, labelStream } from "./labels.ts";
import { findNewestCard, listCardTexts } from "./offer.ts";
import { buildSamples, type Sample, type SampledStream } from "./samples.ts";

/** A preview of what a client would see, read with exactly the scope it would get. */

export interface Preview {
  readonly access: readonly SourceAccess[];
  /** The agent's view of a few sample questions. */
  readonly samples: readonly SampleOutput[];
  readonly cards: readonly PreviewCard[];
  /** The exact result of the client's first tool call. */
  readonly firstCall?: string;
}

/** A question with the exact result of the tool call that answers it. */
interface SampleOutput extends Sample {
  readonly output: string;
}

interface PreviewCard {
  readonly source: string;
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly value: string }[];
}

export const emptyPreview: Preview = { access: [], samples: [], cards: [] };

const maxStreams = 8;
/** Nothing in a preview is a link, so any origin will do. */
const origin = "http://localhost";

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
      source: [isolateLabel(card.display_name ?? card.connection_id), labelStream(declaration)].join(" · "),
      title: card.title,
      lines: [...listCardTexts(card)].map(([name, value]) => ({ label: labels.get(name) ?? name, value })),
    });
  }
  const firstCall = granted.length === 0 ? undefined : (await runTool?.(reader, "schema", {}, origin))?.text;
  const samples: SampleOutput[] = [];
  if (runTool !== undefined)
    for (const sample of await buildSamples(reader, await listSampledStreams(reader, catalog)))
      samples.push({ ...sample, output: (await runTool(reader, sample.tool, { ...sample.args }, origin)).text });
  return { access: describeAccess(grants, catalog), samples, cards, ...(firstCall === undefined ? {} : { firstCall }) };
}

/** The streams with the most records first. */
async function listSampledStreams(
  reader: ReadApi,
  { connectors, connections }: OwnerCatalog,
): Promise<SampledStream[]> {
  const { data } = await reader.streams({});
  return data
    .toSorted((a, b) => b.record_count - a.record_count)
    .flatMap(({ name, connection_id }) => {
      const connection = connections.find(({ id }) => id === connection_id);
      const connector = connection && connectors.get(connection.connectorKey);
      const stream = connector && findStream(connector, name);
      if (stream === undefined || connection === undefined) return [];
      return [{ name, label: labelStream(stream), connectionId: connection.id }];
    })
    .slice(0, maxStreams);
}
