import type { GroupKind } from "./field-groups.ts";
import type { Offer, OfferedGroup, OfferedSource } from "./offer.ts";

/** Starting points for a client that asked for nothing in particular. */

export const presets = [
  { name: "everything", label: "Everything", kinds: ["headings", "text", "amounts", "files", "details"] },
  { name: "no-attachments", label: "Without attachments", kinds: ["headings", "text", "amounts", "details"] },
  { name: "headings", label: "Names, dates and titles only", kinds: ["headings"] },
] as const satisfies readonly { name: string; label: string; kinds: readonly GroupKind[] }[];

/** "choose" keeps the ticked parts. */
export type PresetName = (typeof presets)[number]["name"] | "choose";

export const parsePreset = (text: string): PresetName => presets.find(({ name }) => name === text)?.name ?? "choose";

/** The parts that ticking a source ticks. */
const usualKinds: readonly GroupKind[] = ["headings", "text", "amounts"];

/** A derived source summarizes all others, so it is shared only when the owner chooses it by itself. */
export const isInPresets = ({ isDerived }: OfferedSource): boolean => isDerived !== true;

const findKinds = (preset: PresetName | "usual"): readonly GroupKind[] =>
  preset === "usual" ? usualKinds : (presets.find(({ name }) => name === preset)?.kinds ?? []);

/** Whether a preset, or ticking its source by itself, includes a part. One of a source's parts is always included. */
export function isPartIncluded(source: OfferedSource, group: OfferedGroup, preset: PresetName | "usual"): boolean {
  if (preset !== "usual" && !isInPresets(source)) return false;
  if (preset === "usual" && group.isRequested) return true;
  const kinds = findKinds(preset);
  if (kinds.includes(group.kind)) return true;
  if (preset !== "usual") return false;
  return !source.streams.some(({ groups }) => groups.some(({ kind }) => kinds.includes(kind)));
}

/** The presets that include a part, for the script of the page. */
export const listPresetsWith = (source: OfferedSource, group: OfferedGroup): string[] =>
  [...presets.map(({ name }) => name), "usual" as const].filter((name) => isPartIncluded(source, group, name));

/** The sources that a preset ticks: those with at least one included part. */
export const listPresetSources = ({ sources }: Offer, preset: PresetName): OfferedSource[] =>
  sources.filter((source) =>
    source.streams.some(({ groups }) => groups.some((group) => isPartIncluded(source, group, preset))),
  );
