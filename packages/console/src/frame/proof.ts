/** What only a page of a session has: the value that its forms send back, and whose session it is. */
export interface Proof {
  readonly value: string;
  /** The owner's name, where a vault has several. */
  readonly owner?: string | undefined;
}
