import { type Choice, formatFieldKey, formatGroupKey, isGroupChosen } from "@pdpp/consent/choice";
import { lowerFirst } from "@pdpp/consent/labels";
import type { Offer, OfferedGroup, OfferedSource, OfferedStream } from "@pdpp/consent/offer";
import { listPresetsWith } from "@pdpp/consent/presets";
import { joinWords, type Part, type Row } from "../../assets/sentence.js";

/** The rows of a form as its checkboxes and its words need them. */

export interface FormPart extends Part {
  readonly input: "part" | "field";
  readonly value: string;
  readonly label: string;
  readonly note?: string;
  readonly examples: readonly string[];
  /** The presets that tick it. */
  readonly presets: readonly string[];
}

export interface FormStream {
  readonly label: string;
  readonly heading: string;
  readonly stream: OfferedStream;
  readonly parts: readonly FormPart[];
}

export interface FormRow extends Row {
  readonly source: OfferedSource;
  readonly streams: readonly FormStream[];
}

const maxExamples = 3;

export const buildRows = ({ sources, isSpecific }: Offer, choice: Choice): FormRow[] =>
  sources.map((source) => ({
    label: source.label,
    source,
    isLimited: isSpecific || choice.byField,
    isTicked: source.accounts.some(({ id }) => choice.accounts.has(id)),
    streams: source.streams.map((stream) => ({
      label: lowerFirst(stream.label),
      heading: stream.label,
      stream,
      parts: stream.groups.flatMap((group) =>
        choice.byField
          ? buildFieldParts(source, stream.name, group, choice)
          : [buildGroupPart(source, stream.name, group, choice)],
      ),
    })),
  }));

const partLabels = { text: "Texts", amounts: "Amounts", files: "Files", details: "Other details" } as const;

const maxWords = 4;

const shorten = (words: readonly string[]): string =>
  words.length <= maxWords ? joinWords(words) : `${words.slice(0, maxWords - 1).join(", ")} and more`;

function buildGroupPart(source: OfferedSource, stream: string, group: OfferedGroup, choice: Choice): FormPart {
  const { kind, fields, words } = group;
  const examples = fields.flatMap(({ example }) => (example === undefined ? [] : [example])).slice(0, maxExamples);
  const names = kind === "headings" || kind === "files" ? shorten(words.included) : "";
  const label = names !== "" ? names : kind === "headings" ? "Record numbers" : partLabels[kind];
  return {
    input: "part",
    value: formatGroupKey(source.key, stream, kind),
    kind,
    label: label.charAt(0).toUpperCase() + label.slice(1),
    note: fields.map(({ label: name }) => name).join(", "),
    // Single details mean little without their names.
    examples: kind === "details" ? [] : examples,
    isTicked: isGroupChosen(choice, source.key, stream, group),
    included: words.included,
    missing: words.missing,
    presets: listPresetsWith(source, group),
  };
}

const buildFieldParts = (source: OfferedSource, stream: string, group: OfferedGroup, choice: Choice): FormPart[] =>
  group.fields.map(({ name, label, example }) => {
    const value = formatFieldKey(source.key, stream, name);
    return {
      input: "field",
      value,
      kind: group.kind,
      label,
      examples: example === undefined ? [] : [example],
      isTicked: choice.fields.has(value),
      included: [lowerFirst(label)],
      missing: "other fields",
      presets: listPresetsWith(source, group),
    };
  });
