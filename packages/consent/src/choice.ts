import { createHash } from "node:crypto";
import type { GrantRequest } from "@pdpp/contract/grant";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { GroupKind } from "./field-groups.ts";
import type { Offer, OfferedGroup, OfferedSource, OfferedStream } from "./offer.ts";
import { isPartIncluded, listPresetSources, type PresetName, parsePreset } from "./presets.ts";

/** The owner's selections on a consent form, and the grant request they stand for. */

export interface Choice {
  readonly accounts: ReadonlySet<string>;
  /** Keys made by `formatFieldKey`. */
  readonly fields: ReadonlySet<string>;
  /** Whether the form lists single fields instead of groups. */
  readonly byField: boolean;
  /** The preset that this is, or "choose". */
  readonly preset: PresetName;
  /** Whether the form left something open, so that the page did not show exactly this. */
  readonly isInferred: boolean;
  readonly since: string;
  /** 0 means until the owner revokes it. */
  readonly days: number;
  readonly training: boolean;
}

export const maxNameChars = 200;
export const maxPurposeChars = 1000;

/** The form field with which an owner agrees to training. */
export const trainingField = "confirm_training";

export const dayChoices = [1, 7, 30, 365, 0] as const;
const defaultDays = 30;
const dayMs = 86_400_000;

const joinKey = (...names: readonly string[]): string => names.map(encodeURIComponent).join("/");
/** `source`: the key of an offered source. */
export const formatGroupKey = (source: string, stream: string, kind: GroupKind): string =>
  joinKey(source, stream, kind);
export const formatFieldKey = (source: string, stream: string, field: string): string => joinKey(source, stream, field);

const emptyChoice = { preset: "choose", isInferred: false, since: "", days: defaultDays, training: false } as const;

/** Preselects what the client asked for, and nothing else. */
export const chooseRequested = (offer: Offer, byField: boolean): Choice => ({
  ...emptyChoice,
  byField,
  accounts: new Set(
    offer.sources.flatMap(({ accounts }) => accounts.filter(({ isRequested }) => isRequested).map(({ id }) => id)),
  ),
  fields: listFieldKeys(offer, ({ isRequested }) => isRequested),
});

/** Selects what a preset stands for, in these sources or in all of them. */
export function choosePreset(
  offer: Offer,
  preset: PresetName,
  byField: boolean,
  sources: readonly OfferedSource[] = listPresetSources(offer, preset),
): Choice {
  return {
    ...emptyChoice,
    byField,
    preset,
    accounts: new Set(sources.flatMap(({ accounts }) => accounts.map(({ id }) => id))),
    fields: listFieldKeys({ sources }, (group, _, source) => isPartIncluded(source, group, preset)),
  };
}

/** Keys of all fields in the groups that match. */
const listFieldKeys = (
  { sources }: Pick<Offer, "sources">,
  matches: (group: OfferedGroup, groupKey: string, source: OfferedSource) => boolean,
): ReadonlySet<string> =>
  new Set(
    sources.flatMap((source) =>
      source.streams.flatMap(({ name: stream, groups }) =>
        groups
          .filter((group) => matches(group, formatGroupKey(source.key, stream, group.kind), source))
          .flatMap(({ fields }) => fields.map(({ name }) => formatFieldKey(source.key, stream, name))),
      ),
    ),
  );

const readValues = (form: FormData, name: string): Set<string> =>
  new Set(form.getAll(name).filter((value) => typeof value === "string"));

export const readText = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
};

export function parseChoice(form: FormData, offer: Offer): Choice {
  const days = Number(readText(form, "days"));
  const since = readText(form, "since");
  const byField = readText(form, "by_field") === "yes";
  const groups = readValues(form, "part");
  const ticked = {
    accounts: readValues(form, "account"),
    fields: byField ? readValues(form, "field") : listFieldKeys(offer, (_, key) => groups.has(key)),
    byField,
    since: /^\d{4}-\d\d-\d\d$/.test(since) ? since : "",
    days: dayChoices.find((choice) => choice === days) ?? defaultDays,
    training: readText(form, trainingField) === "yes",
  };
  const preset = parsePreset(readText(form, "preset"));
  const shown = parsePreset(readText(form, "preset_shown"));
  return completeChoice(offer, { ...ticked, preset, isInferred: false }, preset !== shown);
}

/**
 * A form without scripts can hold a preset without ticks, or a source without parts. The owner's intent is clear, but
 * the page didn't show what it amounts to, so the result is inferred and has to be shown before it is allowed. What a
 * client asked for, or has, is never extended.
 */
function completeChoice(offer: Offer, ticked: Choice, isPresetNew: boolean): Choice {
  if (offer.isSpecific) return { ...ticked, preset: "choose" };
  const chosen = offer.sources.filter(({ accounts }) => accounts.some(({ id }) => ticked.accounts.has(id)));
  if (isPresetNew && ticked.preset !== "choose") {
    const { accounts, fields } = choosePreset(
      offer,
      ticked.preset,
      ticked.byField,
      chosen.length === 0 ? undefined : chosen,
    );
    return keepPreset(offer, { ...ticked, accounts, fields, isInferred: true });
  }
  const bare = chosen.filter(
    (source) => !source.streams.some((stream) => listChosenFields(ticked, source.key, stream).length > 0),
  );
  if (bare.length === 0) return keepPreset(offer, ticked);
  const usual = listFieldKeys({ sources: bare }, (group, _, source) => isPartIncluded(source, group, "usual"));
  return keepPreset(offer, { ...ticked, fields: ticked.fields.union(usual), isInferred: true });
}

