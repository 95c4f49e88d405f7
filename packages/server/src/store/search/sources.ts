import type { Source, Visibility } from "@pdpp/word-index/ports";
import { type Condition, canRead, matchVisible, type StreamScope } from "../access/scope.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { getVisibleConversation, loadNextTurns } from "./conversation.ts";
import { type ConnectionScope, findDocs, hasValue } from "./doc-queries.ts";
import { listIndexedFields } from "./indexing.ts";
import type { WordIndex } from "./segment-catalog.ts";

/** What a search may read: the segments of each connection of the scope, and in them the fields of the scope. */

export interface SearchedStream {
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
}

export interface StreamSource extends Source {
  readonly stream: SearchedStream;
  readonly connectionNo: number;
}

const roleBoosts: { readonly [role: string]: number } = { "primary-title": 2, secondary: 1.2, actor: 1.5 };

export interface SourceOptions {
  readonly on: ReadTransaction;
  readonly words: WordIndex;
  /** The index revision of the state that `on` reads. */
  readonly revision: number;
  /** Documents with higher numbers were added later and are not visible. */
  readonly maxDoc: number;
}

export async function loadSources(options: SourceOptions, streams: readonly SearchedStream[]): Promise<StreamSource[]> {
  const { on, words, revision } = options;
  const sources: StreamSource[] = [];
  for (const stream of streams) {
    const { scope } = stream;
    const plan = scope.stream.activeSearchPlan;
    if (plan === null) continue;
    const fields = listIndexedFields(plan).flatMap((field, n) => (canRead(scope, field) ? [n] : []));
    if (fields.length === 0) continue;
    const owner = await words.loadSegments(on, scope.ownerNo, revision);
    const getRole = (field: string) => scope.stream.declaration.fields.find(({ name }) => name === field)?.role ?? "";
    const boosts = listIndexedFields(plan).map((field) => roleBoosts[getRole(field)] ?? 1);
    for (const { no } of scope.connections) {
      const segments = owner.getSegments(plan.name, no);
      if (segments.length === 0) continue;
      const visibility = createVisibility(options, stream, no);
      sources.push({ stream, connectionNo: no, segments, fields, boosts, visibility });
    }
  }
  return sources;
}

function createVisibility(
  { on, maxDoc }: SourceOptions,
  { scope, conditions }: SearchedStream,
  connectionNo: number,
): Visibility {
  const within: ConnectionScope = { scope, connectionNo };
  const limits = matchVisible(scope, conditions, on.dialect);
  const conversation = getVisibleConversation(scope);
  const { declaration, columns } = scope.stream;
  const { generated } = declaration;
  const generatedBy = generated && canRead(scope, generated.field) ? columns.get(generated.field) : undefined;
  return {
    isFiltered: limits.length > 0,
    // Segments count a record again whenever one of its fields changes, so hidden fields matter too.
    isComplete: limits.length === 0 && declaration.fields.every(({ name }) => canRead(scope, name)),
    findVisible: (docs) => findDocs(on, within, docs, limits),
    ...(conversation && {
      loadNextTurns: (docs) => loadNextTurns(on, within, conversation, limits, maxDoc, docs),
    }),
    ...(generated &&
      generatedBy && {
        findGenerated: (docs) => findDocs(on, within, docs, [hasValue(generatedBy, generated.values)]),
      }),
  };
}
