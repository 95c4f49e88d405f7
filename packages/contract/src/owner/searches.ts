/** Per owner. */
export const maxSavedSearches = 100;
export const maxSearchNameChars = 200;
/** As much as the search box takes. */
export const maxSavedQuestionChars = 2000;

/** A saved search: a question, limited to a source, a stream or a period. */
export interface SavedQuestion {
  readonly q: string;
  readonly source?: string | undefined;
  readonly stream?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Treat dates in the question as ordinary words. */
  readonly time?: "words" | undefined;
  readonly order?: "date" | undefined;
}

export interface SavedSearch {
  readonly id: string;
  readonly name: string;
  readonly question: SavedQuestion;
  readonly created_at: string;
}

/** Searches that the owner keeps for later. They belong to the console: no read operation returns them. */
export interface SearchesApi {
  /** Newest first. */
  list(): Promise<SavedSearch[]>;
  /** Saving the same question again changes its name. */
  save(name: string, question: SavedQuestion): Promise<SavedSearch>;
  rename(searchId: string, name: string): Promise<SavedSearch>;
  remove(searchId: string): Promise<void>;
}
