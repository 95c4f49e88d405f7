import { PdppError } from "@pdpp/contract/errors";
import type { Context } from "hono";
import type { FormPart } from "../frame/form-parts.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import type { Viewer } from "../frame/viewer.ts";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { explainDiskAccess } from "./disk-access.ts";
import { renderImportPage } from "./import-page.tsx";
import type { ImportAnswers, ImportService } from "./import-service.ts";
import { renderReportPage } from "./report-page.tsx";
import { renderRunPage } from "./run-page.tsx";
import { UnrecognizedFilesCache } from "./unrecognized-files.tsx";

const importsPerPage = 25;
const rejectedPerPage = 50;

export function addImportRoutes({ page, action, upload }: Guard, parts: ConsoleParts): void {
  const { now, getOwner, imports, getDiskAccess = async () => "elsewhere" as const } = parts;
  const importService = (): ImportService => {
    if (imports !== undefined) return imports;
    throw new PdppError("not_found", "this server doesn't accept uploads. Run pdpp import FILE instead");
  };

  const leftOut = new UnrecognizedFilesCache();

  page("/import", async (c, session, viewer) => {
    const history = await getOwner(session).imports.loadHistory(importsPerPage, c.req.query("before"));
    const id = imports?.findRunning(session);
    const isWaiting = id !== undefined && imports?.getState(session, id)?.stage === "planned";
    const place = imports && {
      formats: await imports.listFormats(),
      mostBytes: imports.maxBytes,
      disk: await getDiskAccess(),
      underWay: id === undefined ? undefined : { id, isWaiting },
    };
    const isFirst = c.req.query("before") === undefined;
    return c.html(
      renderImportPage({ place, history, isFirst, viewer, now: now() }),
      200,
      buildPageHeaders(undefined, "reads on"),
    );
  });

  page("/import/:id", async (c, session, viewer) => {
    const id = c.req.param("id") ?? "";
    const state = imports?.getState(session, id);
    if (state === undefined || (state.stage === "done" && state.importId === id))
      return respondWithReport(c, session, id, viewer);
    // A finished import is shown under its id, as it will be later.
    if (state.stage === "done") {
      const left = leftOut.find(session, id);
      if (left !== undefined) leftOut.remember(session, state.importId, left);
      return c.redirect(`/import/${state.importId}`, 303);
    }
    const names = await loadNames(getOwner(session));
    return c.html(renderRunPage({ id, state, names, viewer }), 200, buildPageHeaders(undefined, "reads on"));
  });

  const respondWithReport = async (
    c: Context,
    session: OwnerSession,
    id: string,
    viewer: Viewer,
  ): Promise<Response> => {
    const owner = getOwner(session);
    const found = await owner.imports.get(id);
    const aside = await owner.imports.loadRejectedPage(id, rejectedPerPage, c.req.query("after"));
    const left = leftOut.find(session, id);
    const view = { found, aside, left, isFirst: c.req.query("after") === undefined, names: await loadNames(owner) };
    return c.html(renderReportPage({ ...view, viewer, now: now() }), 200, buildPageHeaders());
  };

  upload("/import/upload", async (c, session, sent) =>
    receiveUpload(importService(), session, readContentLength(c), sent),
  );

  action("/import/path", async (c, session) => {
    const path = (await c.req.formData()).get("path");
    const disk = await getDiskAccess();
    if (disk !== "open") throw new PdppError("permission_error", explainDiskAccess(disk));
    if (typeof path !== "string" || path.trim() === "")
      throw new PdppError("invalid_argument", "enter a file or folder path");
    return `/import/${await importService().beginAtPath(session, path)}`;
  });

  action("/import/:id/answer", async (c, session) => {
    const id = c.req.param("id") ?? "";
    const state = importService().getState(session, id);
    if (state?.stage === "planned") leftOut.remember(session, id, state.plan);
    await importService().answer(session, id, parseAnswers(await c.req.formData()));
    return `/import/${id}`;
  });

  action("/import/:id/cancel", async (c, session) => {
    const id = c.req.param("id") ?? "";
    const isFromList = (await c.req.formData()).get("from") === "list";
    await importService().cancel(session, id);
    return isFromList || importService().getState(session, id) === undefined ? "/import" : `/import/${id}`;
  });
}

const readContentLength = (c: Context): number | undefined => {
  const length = Number(c.req.header("content-length"));
  return Number.isSafeInteger(length) ? length : undefined;
};

async function receiveUpload(
  importService: ImportService,
  session: OwnerSession,
  announced: number | undefined,
  sent: AsyncIterable<FormPart>,
): Promise<string> {
  const receiving = await importService.receive(session, announced);
  try {
    let modifiedAt: number | undefined;
    for await (const part of sent) {
      if ("value" in part) modifiedAt = part.name === "modified" ? Number(part.value) : modifiedAt;
      else if (part.fileName === "") for await (const _ of part.bytes);
      else {
        await receiving.add({ name: part.fileName, modifiedAt, bytes: part.bytes });
        modifiedAt = undefined;
      }
    }
    return `/import/${await receiving.begin()}`;
  } catch (error) {
    await receiving.drop();
    throw error;
  }
}

function parseAnswers(form: FormData): ImportAnswers {
  const readText = (name: string): string | undefined => {
    const value = form.get(name);
    return typeof value === "string" ? value.slice(0, 500) : undefined;
  };
  const asked = (["time_zone", "date_order", "me"] as const).flatMap((key) => {
    const value = readText(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const into = form.getAll("target").flatMap((key): [string, ImportAnswers["into"][string]][] => {
    const id = readText(`into ${key}`) ?? "";
    const label = (readText(`label ${key}`) ?? "").trim();
    if (id === "" && label === "") return [];
    return [[String(key), id === "" ? { label } : { id }]];
  });
  return {
    ...Object.fromEntries(asked),
    attachments: form.get("without_attachments") === null,
    again: form.get("again") !== null,
    into: Object.fromEntries(into),
  };
}
