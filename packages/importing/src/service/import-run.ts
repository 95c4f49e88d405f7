import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ImportAnswers, ImportPlan, ImportProgress, ImportState } from "@pdpp/console/import/import-service";
import type { StoreLocation } from "@pdpp/server/store/store";
import { defaultHeapMb, describeExit, forkImport } from "./fork-import.ts";
import type { FromImport, ToImport } from "./messages.ts";
import type { UploadFolder } from "./upload-folder.ts";

export interface RunLimits {
  /** Heap limit of the process. */
  readonly heapMb: number;
  /** Kill the process after this long without a message. */
  readonly silentMs: number;
  /** Kill the process after this long without progress while scanning. */
  readonly stuckMs: number;
  /** How long a plan waits for the owner. */
  readonly waitMs: number;
}

export const defaultRunLimits: RunLimits = {
  heapMb: defaultHeapMb,
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
  /** Called with the final import id, which is an earlier import's if this one continued it. */
  readonly onDone: (importId: string) => void;
}

const file = fileURLToPath(new URL("./import-process.ts", import.meta.url));
const watchEveryMs = 500;
/** The estimate is unstable before this much time has passed. */
const settledMs = 2000;

export class ImportRun {
  readonly ownerNo: number;
  /** Resolves when the process has exited and its folder is removed. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #limits: RunLimits;
  readonly #onDone: (importId: string) => void;
  #state: ImportState;
  #plan: ImportPlan | undefined;
  #heardAt = performance.now();
  /** Last progress or change of stage. */
  #movedAt = performance.now();
  #pace:
    | { readonly at: number; readonly from: number; readonly done: number; readonly endsAt: number | undefined }
    | undefined;

  constructor({ location, ownerNo, importId, paths, about, place, limits, onDone }: RunRequest) {
    this.ownerNo = ownerNo;
    this.#onDone = onDone;
    this.#limits = limits;
    this.#state = { stage: "looking", about, bytes: 0 };
    const { temporary } = place;
    const env = { TMPDIR: temporary, TMP: temporary, TEMP: temporary };
    const child = forkImport(file, { heapMb: limits.heapMb, env });
    this.#child = child;
    const watching = setInterval(() => this.#watch(), watchEveryMs).unref();
    this.ended = new Promise<void>((over) => {
      child.once("error", () => {
        this.#fail("The import process could not be started.");
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

  /** While true, the owner cannot start another import. An empty plan does not wait for the owner. */
  get isUnderWay(): boolean {
    const state = this.#state;
    if (state.stage === "planned") return state.plan.partCount > 0;
    return state.stage === "looking" || state.stage === "storing";
  }

  /** Returns false if the plan was not waiting for answers. */
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
    // If the process has exited, its exit handler reports that.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #hear(message: FromImport): void {
    if (!this.isUnderWay) return;
    const { about, stage } = this.#state;
    const now = performance.now();
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

  /** Records stored by an earlier attempt do not count towards the pace. */
  #progress(
    { records, plannedRecords: expected, done }: Omit<ImportProgress, "secondsLeft">,
    now: number,
  ): ImportProgress {
    if (done > 0) this.#pace ??= { at: now, from: done, done, endsAt: undefined };
    const pace = this.#pace;
    // Records arrive in batches, so only a finished batch updates the estimate.
    if (pace !== undefined && done > pace.done && now - pace.at >= settledMs)
      this.#pace = { ...pace, done, endsAt: now + ((1 - done) * (now - pace.at)) / (done - pace.from) };
    const endsAt = this.#pace?.endsAt;
    const left = endsAt === undefined ? {} : { secondsLeft: Math.max(1, Math.ceil((endsAt - now) / 1000)) };
    return { records, plannedRecords: expected, done, ...left };
  }

  #watch(): void {
    const { silentMs, stuckMs, waitMs } = this.#limits;
    const { stage } = this.#state;
    const now = performance.now();
    if (this.isUnderWay && now - this.#heardAt > silentMs)
      this.#end("The import process stopped responding and was terminated.");
    else if (stage === "looking" && now - this.#movedAt > stuckMs)
      this.#end("Scanning made no progress and was stopped.");
    else if (stage === "planned" && now - this.#movedAt > waitMs)
      this.#end("The import was not confirmed in time, so the upload was deleted. Start again.");
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

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.?!]?$/, ".")}`;
