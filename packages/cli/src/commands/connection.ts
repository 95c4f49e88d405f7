import { isoOf } from "@pdpp/contract/instant";
import { findConnection, addConnection as insert, removeConnection } from "@pdpp/server/ingest/owner";
import { createReader } from "@pdpp/server/read/reader";
import { type Connection, connections } from "@pdpp/server/store/catalog/connections";
import type { Store } from "@pdpp/server/store/store";
import type { Command } from "commander";
import { type Call, command, does } from "../command.ts";
import { confirm } from "../confirm.ts";
import { table } from "../render/table.ts";
import { ownerNo, ownerScope, withVault } from "../vault.ts";

export function addConnection(program: Command): void {
  const group = command(program, "connection", "Configured sources: where data comes from", [
    "pdpp connection add notes --label Work",
  ]);
  addAdd(group);
  addList(group);
  addRemove(group);
}

function addAdd(group: Command): void {
  const add = command(group, "add <connector-key>", "Add a source; prints its connection_id", [
    "pdpp connection add notes --label Work --id notes-work",
  ])
    .option("--label <text>", "a name for people")
    .option("--id <id>", "the connection_id, instead of a random one");
  does(add, async ({ options, out, location }: Call<{ label?: string; id?: string }>, connectorKey: string) => {
    const { label, id } = options;
    const request = { connectorKey, ...(label === undefined ? {} : { label }), ...(id === undefined ? {} : { id }) };
    const made = await withVault(location, (store) => insert(store, ownerNo, request, Date.now()));
    out.result(documentOf(made), () => made.id);
    out.remark(`next: pdpp ingest ${made.id} STREAM FILE`);
  });
}

function addList(group: Command): void {
  const list = command(group, "list", "The connections and how much came through them", ["pdpp connection list"]);
  does(list, async ({ out, location }) => {
    const data = await withVault(location, listed);
    out.result({ object: "list", data }, (style) =>
      data.length === 0
        ? "no connections yet; add one with pdpp connection add CONNECTOR_KEY"
        : table(
            style,
            ["CONNECTION", "CONNECTOR", "LABEL", "RECORDS", "ADDED"],
            data.map((c) => [
              c.connection_id,
              c.connector_key,
              c.display_name ?? "",
              String(c.record_count),
              c.created_at,
            ]),
          ),
    );
  });
}

function addRemove(group: Command): void {
  const remove = command(
    group,
    "remove <connection-id>",
    "Remove a connection with every record that came through it",
    ["pdpp connection remove notes-work", "pdpp connection remove notes-work --yes"],
  ).option("--yes", "do not ask");
  does(remove, ({ options, out, location }: Call<{ yes?: boolean }>, id: string) =>
    withVault(location, async (store) => {
      await findConnection(store, ownerNo, id);
      const records = (await listed(store)).find(({ connection_id }) => connection_id === id)!.record_count;
      await confirm(`this removes connection ${id} with its ${records} records for good`, options.yes);
      await removeConnection(store, ownerNo, id, Date.now());
      const document = { object: "connection", connection_id: id, deleted: true, records_deleted: records };
      out.result(document, () => `removed ${id} with ${records} records`);
    }),
  );
}

const documentOf = ({ id, connectorKey, label, createdAt }: Connection) => ({
  object: "connection" as const,
  connection_id: id,
  connector_key: connectorKey,
  ...(label === undefined ? {} : { display_name: label }),
  created_at: isoOf(createdAt),
});

async function listed(store: Store) {
  const held = await store.engine.read((on) => connections(on, ownerNo));
  const { data } = await createReader({ store, scope: await ownerScope(store) }).streams({});
  return held.map((connection) => {
    const streams = data
      .filter(({ connection_id }) => connection_id === connection.id)
      .map(({ name, record_count, last_updated }) => ({ name, record_count, last_updated }));
    return {
      ...documentOf(connection),
      record_count: streams.reduce((sum, { record_count }) => sum + record_count, 0),
      streams,
    };
  });
}
