import type { Aggregation, Expanded, RecordDocument, RecordList, RelatedLink, SearchResult } from "@pdpp/contract/wire";
import type { SharedFacts } from "../cards/shared-facts.ts";
import { measureTexts, type Size } from "./size.ts";

/** A part of an answer that counts against `max_chars`. */
export type Measurable =
  | { readonly kind: "record"; readonly item: RecordList["data"][number]; readonly shared: SharedFacts }
  | { readonly kind: "hit"; readonly hit: SearchResult; readonly source?: HitSource | undefined }
  | { readonly kind: "group"; readonly group: AggregateGroup }
  | { readonly kind: "document"; readonly document: RecordDocument }
  | { readonly kind: "expanded"; readonly expanded: Expanded }
  | { readonly kind: "link"; readonly link: RelatedLink }
  /** Everything a field window says besides its text. */
  | { readonly kind: "window"; readonly subject: WindowSubject; readonly isBrief: boolean };

type AggregateGroup = NonNullable<Aggregation["groups"]>[number];

/** A connection that hits of a page come from. */
export interface HitSource {
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly hits: number;
}

/** Everything a field window says besides its text. */
export interface WindowSubject {
  readonly connection_id: string;
  readonly stream: string;
  readonly record_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
  readonly field: {
    readonly path: string;
    readonly blob_id?: string | undefined;
    readonly media_type?: string | undefined;
  };
  readonly bytes?: { readonly url: string } | undefined;
  readonly blobs?: readonly WindowBlob[] | undefined;
}

export interface WindowBlob {
  readonly mime_type?: string | undefined;
  readonly read: { readonly url: string };
  readonly text?: { readonly url: string } | undefined;
}

/**
 * How much of a result a part takes. Readers are given one by the surface that lays out their answers, so that a page ends
 * where the surface's result is full.
 */
export type Measure = (part: Measurable) => Size;

/** For surfaces that send answers as JSON. */
export const measureAsJson: Measure = ({ kind: _, ...part }) => measureTexts("", JSON.stringify(part));
