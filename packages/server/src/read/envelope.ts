interface Answer {
  readonly object: string;
  readonly links: object;
  readonly meta: object;
}

/** Adds the public envelope. The keys also stay at the top level, where earlier versions of the protocol have them. */
export function withEnvelope<T extends Answer>(answer: T): T & { data: Omit<T, keyof Answer> } {
  const { object: _object, links: _links, meta: _meta, ...data } = answer;
  return { ...answer, data };
}