/** A preset never contradicts the ticks: after any change to them, the owner is choosing. */
function keepPreset(offer: Offer, choice: Choice): Choice {
  const { accounts, fields } = choosePreset(offer, choice.preset, choice.byField);
  const isSame =
    accounts.symmetricDifference(choice.accounts).size === 0 && fields.symmetricDifference(choice.fields).size === 0;
  return isSame ? choice : { ...choice, preset: "choose" };
}

/** Sources that are not ticked although parts of them are. None of their data is shared. */
export const listUntickedSources = ({ sources }: Offer, choice: Choice): OfferedSource[] =>
  sources.filter(
    ({ key, accounts, streams }) =>
      !accounts.some(({ id }) => choice.accounts.has(id)) &&
      streams.some((stream) => listChosenFields(choice, key, stream).length > 0),
  );

export function listChosenFields({ fields }: Choice, key: string, { name, groups }: OfferedStream): string[] {
  return groups
    .flatMap((group) => group.fields.map((field) => field.name))
    .filter((field) => fields.has(formatFieldKey(key, name, field)));
}

/** A form that shows groups shows one as chosen when all its fields are. */
export const isGroupChosen = ({ fields }: Choice, key: string, stream: string, group: OfferedGroup): boolean =>
  group.fields.every(({ name }) => fields.has(formatFieldKey(key, stream, name)));

/** The grant request that the choice stands for; undefined when nothing was chosen. */
export function buildGrantRequest(
  offer: Offer,
  choice: Choice,
  client: GrantRequest["client"],
  purpose: string | undefined,
  now: number,
): GrantRequest | undefined {
  const rows = offer.sources.map((source) => ({ source, streams: buildStreamRequests(source, choice) }));
  const sources = [...Map.groupBy(rows, ({ source }) => source.connectorKey)].flatMap(([connectorKey, ofConnector]) => {
    const purposeCode = ofConnector[0]?.source.purposeCode;
    const declared = purposeCode === undefined ? {} : { purpose_code: purposeCode };
    return mergeRows(ofConnector.map(({ streams }) => streams)).map((streams) => ({
      connector_key: connectorKey,
      ...declared,
      streams,
    }));
  });
  if (sources.length === 0) return undefined;
  return {
    client,
    ...(purpose === undefined ? {} : { purpose }),
    ...(offer.isSingleUse ? { access_mode: "single_use" as const } : {}),
    ...(choice.days === 0 ? {} : { expires_at: formatInstant(now + choice.days * dayMs) }),
    sources,
  };
}

type StreamRequest = GrantRequest["sources"][number]["streams"][number] & { readonly connection_ids: string[] };

function buildStreamRequests({ key, accounts, streams }: OfferedSource, choice: Choice): StreamRequest[] {
  const connectionIds = accounts.filter(({ id }) => choice.accounts.has(id)).map(({ id }) => id);
  return streams.flatMap((stream) => {
    const fields = listChosenFields(choice, key, stream);
    if (fields.length === 0 || connectionIds.length === 0) return [];
    const since = pickLater(stream.since, stream.isDated ? choice.since : "");
    if (isEmptyRange(since, stream.until)) return [];
    const range = {
      ...(since === undefined ? {} : { since }),
      ...(stream.until === undefined ? {} : { until: stream.until }),
    };
    return [
      {
        name: stream.name,
        connection_ids: [...connectionIds],
        fields,
        ...(Object.keys(range).length === 0 ? {} : { time_range: range }),
        ...(stream.resources === undefined ? {} : { resources: [...stream.resources] }),
      },
    ];
  });
}

/**
 * A grant names each stream once: accounts of which the same is shared go together, others into a grant of their own.
 * An account is never divided, because records of one grant don't lead to those of another.
 */
function mergeRows(rows: readonly (readonly StreamRequest[])[]): StreamRequest[][] {
  const grants: StreamRequest[][] = [];
  for (const row of rows.filter(({ length }) => length > 0)) {
    const grant = grants.find((streams) =>
      row.every((request) =>
        streams.every((other) => other.name !== request.name || isSameExceptAccounts(other, request)),
      ),
    );
    if (grant === undefined) grants.push([...row]);
    else
      for (const request of row) {
        const same = grant.find(({ name }) => name === request.name);
        if (same === undefined) grant.push(request);
        else same.connection_ids.push(...request.connection_ids);
      }
  }
  return grants;
}

const isSameExceptAccounts = (a: StreamRequest, b: StreamRequest): boolean =>
  JSON.stringify({ ...a, connection_ids: [] }) === JSON.stringify({ ...b, connection_ids: [] });

export const isEmptyRange = (since: string | undefined, until: string | undefined): boolean =>
  since !== undefined && until !== undefined && (parseInstant(since) ?? 0) >= (parseInstant(until) ?? 0);

/** The owner can narrow a request, never widen it. Compares instants, because the two may be in different time zones. */
export function pickLater(requested: string | undefined, chosen: string): string | undefined {
  if (chosen === "") return requested;
  if (requested === undefined) return chosen;
  return (parseInstant(chosen) ?? 0) > (parseInstant(requested) ?? 0) ? chosen : requested;
}

/** Identifies exactly what a page showed, so that a form sent from an outdated page is rejected. */
export const hashRevision = (...shown: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 22);
