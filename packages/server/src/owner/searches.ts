import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import {
  maxSavedQuestionChars,
  maxSavedSearches,
  maxSearchNameChars,
  type SavedQuestion,
  type SavedSearch,
  type SearchesApi,
} from "@pdpp/contract/searches";
import { createId } from "../auth/tokens.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import {
  deleteSavedSearch,
  insertSavedSearch,
  listSavedSearches,
  renameSavedSearch,
  type SavedSearchRow,
} from "../store/catalog/saved-searches.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import type { OwnerContext } from "./owner-context.ts";

/** The log says that a search was saved, but never its words: it can't be deleted with them. */
export function createSearchesApi({ store, ownerNo, now }: OwnerContext): SearchesApi {
  const log = (on: WriteTransaction, operation: string): Promise<void> =>
    logOwnerAction(on, { ownerNo, at: now(), operation });
  return {
    list: async () => (await store.engine.read((on) => listSavedSearches(on, ownerNo))).map(describeSearch),
    async save(name, asked) {
      const question = cleanQuestion(asked);
      const written = cleanName(name);
      return store.engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        const held = await listSavedSearches(on, ownerNo);
        const same = held.find((each) => isSameQuestion(each.question, question));
        if (same === undefined && held.length >= maxSavedSearches)
          throw new PdppError("resource_limit", `you can save at most ${maxSavedSearches} searches. Remove one first`);
        const search = { ...(same ?? { id: createId("sea"), question, createdAt: now() }), name: written };
        if (same === undefined) await insertSavedSearch(on, ownerNo, search);
        else await renameSavedSearch(on, ownerNo, same.id, written);
        await log(on, "search.save");
        return describeSearch(search);
      });
    },
    async rename(id, name) {
      const written = cleanName(name);
      return store.engine.write(async (on) => {
        if (!(await renameSavedSearch(on, ownerNo, id, written))) throw createNotFoundError();
        await log(on, "search.rename");
        return describeSearch((await listSavedSearches(on, ownerNo)).find((each) => each.id === id)!);
      });
    },
    async remove(id) {
      await store.engine.write(async (on) => {
        if (!(await deleteSavedSearch(on, ownerNo, id))) throw createNotFoundError();
        await log(on, "search.remove");
      });
    },
  };
}

const createNotFoundError = (): PdppError => new PdppError("not_found", "this saved search doesn't exist");

const describeSearch = ({ createdAt, ...search }: SavedSearchRow): SavedSearch => ({
  ...search,
  created_at: formatInstant(createdAt),
});

const cleanText = (text: string): string => text.toWellFormed().replaceAll("\0", "").trim();

function cleanName(name: string): string {
  const written = cleanText(name);
  if (written === "" || written.length > maxSearchNameChars)
    throw new PdppError("invalid_argument", `a name must have 1 to ${maxSearchNameChars} characters`, {
      param: "name",
    });
  return written;
}

const maxPartChars = 512;

/** In a fixed order and without empty parts, so that equal questions are stored alike. */
function cleanQuestion({ q, source, stream, since, until, time, order }: SavedQuestion): SavedQuestion {
  const asked = cleanText(q);
  if (asked === "" || asked.length > maxSavedQuestionChars)
    throw new PdppError("invalid_argument", `a saved search must have 1 to ${maxSavedQuestionChars} characters`, {
      param: "q",
    });
  const parts = Object.entries({ source, stream, since, until }).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value.toWellFormed().replaceAll("\0", "")] as const],
  );
  if (parts.some(([, value]) => value.length > maxPartChars))
    throw new PdppError("invalid_argument", `each filter can have at most ${maxPartChars} characters`);
  return {
    q: asked,
    ...Object.fromEntries(parts),
    ...(time === undefined ? {} : { time }),
    ...(order === undefined ? {} : { order }),
  };
}

const isSameQuestion = (a: SavedQuestion, b: SavedQuestion): boolean => JSON.stringify(a) === JSON.stringify(b);
