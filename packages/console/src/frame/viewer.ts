/** What only a page of a session has: the value that its forms send back, and whose session it is. */
export interface Viewer {
  readonly csrfToken: string;
  /** The owner's name, where a vault has several. */
  readonly ownerName?: string | undefined;
}
