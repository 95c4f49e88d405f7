import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import type { ImportFormat, ImportService, UploadSession } from "@pdpp/console/import/import-service";
import type { OwnerSession } from "@pdpp/console/sign-in/sign-in-service";
import { PdppError } from "@pdpp/contract/errors";
import { exportGuides } from "@pdpp/importers/export-guides";
import { createId } from "@pdpp/server/auth/tokens";
import type { StoreLocation } from "@pdpp/server/store/store";
import { defaultRunLimits, ImportRun, type RunLimits } from "./import-run.ts";
import { parsePath } from "./parse-path.ts";
import { defaultUploadLimits, Upload, type UploadLimits } from "./upload.ts";
import { createUploadFolder, getUploadsRoot, removeStaleUploads, type UploadFolder } from "./upload-folder.ts";

export interface ImportServiceLimits extends UploadLimits, RunLimits {
  /** Imports and uploads at the same time, over all owners. */
  readonly maxRunning: number;
}

const defaultLimits: ImportServiceLimits = { ...defaultUploadLimits, ...defaultRunLimits, maxRunning: 3 };

/** Finished imports kept in memory; older ones are in the vault. */
const maxRemembered = 100;

export async function createImportService(
  location: StoreLocation,
  given: Partial<ImportServiceLimits> = {},
): Promise<ImportService> {
  const limits = { ...defaultLimits, ...given };
  const root = getUploadsRoot(location.dataDir);
  await removeStaleUploads(root);
  const runs = new Map<string, ImportRun>();
  const receiving = new Map<number, UploadFolder | undefined>();
  let isClosed = false;

  const findRunning = (ownerNo: number): string | undefined =>
    [...runs].find(([, run]) => run.ownerNo === ownerNo && run.isUnderWay)?.[0];
  const checkTurn = ({ ownerNo }: OwnerSession): void => {
    if (isClosed) throw new PdppError("unavailable", "the server is shutting down; try again later");
    if (findRunning(ownerNo) !== undefined || receiving.has(ownerNo))
      throw new PdppError("rate_limited", "you already have an import running; wait for it, or stop it first");
    if ([...runs.values()].filter((run) => run.isUnderWay).length + receiving.size >= limits.maxRunning)
      throw new PdppError("rate_limited", "too many imports are running on this server; try again later");
  };
  const findOwned = ({ ownerNo }: OwnerSession, id: string): ImportRun | undefined => {
    const run = runs.get(id);
    return run?.ownerNo === ownerNo ? run : undefined;
  };
  /** Creates a folder and blocks other imports of the same owner. */
  const reserveFolder = async (session: OwnerSession): Promise<UploadFolder> => {
    checkTurn(session);
    const { ownerNo } = session;
    receiving.set(ownerNo, undefined);
    try {
      const { drop, ...place } = await createUploadFolder(root);
      const held: UploadFolder = {
        ...place,
        async drop() {
          if (receiving.get(ownerNo) === held) receiving.delete(ownerNo);
          await drop();
        },
      };
      receiving.set(ownerNo, held);
      return held;
    } catch (error) {
      receiving.delete(ownerNo);
      throw error;
    }
  };
  const begin = async (ownerNo: number, paths: readonly string[], place: UploadFolder): Promise<string> => {
    if (isClosed) {
      await place.drop();
      throw new PdppError("unavailable", "the server is shutting down; try again later");
    }
    const importId = createId("imp");
    // The import continued an earlier one, whose old state no longer applies.
    const onDone = (id: string): void => void (id !== importId && runs.delete(id));
    const about = describePaths(paths);
    runs.set(importId, new ImportRun({ location, ownerNo, importId, paths, about, place, limits, onDone }));
    receiving.delete(ownerNo);
    const [oldest] = [...runs].filter(([, run]) => !run.isUnderWay);
    if (runs.size > maxRemembered && oldest !== undefined) runs.delete(oldest[0]);
    return importId;
  };
  const receive = async (session: OwnerSession, announced = 0): Promise<UploadSession> => {
    const place = await reserveFolder(session);
    const upload = new Upload(place.files, limits);
    try {
      await upload.checkRoom(announced);
    } catch (error) {
      await place.drop();
      throw error;
    }
    return {
      add: (file) => upload.add(file),
      drop: place.drop,
      async begin() {
        if (upload.paths.length > 0) return begin(session.ownerNo, upload.paths, place);
        await place.drop();
        throw new PdppError("invalid_request", "no files received; choose one or more and try again");
      },
    };
  };

  return {
    listFormats,
    maxBytes: limits.maxBytes,
    receive,
    async beginAtPath(session, input) {
      const path = parsePath(input, "~/Downloads/takeout.zip");
      const place = await reserveFolder(session);
      if ((await lstat(path).catch(() => undefined)) !== undefined) return begin(session.ownerNo, [path], place);
      await place.drop();
      throw new PdppError("not_found", `${path} does not exist on the server, or the server cannot access it`);
    },
    findRunning: ({ ownerNo }) => findRunning(ownerNo),
    getState: (session, id) => findOwned(session, id)?.state,
    async answer(session, id, answers) {
      const run = findOwned(session, id);
      if (run === undefined) throw new PdppError("not_found", "this import no longer exists");
      run.answer(answers);
    },
    async cancel(session, id) {
      const run = findOwned(session, id);
      run?.cancel();
      await run?.ended;
    },
    async close() {
      isClosed = true;
      for (const run of runs.values()) run.cancel();
      await Promise.all([...runs.values()].map(({ ended }) => ended));
      await Promise.all([...receiving.values()].map((place) => place?.drop()));
    },
  };
}

const describePaths = (paths: readonly string[]): string => {
  const [first = "", ...others] = paths.map((path) => basename(path));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};

/** Importers are loaded when somebody looks at the page: a server starts faster without them. */
async function listFormats(): Promise<ImportFormat[]> {
  const { formats } = await import("@pdpp/importers/formats");
  return formats
    .map(({ key, title, testedWith }) => {
      const guide = exportGuides[key];
      if (guide === undefined) throw new Error(`no guide says how to export ${key}`);
      return { title, guide, isProven: testedWith !== "unproven" };
    })
    .sort((a, b) => a.title.localeCompare(b.title, "en"));
}
