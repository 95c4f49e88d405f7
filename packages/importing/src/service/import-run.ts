import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ImportAnswers, ImportPlan, ImportProgress, ImportState } from "@pdpp/contract/import-service";
import type { StoreLocation } from "@pdpp/server/store/store";
import type { FromImport, ToImport } from "./messages.ts";
import type { UploadFolder } from "./upload-folder.ts";

/** One import: its process, and what is known of it. */

export interface RunLimits {
  /** Of the process's heap. */
  readonly heapMb: number;
  /** A process that says nothing for so long is ended. */
  readonly silentMs: number;
  /** So is one that looks at files and gets no further. */
  readonly stuckMs: number;
  /** How long a plan waits for its owner. */
  readonly waitMs: number;
}

export const defaultRunLimits: RunLimits = {
  heapMb: 1024,
  silentMs: 2 * 60_000,
  stuckMs: 20 * 60_000,
  waitMs: 2 * 3_600_000,
};

export interface RunRequest {
  readonly location: StoreLocation;
  readonly ownerNo: number;
  readonly importId: string;
  readonly paths: readonly string[];
  readonly about: string;
  readonly place: UploadFolder;
  readonly limits: RunLimits;
  /** Told the id under which it came in: an earlier import's, where it went on with that. */
  readonly onDone: (importId: string) => void;
}

const file = fileURLToPath(new URL("./import-process.ts", import.meta.url));
const watchEveryMs = 500;
/** The time left is told when this much has passed: before, it jumps. */
const settledMs = 2000;

export class ImportRun {
  readonly ownerNo: number;
  /** The process has ended, and what it was given is removed. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #limits: RunLimits;
  readonly #onDone: (importId: string) => void;
  #state: ImportState;
  #plan: ImportPlan | undefined;
  #heardAt = Date.now();
  /** When it last got further, or came to another stage. */
  #movedAt = Date.now();
  #pace:
    | { readonly at: number; readonly from: number; readonly done: number; readonly endsAt: number | undefined }
    | undefined;

  constructor({ location, ownerNo, importId, paths, about, place, limits, onDone }: RunRequest) {
    this.ownerNo = ownerNo;
    this.#onDone = onDone;
    this.#limits = limits;
    this.#state = { stage: "looking", about, bytes: 0 };
    const child = fork(file, [], {
      execArgv: [`--max-old-space-size=${limits.heapMb}`],
      env: {
        ...process.env,
        ...shareCompileCache(),
        TMPDIR: place.temporary,
        TMP: place.temporary,
        TEMP: place.temporary,
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child = child;
    const watching = setInterval(() => this.#watch(), watchEveryMs).unref();
    this.ended = new Promise<void>((over) => {
      child.once("error", () => {
        this.#fail("The program that reads exports could not be started.");
        over();
      });
      child.once("close", (code, signal) => {
        this.#fail(describeExit(code, signal));
        over();
      });
    })
      .finally(() => clearInterval(watching))
      .then(() => place.drop().catch(() => undefined));
    child.on("message", (message: FromImport) => this.#hear(message));
    this.#send({ kind: "begin", location, ownerNo, paths, importId, hidden: place.files });
  }

  get state(): ImportState {
    return this.#state;
  }

  /** As long as it is, its owner cannot begin another. A plan with nothing in it waits for nobody. */
  get isUnderWay(): boolean {
    const state = this.#state;
    if (state.stage === "planned") return state.plan.partCount > 0;
    return state.stage === "looking" || state.stage === "storing";
  }

  /** Whether it waited for them. */
  answer(answers: ImportAnswers): boolean {
    if (this.#state.stage !== "planned" || !this.isUnderWay) return false;
    const { about } = this.#state;
    this.#state = { stage: "storing", about, progress: { records: 0, plannedRecords: 0, done: 0 } };
    this.#send({ kind: "answer", answers });
    return true;
  }

  cancel(): void {
    if (!this.isUnderWay) return;
    const { stage, about } = this.#state;
    this.#state = { stage: "cancelled", about, isBegun: stage === "storing" };
    this.#child.kill("SIGKILL");
  }

  #send(message: ToImport): void {
    // One that has ended already is told by its end.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #hear(message: FromImport): void {
    if (!this.isUnderWay) return;
    const { about, stage } = this.#state;
    const now = Date.now();
    this.#heardAt = now;
    if (message.kind === "failed") this.#fail(toSentence(message.words));
    else if (message.kind === "done") {
      this.#state = { stage: "done", about, importId: message.importId };
      this.#onDone(message.importId);
    } else if (message.kind === "planned" || message.kind === "refused") {
      this.#plan = message.kind === "planned" ? message.plan : this.#plan;
      if (this.#plan === undefined) return;
      const fault = message.kind === "refused" ? { fault: message.words } : {};
      this.#state = { stage: "planned", about, plan: this.#plan, ...fault };
      this.#movedAt = now;
    } else if (message.kind === "looking" && this.#state.stage === "looking") {
      if (message.bytes !== this.#state.bytes) this.#movedAt = now;
      this.#state = { stage: "looking", about, bytes: message.bytes };
    } else if (message.kind === "storing" && stage === "storing") {
      this.#state = { stage: "storing", about, progress: this.#progress(message, now) };
    }
  }

  /** What an earlier attempt stored was not stored now, and does not count for the pace. */
  #progress(
    { records, plannedRecords: expected, done }: Omit<ImportProgress, "secondsLeft">,
    now: number,
  ): ImportProgress {
    if (done > 0) this.#pace ??= { at: now, from: done, done, endsAt: undefined };
    const pace = this.#pace;
    // Records come in batches: between two of them it is not slower.
    if (pace !== undefined && done > pace.done && now - pace.at >= settledMs)
      this.#pace = { ...pace, done, endsAt: now + ((1 - done) * (now - pace.at)) / (done - pace.from) };
    const endsAt = this.#pace?.endsAt;
    const left = endsAt === undefined ? {} : { secondsLeft: Math.max(1, Math.ceil((endsAt - now) / 1000)) };
    return { records, plannedRecords: expected, done, ...left };
  }

  #watch(): void {
    const { silentMs, stuckMs, waitMs } = this.#limits;
    const { stage } = this.#state;
    const now = Date.now();
    if (this.isUnderWay && now - this.#heardAt > silentMs)
      this.#end("The program that reads it stopped answering, and was ended.");
    else if (stage === "looking" && now - this.#movedAt > stuckMs)
      this.#end("Looking at it did not get any further, and was ended.");
    else if (stage === "planned" && now - this.#movedAt > waitMs)
      this.#end("Nobody said what to do with it for a long time, so what was uploaded is removed. Begin again.");
  }

  #end(words: string): void {
    this.#fail(words);
    this.#child.kill("SIGKILL");
  }

  #fail(words: string): void {
    if (!this.isUnderWay) return;
    const { about, stage } = this.#state;
    this.#state = { stage: "failed", about, words, isBegun: stage === "storing" };
  }
}

/** What this process compiled, that one need not. */
function shareCompileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

const describeExit = (code: number | null, signal: string | null): string =>
  signal === "SIGABRT" || code === 134
    ? "It needs more memory than an import may have."
    : `The program that reads it ended before it was done (${signal ?? `code ${code}`}).`;

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.?!]?$/, ".")}`;
