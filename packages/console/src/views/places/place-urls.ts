import { buildUrl } from "../../frame/addresses.ts";

/** The selection of the map. */
export interface PlacesQuestion {
  readonly source?: string | undefined;
  readonly stream?: string | undefined;
  readonly month?: string | undefined;
  readonly show: "tracks" | "places";
  /** The chosen track or place. */
  readonly id?: string | undefined;
}

export const getPlacesUrl = ({ source, stream, month, show, id }: PlacesQuestion): string =>
  buildUrl("places", { show: show === "places" ? show : undefined, source, stream, month, id });
