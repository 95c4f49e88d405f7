import { stemOf } from "./words.ts";

/** The forms in which a word of a question is found. */
export interface Family {
  /** Spellings to look up as they are; the form itself comes first. */
  readonly exact: readonly string[];
  /** Every other form begins with one of these. */
  readonly beginnings: readonly string[];
  /** 1 for the form itself, less for another form of the word, 0 for any other word. */
  weightOf(form: string): number;
}

const otherForm = 0.9;

export function familyOf(form: string, _written = form): Family {
  const stem = stemOf(form);
  return {
    exact: [form],
    beginnings: stem.length > 3 ? [stem.slice(0, -1)] : [],
    weightOf: (other) => (other === form ? 1 : stemOf(other) === stem ? otherForm : 0),
  };
}
