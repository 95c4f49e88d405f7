import { buildUrl } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { SingleItem } from "@pdpp/contract/wire";
import type { StreamScope } from "../../store/access/scope.ts";
import { getRecord } from "../../store/records/records.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { cardOf, citationOf, documentOf } from "../records/cards.ts";
import { expandRecords, expansionsFrom, listAllOf, relatedVersions } from "../records/expand.ts";
import { areTooLong, loaded } from "../records/load-record.ts";
import { presentationOf, projectionFrom, readablePath, wireRecord } from "../records/projection.ts";
import { versionsOf } from "./list-versions.ts";
import { recordSource } from "./record-source.ts";
import { relatedLinks } from "./related-links.ts";

export async function fetchRecord(context: ReadContext, asked: Input<"fetch">): Promise<SingleItem | TooHeavy> {
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
    if (areTooLong(context, [found])) return tooHeavy;
    const record = await loaded(context, on, scope, projection, found);
    const presentation = presentationOf(scope, input.view);
    const expanded = await expandRecords(context, on, expansions, [record], presentation !== undefined);
    if (expanded === tooHeavy) return tooHeavy;
    const [brought] = expanded ?? [];
    // A projection shows the fields that were asked for, and nothing that follows from others.
    const isProjected = input.fields !== undefined || (input.view !== undefined && presentation === undefined);
    const links = isProjected || input.after_field !== undefined ? [] : await relatedLinks(context, on, scope, record);
    const leads = {
      ...(links.length === 0 ? {} : { related: links }),
      ...(presentation === undefined ? {} : citationOf(context, scope, record)),
      ...(brought === undefined ? {} : { expanded: brought.shown }),
    };
    const shown =
      presentation === "document"
        ? documentOf(context, scope, projection, record, input, { ...leads, listAll: listAllOf(expansions, record) })
        : {
            ...(presentation === "evidence"
              ? cardOf(context, scope, projection, record)
              : wireRecord(scope, projection, record)),
            ...leads,
          };
    const history = input.versions === undefined ? undefined : await versionsOf(context, on, scope, input);
    if (history === tooHeavy) return tooHeavy;
    const versions = [
      record.version,
      ...(brought === undefined ? [] : relatedVersions({ ...brought, shown: shown.expanded ?? {} })),
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

/** Only a document goes on after a field, so a continuation that says where needs not say what. */
const withImpliedView = (input: Input<"fetch">): Input<"fetch"> =>
  input.view === undefined && input.after_field !== undefined ? { ...input, view: "document" } : input;

function refuseDocumentOnly(scope: StreamScope, input: Input<"fetch">): void {
  if (presentationOf(scope, input.view) === "document") {
    if (input.after_field !== undefined) readablePath(scope, input.after_field, "after_field");
    return;
  }
  for (const param of ["limit_chars", "max_chars", "after_field"] as const) {
    if (input[param] !== undefined)
      throw new PdppError("invalid_request", `${param} can only be used with view=document`, { param });
  }
}
