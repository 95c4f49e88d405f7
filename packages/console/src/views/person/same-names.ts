import type { PersonDecision } from "@pdpp/contract/people";
import { isAnswered } from "./load-person.ts";
import type { PersonView } from "./person-data.ts";
import { compareNames } from "./similar-names.ts";

/** Two entries of the list that may be one person. The owner is asked; nothing is joined by a name. */
export interface SameName {
  readonly person: PersonView;
  readonly other: PersonView;
}

/** A list with more questions than people would be no list. The next ones follow the answers. */
const maxQuestions = 3;

/** People of exactly the same name, each with the entry of that name that has the most records. */
export function findSameNames(people: readonly PersonView[], decisions: readonly PersonDecision[]): SameName[] {
  const asked = people.filter(({ identities }) => identities.length > 0).toSorted((a, b) => b.things - a.things);
  const found: SameName[] = [];
  const taken = new Set<string>();
  for (const person of asked) {
    if (taken.has(person.id)) continue;
    const others = asked.filter(
      ({ id, display_name }) => id !== person.id && compareNames(person.display_name, display_name) === 3,
    );
    for (const other of others) taken.add(other.id);
    const open = others.find((other) => !isAnswered(person, other, decisions));
    if (open !== undefined) found.push({ person, other: open });
    if (found.length === maxQuestions) return found;
  }
  return found;
}
