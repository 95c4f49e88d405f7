import { createHash } from "node:crypto";
import type { GrantRequest } from "@pdpp/contract/grant";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { GroupKind } from "./field-groups.ts";
import type { Offer, OfferedGroup, OfferedStream } from "./offer.ts";

/** The owner's selections on a consent form, and the grant request they stand for. */

export interface Choice {
  readonly accounts: ReadonlySet<string>;
  /** Keys made by `formatFieldKey`. */
  readonly fields: ReadonlySet<string>;
  /** Whether the form lists single fields instead of groups. */
  readonly byField: boolean;
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
export const formatGroupKey = (connectorKey: string, stream: string, kind: GroupKind): string =>
  joinKey(connectorKey, stream, kind);
export const formatFieldKey = (connectorKey: string, stream: string, field: string): string =>
  joinKey(connectorKey, stream, field);

const emptyChoice = { since: "", days: defaultDays, training: false } as const;

/** Preselects what the client asked for, and nothing else. */
export const chooseRequested = (offer: Offer, byField: boolean): Choice => ({
  ...emptyChoice,
  byField,
  accounts: new Set(
    offer.sources.flatMap(({ accounts }) => accounts.filter(({ isRequested }) => isRequested).map(({ id }) => id)),
  ),
  fields: listFieldKeys(offer, ({ isRequested }) => isRequested),
});

/** Starting points for a client that asked for nothing in particular. */
export const presets = [
  { name: "headings", label: "Names, dates and titles only", kinds: ["headings"] },
  {
    name: "no-texts",
    label: "Everything but message texts and attachments",
    kinds: ["headings", "amounts", "details"],
  },
  { name: "everything", label: "Everything", kinds: ["headings", "text", "amounts", "files", "details"] },
] as const satisfies readonly { name: string; label: string; kinds: readonly GroupKind[] }[];

export function choosePreset(offer: Offer, name: string, byField: boolean): Choice | undefined {
  const kinds: readonly GroupKind[] | undefined = presets.find((preset) => preset.name === name)?.kinds;
  if (kinds === undefined) return undefined;
  return {
    ...emptyChoice,
    byField,
    accounts: new Set(offer.sources.flatMap(({ accounts }) => accounts.map(({ id }) => id))),
    fields: listFieldKeys(offer, ({ kind }) => kinds.includes(kind)),
  };
}

/** Keys of all fields in the groups that match. */
const listFieldKeys = (
  { sources }: Offer,
  matches: (group: OfferedGroup, groupKey: string) => boolean,
): ReadonlySet<string> =>
  new Set(
    sources.flatMap(({ connectorKey, streams }) =>
      streams.flatMap(({ name: stream, groups }) =>
        groups
          .filter((group) => matches(group, formatGroupKey(connectorKey, stream, group.kind)))
          .flatMap(({ fields }) => fields.map(({ name }) => formatFieldKey(connectorKey, stream, name))),
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
  return {
    accounts: readValues(form, "account"),
    fields: byField ? readValues(form, "field") : listFieldKeys(offer, (_, key) => groups.has(key)),
    byField,
    since: /^\d{4}-\d\d-\d\d$/.test(since) ? since : "",
    days: dayChoices.find((choice) => choice === days) ?? defaultDays,
    training: readText(form, trainingField) === "yes",
  };
}

export function listChosenFields({ fields }: Choice, connectorKey: string, { name, groups }: OfferedStream): string[] {
  return groups
    .flatMap((group) => group.fields.map((field) => field.name))
    .filter((field) => fields.has(formatFieldKey(connectorKey, name, field)));
}

/** A form that shows groups shows one as chosen when all its fields are. */
export const isGroupChosen = ({ fields }: Choice, connectorKey: string, stream: string, group: OfferedGroup): boolean =>
  group.fields.every(({ name }) => fields.has(formatFieldKey(connectorKey, stream, name)));

/** The grant request that the choice stands for; undefined when nothing was chosen. */
export function buildGrantRequest(
  offer: Offer,
  choice: Choice,
  client: GrantRequest["client"],
  purpose: string | undefined,
  now: number,
): GrantRequest | undefined {
  const sources = offer.sources.flatMap(({ connectorKey, purposeCode, accounts, streams }) => {
    const chosenIds = accounts.filter(({ id }) => choice.accounts.has(id)).map(({ id }) => id);
    const chosen = streams.flatMap((stream) => {
      const fields = listChosenFields(choice, connectorKey, stream);
      const connectionIds = chosenIds.filter((id) => stream.accounts?.includes(id) ?? true);
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
          connection_ids: connectionIds,
          fields,
          ...(Object.keys(range).length === 0 ? {} : { time_range: range }),
          ...(stream.resources === undefined ? {} : { resources: [...stream.resources] }),
        },
      ];
    });
    const declared = purposeCode === undefined ? {} : { purpose_code: purposeCode };
    return chosen.length === 0 ? [] : [{ connector_key: connectorKey, ...declared, streams: chosen }];
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
