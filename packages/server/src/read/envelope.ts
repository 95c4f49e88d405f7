interface Answer {
  readonly object: string;
  readonly links: object;
  readonly meta: object;
}

/** The public envelope around a single answer. Its keys stay at the top as well, where clients of earlier texts read them. */
export function withEnvelope<T extends Answer>(answer: T): T & { data: Omit<T, keyof Answer> } {
  const { object: _object, links: _links, meta: _meta, ...data } = answer;
  return { ...answer, data };
}
