import { addressOf } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { SingleRecord } from "@pdpp/contract/wire";
import type { StreamScope } from "../store/access/scope.ts";
import { getRecord } from "../store/records/records.ts";
import type { ReadContext } from "./context.ts";
import { cardOf, documentOf } from "./evidence.ts";
import { expandRecords, expansionsFrom, relatedVersions } from "./expand.ts";
import { loaded } from "./loaded.ts";
import { presentationOf, projectionFrom, readablePath, wireRecord } from "./projection.ts";
import { recordSource } from "./record-source.ts";
import { versionsOf } from "./versions.ts";

export async function fetchRecord(context: ReadContext, asked: Input<"fetch">): Promise<SingleRecord> {
  const input = withImpliedView(asked);
  const prepare = (stream: StreamScope) => {
    const projection = projectionFrom(stream, input);
    refuseDocumentOnly(stream, input);
    return { projection, expansions: expansionsFrom(context.scope, stream, input) };
  };
  const scope = await recordSource(context, input, prepare);
  const { projection, expansions } = prepare(scope);
  const { dialect } = context.store.engine;
  return context.store.engine.read(async (on) => {
    const found = await getRecord(on, dialect, scope, input.record_id);
    if (found === undefined) {
      throw new PdppError("not_found", `stream ${input.stream} has no record with that id in this grant`, {
        param: "record_id",
      });
    }
    const record = await loaded(context, on, scope, projection, found);
    const presentation = presentationOf(scope, input.view);
    const related = await expandRecords(context, on, expansions, [record], presentation === "evidence");
    const versions = [record.version, ...relatedVersions(related?.[0])];
    context.disclose({
      connectionIds: [record.connection.id],
      stream: input.stream,
      records: versions.length,
      versions,
    });
    const shown = {
      evidence: (...of: Parameters<typeof wireRecord>) => cardOf(context, ...of),
      document: (...of: Parameters<typeof wireRecord>) => documentOf(context, ...of, input),
      record: wireRecord,
    }[presentation ?? "record"] as typeof wireRecord;
    return {
      ...shown(scope, projection, record),
      ...(related === undefined ? {} : { expanded: related[0]?.shown ?? {} }),
      links: { self: addressOf("fetch", asked) },
      meta: {
        warnings: [],
        ...(input.versions === undefined ? {} : { versions: await versionsOf(context, on, scope, input) }),
      },
    };
  });
}

/** Only a document goes on after a field, so a continuation that says where needs not say what. */
const withImpliedView = (input: Input<"fetch">): Input<"fetch"> =>
  input.view === undefined && input.after_field !== undefined ? { ...input, view: "document" } : input;

function refuseDocumentOnly(scope: StreamScope, input: Input<"fetch">): void {
  if (presentationOf(scope, input.view) === "document") {
    if (input.after_field !== undefined) readablePath(scope, input.after_field, "after_field");
    if (input.expand !== undefined)
      throw new PdppError("invalid_expand", "expand does not go with view=document; fetch the related records by id", {
        param: "expand",
      });
    return;
  }
  for (const param of ["limit_chars", "max_chars", "after_field"] as const) {
    if (input[param] !== undefined)
      throw new PdppError("invalid_request", `${param} can only be used with view=document`, { param });
  }
}
