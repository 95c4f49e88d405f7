import { PdppError } from "@pdpp/contract/errors";
import type { ImportAnswers, ImportService } from "@pdpp/contract/import-service";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import type { Context } from "hono";
import type { FormPart } from "../frame/form-parts.ts";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import { namesOf } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { importPage } from "./import-page.ts";
import { importedPage } from "./imported-page.ts";
import { LeftOut } from "./not-understood.ts";
import { runPage } from "./run-page.ts";

/** Bringing exports in, from the file to the report, and what came before. */

const shownImports = 25;
const shownAside = 50;

export function importRoutes({ owned, acting, taking }: Guard, parts: ConsoleParts): void {
  const { now, ownerOf, imports, diskOf = async () => "elsewhere" as const } = parts;
  const importService = (): ImportService => {
    if (imports !== undefined) return imports;
    throw new PdppError("not_found", "this server doesn't accept uploads. Run pdpp import FILE instead");
  };

  const leftOut = new LeftOut();

  owned("/import", async (c, session, proof) => {
    const history = await ownerOf(session).imports.history(shownImports, c.req.query("before"));
    const id = imports?.findRunning(session);
    const isWaiting = id !== undefined && imports?.getState(session, id)?.stage === "planned";
    const place = imports && {
      mostBytes: imports.maxBytes,
      disk: await diskOf(),
      underWay: id === undefined ? undefined : { id, isWaiting },
    };
    const isFirst = c.req.query("before") === undefined;
    return c.html(importPage({ place, history, isFirst, proof, now: now() }), 200, pageHeaders(undefined, "reads on"));
  });

  owned("/import/:id", async (c, session, proof) => {
    const id = c.req.param("id") ?? "";
    const state = imports?.getState(session, id);
    if (state === undefined || (state.stage === "done" && state.importId === id))
      return imported(c, session, id, proof);
    // What is done is shown as it is later: what came of an earlier attempt stands under that one's id.
    if (state.stage === "done") {
      const left = leftOut.of(session, id);
      if (left !== undefined) leftOut.note(session, state.importId, left);
      return c.redirect(`/import/${state.importId}`, 303);
    }
    const names = await namesOf(ownerOf(session));
    return c.html(runPage({ id, state, names, proof }), 200, pageHeaders(undefined, "reads on"));
  });

  const imported = async (c: Context, session: OwnerSession, id: string, proof: Proof): Promise<Response> => {
    const owner = ownerOf(session);
    const found = await owner.imports.get(id);
    const aside = await owner.imports.asidePage(id, shownAside, c.req.query("after"));
    const left = leftOut.of(session, id);
    const view = { found, aside, left, isFirst: c.req.query("after") === undefined, names: await namesOf(owner) };
    return c.html(importedPage({ ...view, proof, now: now() }), 200, pageHeaders());
  };

  taking("/import/upload", async (c, session, sent) => receive(importService(), session, announcedIn(c), sent));

  acting("/import/path", async (c, session) => {
    const path = (await c.req.formData()).get("path");
    const disk = await diskOf();
    if (disk !== "open") throw new PdppError("permission_error", diskWords[disk]);
    if (typeof path !== "string" || path.trim() === "")
      throw new PdppError("invalid_argument", "enter a file or folder path");
    return `/import/${await importService().beginAtPath(session, path)}`;
  });

  acting("/import/:id/answer", async (c, session) => {
    const id = c.req.param("id") ?? "";
    const state = importService().getState(session, id);
    if (state?.stage === "planned") leftOut.note(session, id, state.plan);
    await importService().answer(session, id, answersIn(await c.req.formData()));
    return `/import/${id}`;
  });

  acting("/import/:id/cancel", async (c, session) => {
    const id = c.req.param("id") ?? "";
    const isFromList = (await c.req.formData()).get("from") === "list";
    await importService().cancel(session, id);
    return isFromList || importService().getState(session, id) === undefined ? "/import" : `/import/${id}`;
  });
}

const diskWords = {
  elsewhere:
    "this server accepts remote connections, so importing from a path is disabled. Start it with --import-paths to enable it",
  shared: "this vault has several owners, so importing from a path on the server is disabled",
} as const;

const announcedIn = (c: Context): number | undefined => {
  const length = Number(c.req.header("content-length"));
  return Number.isSafeInteger(length) ? length : undefined;
};

async function receive(
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

function answersIn(form: FormData): ImportAnswers {
  const text = (name: string): string | undefined => {
    const value = form.get(name);
    return typeof value === "string" ? value.slice(0, 500) : undefined;
  };
  const asked = (["time_zone", "date_order", "me"] as const).flatMap((key) => {
    const value = text(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const into = form.getAll("target").flatMap((key): [string, ImportAnswers["into"][string]][] => {
    const id = text(`into ${key}`) ?? "";
    const label = (text(`label ${key}`) ?? "").trim();
    if (id === "" && label === "") return [];
    return [[String(key), id === "" ? { label } : { id }]];
  });
  return {
    ...Object.fromEntries(asked),
    attachments: form.get("without_attachments") === null,
    into: Object.fromEntries(into),
  };
}
