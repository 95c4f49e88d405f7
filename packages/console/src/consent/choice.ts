import { createHash } from "node:crypto";
import type { GrantRequest } from "@pdpp/contract/grant";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { PartKind } from "../frame/words.ts";
import type { Offer, OfferedStream } from "./offer.ts";

/** What the owner picked of an offer, as the page's form says it. */

export interface Choice {
  readonly accounts: ReadonlySet<string>;
  /** Parts by their name in the form, or single fields when the page was asked to show those. */
  readonly parts: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
  readonly byField: boolean;
  readonly since: string;
  /** For so many days; 0 is until the owner takes it back. */
  readonly days: number;
  /** The owner agreed that the data trains AI models. Never so until they say it. */
  readonly training: boolean;
}

/** Of a client and what it is for, as grants hold them. */
export const longestName = 200;
export const longestPurpose = 1000;

export const trainingField = "confirm_training";

export const dayChoices = [1, 7, 30, 365, 0] as const;
const standardDays = 30;

const joined = (...names: readonly string[]): string => names.map(encodeURIComponent).join("/");
export const partName = (connectorKey: string, stream: string, kind: PartKind): string =>
  joined(connectorKey, stream, kind);
export const fieldName = (connectorKey: string, stream: string, field: string): string =>
  joined(connectorKey, stream, field);

/** What comes ticked: what was asked for, and nothing else. */
export function askedChoice(offer: Offer, byField: boolean): Choice {
  const accounts = new Set<string>();
  const parts = new Set<string>();
  const fields = new Set<string>();
  for (const source of offer.sources) {
    for (const account of source.accounts) if (account.asked) accounts.add(account.id);
    for (const stream of source.streams) {
      for (const part of stream.parts) {
        if (!part.asked) continue;
        parts.add(partName(source.connectorKey, stream.name, part.kind));
        for (const { name } of part.fields) fields.add(fieldName(source.connectorKey, stream.name, name));
      }
    }
  }
  return { accounts, parts, fields, byField, since: "", days: standardDays, training: false };
}

/** Honest beginnings for a client that asked for nothing in particular. */
export const presets = [
  { name: "headings", label: "Names, dates and titles only", kinds: ["headings"] },
  {
    name: "no-texts",
    label: "Everything but message texts and attachments",
    kinds: ["headings", "amounts", "details"],
  },
  { name: "everything", label: "Everything", kinds: ["headings", "text", "amounts", "files", "details"] },
] as const satisfies readonly { name: string; label: string; kinds: readonly PartKind[] }[];

export function presetChoice(offer: Offer, name: string, byField: boolean): Choice | undefined {
  const kinds: readonly PartKind[] | undefined = presets.find((preset) => preset.name === name)?.kinds;
  if (kinds === undefined) return undefined;
  const sources = offer.sources.map((source) => ({
    ...source,
    accounts: source.accounts.map((account) => ({ ...account, asked: true })),
    streams: source.streams.map((stream) => ({
      ...stream,
      parts: stream.parts.map((part) => ({ ...part, asked: kinds.includes(part.kind) })),
    })),
  }));
  return askedChoice({ ...offer, sources }, byField);
}

/** The same things ticked, field by field or by their kinds. */
export function regrouped(offer: Offer, choice: Choice, byField: boolean): Choice {
  if (byField === choice.byField) return choice;
  const sources = offer.sources.map((source) => ({
    ...source,
    accounts: source.accounts.map((account) => ({ ...account, asked: choice.accounts.has(account.id) })),
    streams: source.streams.map((stream) => ({
      ...stream,
      parts: stream.parts.map((part) => ({
        ...part,
        asked: choice.byField
          ? part.fields.every(({ name }) => choice.fields.has(fieldName(source.connectorKey, stream.name, name)))
          : choice.parts.has(partName(source.connectorKey, stream.name, part.kind)),
      })),
    })),
  }));
  return {
    ...askedChoice({ ...offer, sources }, byField),
    since: choice.since,
    days: choice.days,
    training: choice.training,
  };
}

