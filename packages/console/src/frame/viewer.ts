/** The session behind a page: its CSRF token and its owner. */
export interface Viewer {
  readonly csrfToken: string;
  /** Only set in a vault with several owners. */
  readonly ownerName?: string | undefined;
}
