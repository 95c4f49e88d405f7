import { buildUrl } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { SingleItem } from "@pdpp/contract/wire";
import type { StreamScope } from "../../store/access/scope.ts";
import { getRecord } from "../../store/records/records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { buildCard, buildCitation, buildDocument } from "../records/cards.ts";
import { createListAll, expandRecords, listRelatedVersions, parseExpansions } from "../records/expand.ts";
import { isTooLong, loadRecord } from "../records/load-record.ts";
import { getPresentation, parseProjection, parseReadablePath, toWireRecord } from "../records/projection.ts";
import { listVersions } from "./list-versions.ts";
import { findRecordSource } from "./record-source.ts";
import { listRelatedLinks } from "./related-links.ts";

export async function fetchRecord(context: ReadContext, asked: Input<"fetch">): Promise<SingleItem | TooHeavy> {
  const input = addImpliedView(asked);
  const prepare = (stream: StreamScope) => {
    const projection = parseProjection(stream, input);
    checkDocumentParameters(stream, input);
    return { projection, expansions: parseExpansions(context.scope, stream, input) };
  };
  const scope = await findRecordSource(context, input, prepare);
  const { projection, expansions } = prepare(scope);
  return context.store.engine.read(async (on) => {
    const found = await getRecord(on, scope, input.record_id);
    if (found === undefined) {
      throw new PdppError("not_found", `stream ${input.stream} has no record with that id in this grant`, {
        param: "record_id",
      });
    }
    if (await isTooLong(context, on, scope, [found])) return tooHeavy;
    const record = await loadRecord(context, on, scope, projection, found);
    const presentation = getPresentation(scope, input.view);
    const expanded = await expandRecords(context, on, expansions, [record], presentation !== undefined);
    if (expanded === tooHeavy) return tooHeavy;
    const [brought] = expanded ?? [];
    // A projection shows only the requested fields, so it has no related links.
    const isProjected = input.fields !== undefined || (input.view !== undefined && presentation === undefined);
    const links =
      isProjected || input.after_field !== undefined ? [] : await listRelatedLinks(context, on, scope, record);
    const leads = {
      ...(links.length === 0 ? {} : { related: links }),
      ...(presentation === undefined ? {} : buildCitation(context, scope, record)),
      ...(brought === undefined ? {} : { expanded: brought.shown }),
    };
    const shown =
      presentation === "document"
        ? buildDocument(context, scope, projection, record, input, {
            ...leads,
            listAll: createListAll(expansions, record),
          })
        : {
            ...(presentation === "evidence"
              ? buildCard(context, scope, projection, record)
              : toWireRecord(scope, projection, record)),
            ...leads,
          };
    const history = input.versions === undefined ? undefined : await listVersions(context, on, scope, input);
    if (history === tooHeavy) return tooHeavy;
    const versions = [
      record.version,
      ...(brought === undefined ? [] : listRelatedVersions({ ...brought, shown: shown.expanded ?? {} })),
    ];
    context.disclose({
      connectionIds: [record.connection.id],
      stream: input.stream,
      records: versions.length,
      versions,
    });
    return {
      ...shown,
      links: { self: buildUrl("fetch", asked) },
      meta: {
        warnings: [],
        ...(history === undefined ? {} : { versions: history }),
      },
    } as SingleItem;
  });
}

/** `after_field` implies the document view. */
const addImpliedView = (input: Input<"fetch">): Input<"fetch"> =>
  input.view === undefined && input.after_field !== undefined ? { ...input, view: "document" } : input;

function checkDocumentParameters(scope: StreamScope, input: Input<"fetch">): void {
  if (getPresentation(scope, input.view) === "document") {
    if (input.after_field !== undefined) parseReadablePath(scope, input.after_field, "after_field");
    return;
  }
  for (const param of ["limit_chars", "max_chars", "after_field"] as const) {
    if (input[param] !== undefined)
      throw new PdppError("invalid_request", `${param} can only be used with view=document`, { param });
  }
}