const valuesOf = (form: FormData, name: string): Set<string> =>
  new Set(form.getAll(name).filter((value) => typeof value === "string"));

export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
};

export function choiceFrom(form: FormData): Choice {
  const days = Number(textIn(form, "days"));
  const since = textIn(form, "since");
  return {
    accounts: valuesOf(form, "account"),
    parts: valuesOf(form, "part"),
    fields: valuesOf(form, "field"),
    byField: textIn(form, "by_field") === "yes",
    since: /^\d{4}-\d\d-\d\d$/.test(since) ? since : "",
    days: dayChoices.find((choice) => choice === days) ?? standardDays,
    training: textIn(form, trainingField) === "yes",
  };
}

/** The fields of a stream that were picked. */
export function pickedFields(choice: Choice, connectorKey: string, stream: OfferedStream): string[] {
  return stream.parts.flatMap(({ kind, fields }) => {
    if (!choice.byField && !choice.parts.has(partName(connectorKey, stream.name, kind))) return [];
    return fields
      .filter(({ name }) => !choice.byField || choice.fields.has(fieldName(connectorKey, stream.name, name)))
      .map(({ name }) => name);
  });
}

/** How much was picked of how much: what the button says. */
export function pickedCount(offer: Offer, choice: Choice): { readonly picked: number; readonly all: number } {
  let picked = 0;
  let all = 0;
  for (const { connectorKey, streams, accounts } of offer.sources) {
    const hasAccount = accounts.some(({ id }) => choice.accounts.has(id));
    for (const stream of streams) {
      for (const part of stream.parts) {
        all += choice.byField ? part.fields.length : 1;
        if (!hasAccount) continue;
        const one = pickedFields(choice, connectorKey, { ...stream, parts: [part] }).length;
        picked += choice.byField ? one : Math.min(one, 1);
      }
    }
  }
  return { picked, all };
}

/** The grant that the choice means, or nothing when nothing was picked. */
export function requestOf(
  offer: Offer,
  choice: Choice,
  client: GrantRequest["client"],
  purpose: string | undefined,
  now: number,
): GrantRequest | undefined {
  const sources = offer.sources.flatMap(({ connectorKey, purposeCode, accounts, streams }) => {
    const ticked = accounts.filter(({ id }) => choice.accounts.has(id)).map(({ id }) => id);
    const picked = streams.flatMap((stream) => {
      const fields = pickedFields(choice, connectorKey, stream);
      const connectionIds = ticked.filter((id) => stream.accounts?.includes(id) ?? true);
      if (fields.length === 0 || connectionIds.length === 0) return [];
      const since = later(stream.since, stream.timed ? choice.since : "");
      // Nothing is left of a stream whose end was asked for before the day that the owner lets it begin.
      if (isEmpty(since, stream.until)) return [];
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
    return picked.length === 0 ? [] : [{ connector_key: connectorKey, ...declared, streams: picked }];
  });
  if (sources.length === 0) return undefined;
  return {
    client,
    ...(purpose === undefined ? {} : { purpose }),
    ...(offer.once ? { access_mode: "single_use" as const } : {}),
    ...(choice.days === 0 ? {} : { expires_at: formatInstant(now + choice.days * 86_400_000) }),
    sources,
  };
}

export const isEmpty = (since: string | undefined, until: string | undefined): boolean =>
  since !== undefined && until !== undefined && (parseInstant(since) ?? 0) >= (parseInstant(until) ?? 0);

/** The owner can only narrow what was asked for. */
export function later(asked: string | undefined, chosen: string): string | undefined {
  if (chosen === "") return asked;
  if (asked === undefined) return chosen;
  // By the moments they mean: the same day begins elsewhere at another time.
  return (parseInstant(chosen) ?? 0) > (parseInstant(asked) ?? 0) ? chosen : asked;
}

/** A sign for exactly what the page showed: the request, the client, the accounts and fields on offer. */
export const revisionOf = (...seen: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(seen)).digest("base64url").slice(0, 22);
