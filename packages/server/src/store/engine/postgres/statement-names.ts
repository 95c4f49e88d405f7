import { LRUCache } from "lru-cache";

/**
 * Names for statements that recur: the server parses and plans a named statement once per connection. A name is never used for another
 * text.
 */
export interface StatementNames {
  /** The name of a statement that recurs; undefined for others. */
  find(text: string): string | undefined;
  /** Grows when the names start again. Connections from before hold statements that are no longer used. */
  readonly generation: number;
}

/** Each named statement takes memory in every connection of the server. */
const maxNames = 150;
const maxTextUnits = 8000;
const usesBeforeName = 3;
const maxTextsCounted = 2000;

/** After a migration by a newer server, the server rejects a prepared statement whose columns were not listed. */
const listsNoColumns = /\*\s+FROM\s+[a-z_]/i;

const transactionControl = /^(BEGIN|COMMIT|ROLLBACK)\b/;

export function createStatementNames(): StatementNames {
  const uses = new LRUCache<string, number>({ max: maxTextsCounted });
  const names = new Map<string, string>();
  let [generation, lastNo] = [0, 0];
  return {
    get generation() {
      return generation;
    },
    find(text) {
      const held = names.get(text);
      if (held !== undefined) return held;
      if (text.length > maxTextUnits || transactionControl.test(text) || listsNoColumns.test(text)) return undefined;
      const used = (uses.get(text) ?? 0) + 1;
      uses.set(text, used);
      if (used < usesBeforeName) return undefined;
      uses.delete(text);
      if (names.size === maxNames) {
        names.clear();
        generation += 1;
      }
      lastNo += 1;
      const name = `pdpp_${lastNo}`;
      names.set(text, name);
      return name;
    },
  };
}
