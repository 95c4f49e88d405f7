import type { SearchResult } from "@pdpp/contract/wire";
import type { ImpersonatedGrant } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import type { Viewer } from "../../frame/viewer.ts";
import type { MadeDecision } from "./decision-forms.tsx";
import type { PersonList, PersonQuestion, PersonTab } from "./load-person.ts";
import type { PersonView } from "./person-data.ts";

interface SharedWith {
  readonly id: string;
  readonly client: string;
}

export interface PersonPageView {
  readonly person: PersonView;
  readonly tabs: readonly PersonTab[];
  readonly tab: PersonTab;
  readonly show: number;
  readonly list: PersonList;
  readonly mentions: readonly SearchResult[];
  readonly question: PersonQuestion | undefined;
  /** The decision the owner has just made, with the words for it. */
  readonly done: MadeDecision | undefined;
  readonly shared: readonly SharedWith[];
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  readonly today: string;
  readonly timeZone: string;
}

export const getFirstName = (name: string): string => name.split(/\s+/)[0]?.slice(0, 40) ?? name;
