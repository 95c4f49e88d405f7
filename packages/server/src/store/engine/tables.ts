import type { Dialect, ReadTransaction } from "./engine.ts";
import { postgresTables } from "./postgres/tables.ts";
import { sqliteTables } from "./sqlite/tables.ts";
import type { Tables } from "./table-shape.ts";

export const getTables = ({ name }: Dialect): Tables => (name === "sqlite" ? sqliteTables : postgresTables);

export const hasVault = async (on: ReadTransaction): Promise<boolean> =>
  (await getTables(on.dialect).list(on)).some(({ name }) => name === "meta");
