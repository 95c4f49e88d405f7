import { PdppError } from "@pdpp/contract/errors";
import { z } from "zod";

/** Which stream's cursor covers which streams. A stream that declares nothing is covered by its own. */
export interface Checkpoints {
  /** The streams whose cursors cover this stream. */
  getParents(stream: string): readonly string[];
  /** Always covered by another stream's cursor (`state_stream`). */
  isRiding(stream: string): boolean;
  /** Declares parents for which it accounts for its details (`parent_streams`). */
  hasDetails(stream: string): boolean;
  /** Whether STATE may name this stream. */
  isCheckpoint(stream: string): boolean;
  /** Every stream that declares parents for its details, with each of them. */
  listDetails(): readonly { readonly stream: string; readonly parent: string }[];
}

const manifestStreams = z.array(
  z.object({
    name: z.string(),
    state_stream: z.string().nullish(),
    parent_streams: z.array(z.string()).nullish(),
    coverage_strategy: z.unknown().optional(),
  }),
);

/** Checks the declarations before a run. Throws if they contradict each other. */
export function readCheckpoints(streams: unknown): Checkpoints {
  const parsed = manifestStreams.safeParse(streams);
  if (!parsed.success) throw invalidError("a stream declares state_stream or parent_streams with a wrong type");
  const names = new Set(parsed.data.map(({ name }) => name));
  const riding = new Map<string, readonly string[]>();
  const details = new Map<string, readonly string[]>();
  for (const { name, state_stream: parent, parent_streams: parents, coverage_strategy: strategy } of parsed.data) {
    const refuse = (what: string): never => {
      throw invalidError(`stream ${name} ${what}`);
    };
    if (parent != null && parents != null) refuse("declares both state_stream and parent_streams");
    if (parents?.length === 0) refuse("declares an empty parent_streams");
    if (new Set(parents).size !== (parents?.length ?? 0)) refuse("names a parent twice");
    if (parent != null && strategy !== "checkpoint_window")
      refuse("declares state_stream, which needs coverage_strategy checkpoint_window");
    if (parents != null && strategy !== "parent_detail_accounting")
      refuse("declares parent_streams, which needs coverage_strategy parent_detail_accounting");
    const all = parent == null ? (parents ?? []) : [parent];
    if (all.includes(name)) refuse("names itself as its parent");
    const unknown = all.find((one) => !names.has(one));
    if (unknown !== undefined) refuse(`names the parent ${unknown}, which the manifest does not declare`);
    if (parent != null) riding.set(name, all);
    else if (parents != null) details.set(name, all);
  }
  const declared = new Map([...riding, ...details]);
  rejectCycles(declared);
  const targets = new Set([...declared.values()].flat());
  return {
    getParents: (stream) => declared.get(stream) ?? [stream],
    isRiding: (stream) => riding.has(stream),
    hasDetails: (stream) => details.has(stream),
    isCheckpoint: (stream) => names.has(stream) && (!declared.has(stream) || targets.has(stream)),
    listDetails: () => [...details].flatMap(([stream, parents]) => parents.map((parent) => ({ stream, parent }))),
  };
}

/** Removes streams whose parents are all removed, until none is left; what stays is a cycle. */
function rejectCycles(declared: ReadonlyMap<string, readonly string[]>): void {
  const left = new Map(declared);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [stream, parents] of left) if (!parents.some((parent) => left.has(parent))) left.delete(stream);
  }
  const [stream] = left.keys();
  if (stream !== undefined) throw invalidError(`stream ${stream} depends on itself through its parents`);
}

const invalidError = (what: string): PdppError =>
  new PdppError("connector_invalid", `the manifest is not valid: ${what}`);
