import { z } from "zod";

/** The connector whose records are derived from all others: one person each. */
export const peopleConnectorKey = "people";
export const peopleStream = "people";

/** Identities are counted once for each stream they appear in. Further ones are ignored. */
export const maxPersonIdentities = 50_000;

const counts = z.record(z.string(), z.number()).default({});

/** A person as a reader shows them. A grant may leave out fields. */
export const personData = z.object({
  id: z.string().default(""),
  display_name: z.string().default("Somebody"),
  known_as: z.string().default(""),
  things: z.number().default(0),
  source_count: z.number().default(0),
  first_contact: z.string().nullish(),
  first_source: z.string().nullish(),
  last_contact: z.string().nullish(),
  last_source: z.string().nullish(),
  months: counts,
  sources: z
    .array(z.object({ connection_id: z.string(), stream: z.string(), things: z.number(), months: counts }))
    .default([]),
  identities: z
    .array(
      z.object({
        identity: z.string(),
        value: z.string(),
        kind: z.string(),
        things: z.number(),
        cards: z.number(),
        connection_ids: z.array(z.string()),
      }),
    )
    .default([]),
});
export type PersonData = z.infer<typeof personData>;

/** The owner's word on who is who. `identity` is the same person as each of `others`, or none of them. */
export interface PersonDecision {
  readonly id: string;
  /** Says the decision in words. */
  readonly title: string;
  readonly kind: "same" | "different";
  readonly identity: string;
  readonly others: readonly string[];
  readonly decided_at: string;
}

/** The person who has each identity, as the `id` of a record of `people`. */
export type PersonIds = ReadonlyMap<string, string>;

interface AppliedDecision {
  readonly decision: PersonDecision;
  readonly people: PersonIds;
}

export interface PeopleApi {
  /** Brings people up to date with all sources. A server does so in the background. */
  derive(): Promise<void>;
  /** Stores a decision and applies it. Joining drops earlier decisions that keep the two apart. */
  decide(decision: Omit<PersonDecision, "id" | "decided_at">): Promise<AppliedDecision>;
  undo(decisionId: string): Promise<PersonIds>;
  listDecisions(): Promise<PersonDecision[]>;
  /** Whether there are as many identities as are kept, so that some may be missing. */
  isFull(): Promise<boolean>;
  /** Ids of the newest records in which any of these identities appears, newest first. Not every record is kept. */
  listRecords(identities: readonly string[]): Promise<PersonRecord[]>;
}

export interface PersonRecord {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  /** Milliseconds since 1970; 0 if the record has no time. */
  readonly at: number;
}
