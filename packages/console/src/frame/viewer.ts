/** The session behind a page: its CSRF token and its owner. */
export interface Viewer {
  readonly csrfToken: string;
  /** The owner's name, where a vault has several. */
  readonly ownerName?: string | undefined;
}
