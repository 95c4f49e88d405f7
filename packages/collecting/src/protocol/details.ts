import type { Checkpoints } from "./checkpoints.ts";
import type { CoverageMessage, GapMessage } from "./messages.ts";
import { ProtocolViolation } from "./violation.ts";

/** They are held in memory until the run ends. */
const maxKeys = 1_000_000;

/** Accounts for the details of list streams: a cursor is saved only if each required key was loaded, or has a gap that says why not. */
export class DetailAccounts {
  readonly #checkpoints: Checkpoints;
  readonly #reports: CoverageMessage[] = [];
  readonly #gaps = new Set<string>();
  readonly #gapCounts: Record<string, number> = {};
  #keys = 0;

  constructor(checkpoints: Checkpoints) {
    this.#checkpoints = checkpoints;
  }

  addCoverage(report: CoverageMessage): void {
    const { stream, state_stream: parent } = report;
    if (this.#checkpoints.isRiding(stream))
      throw new ProtocolViolation(`sent DETAIL_COVERAGE for ${stream}, which declares a state_stream`);
    if (this.#checkpoints.hasDetails(stream) && !this.#checkpoints.getParents(stream).includes(parent))
      throw new ProtocolViolation(`sent DETAIL_COVERAGE of ${stream} for ${parent}, which is not one of its parents`);
    this.#countKeys(report.required_keys.length);
    const required = new Set(report.required_keys.map(String));
    for (const keys of [report.required_keys, report.hydrated_keys, report.gap_keys ?? []]) {
      if (new Set(keys.map(String)).size !== keys.length)
        throw new ProtocolViolation("sent DETAIL_COVERAGE with a key twice");
      if (keys.some((key) => !required.has(String(key))))
        throw new ProtocolViolation("sent DETAIL_COVERAGE with a key that was not required");
    }
    this.#reports.push(report);
  }

  addGap({ stream, parent_stream: parent, record_key: key }: GapMessage): void {
    this.#gapCounts[stream] = (this.#gapCounts[stream] ?? 0) + 1;
    if (key == null) return;
    this.#countKeys(1);
    // With several parents, a gap that names none accounts for none.
    const [only, ...others] = this.#checkpoints.getParents(stream);
    const boundary = parent ?? (others.length === 0 ? only : undefined);
    if (boundary !== undefined) this.#gaps.add(formatGap(stream, boundary, key));
    // Without declared parents, the coverage report names the stream.
    if (parent == null && !this.#checkpoints.hasDetails(stream)) this.#gaps.add(formatGap(stream, "", key));
  }

  #countKeys(added: number): void {
    this.#keys += added;
    if (this.#keys > maxKeys) throw new ProtocolViolation(`accounted for more than ${maxKeys} keys in one run`);
  }

  get gaps(): Readonly<Record<string, number>> {
    return this.#gapCounts;
  }

  /** Streams whose cursor must not be saved, because details are missing without a reason. */
  listIncomplete(isInScope: (stream: string) => boolean): Set<string> {
    const incomplete = new Set<string>();
    for (const report of this.#reports) if (!this.#isComplete(report)) incomplete.add(report.state_stream);
    for (const { stream, parent } of this.#checkpoints.listDetails()) {
      const isReported = this.#reports.some((report) => report.stream === stream && report.state_stream === parent);
      if (isInScope(stream) && !isReported) incomplete.add(parent);
    }
    return incomplete;
  }

  #isComplete({ stream, state_stream, required_keys, hydrated_keys, gap_keys }: CoverageMessage): boolean {
    const loaded = new Set(hydrated_keys.map(String));
    const claimed = new Set((gap_keys ?? []).map(String));
    return required_keys.every((key) => {
      if (loaded.has(String(key))) return true;
      if (!claimed.has(String(key))) return false;
      return this.#gaps.has(formatGap(stream, state_stream, key)) || this.#gaps.has(formatGap(stream, "", key));
    });
  }
}

const formatGap = (stream: string, parent: string, key: string | number): string =>
  JSON.stringify([stream, parent, String(key)]);
