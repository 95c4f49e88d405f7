import { commandName } from "@pdpp/agent-setup/command-name";
import { addSourceConnection, type ConnectionNames } from "@pdpp/collecting/add-source";
import { createBuiltinSettings, listBuiltins } from "@pdpp/collecting/builtin";
import { listSetupFields, listTypedFields, type SetupField } from "@pdpp/collecting/install/setup-fields";
import { parseManifest } from "@pdpp/contract/manifest";
import { type Command, Option } from "commander";
import { hasTerminal } from "../../input/secret-input.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { withOwner } from "../../runtime/vault.ts";
import { openSourceCredentials } from "./open-credentials.ts";
import { readCredentials } from "./read-credentials.ts";

type Builtin = ReturnType<typeof listBuiltins>[number];

interface AddOptions extends ConnectionNames {
  readonly into?: string;
  readonly [setting: string]: string | undefined;
}

/** A command for each connector that comes with pdpp, with the settings in its manifest as options. */
export function addBuiltins(add: Command): void {
  for (const builtin of listBuiltins()) addBuiltin(add, builtin);
}

function addBuiltin(add: Command, builtin: Builtin): void {
  const all = listSetupFields(builtin.manifest);
  const fields = all.filter(({ isSecret }) => !isSecret);
  const command = addCommand(add, builtin.name, builtin.summary, [formatExample(builtin.name, fields)]);
  for (const field of fields) {
    const flag = `--${field.name} <${field.name}>`;
    const text = describeField(field);
    const option = new Option(flag, text).makeOptionMandatory(field.isRequired);
    if (field.choices !== undefined) option.choices(field.choices.map(({ value }) => value));
    command.addOption(option);
  }
  command
    .option("--id <id>", "id of the source")
    .option("--label <text>", "display name")
    .option("--into <connection-id>", "collect into this connection, such as one that was imported");
  const secrets = listTypedFields(all).filter(({ isSecret }) => isSecret);
  if (secrets.length > 0)
    command.option("--password-file <file>", "file with the password (default: ask, if there is a terminal)");
  onRun(command, ({ options, out, location }: Call<AddOptions>) =>
    withOwner(location, async (owner) => {
      const values: Record<string, string> = {};
      for (const { name, variable } of fields) {
        const value = options[name];
        if (value !== undefined) values[variable] = value;
      }
      const settings = createBuiltinSettings(builtin, values);
      const { passwordFile } = options;
      const canAsk = secrets.length > 0 && (passwordFile !== undefined || hasTerminal());
      const credentials = canAsk ? await readCredentials(secrets, passwordFile) : {};
      const isSignedIn = Object.keys(credentials).length > 0;
      const declaration = parseManifest(builtin.records);
      await owner.connectors.register(declaration);
      await owner.connectors.reindex();
      const { name } = builtin;
      // People tell accounts apart by their user.
      const wanted = { name, label: options.user, ...options };
      const connection = options.into ?? (await addSourceConnection(owner, declaration.connectorKey, wanted));
      const id = options.id ?? (options.into === undefined ? connection : name);
      const source = await owner.sources.add({
        source_id: id,
        kind: "connector",
        connection_id: connection,
        settings,
        // A server must not collect it before it can sign in.
        is_held: isSignedIn,
      });
      if (isSignedIn) await openSourceCredentials(owner, location).save(id, credentials);
      out.result(source, () => source.source_id);
      const next = secrets.length > 0 && !isSignedIn ? "sign-in" : "sync";
      out.remark(`Next: ${commandName} source ${next} ${source.source_id}`);
    }),
  );
}

function describeField({ label, description, example, choices }: SetupField): string {
  if (choices !== undefined) return `${label} (default: ${choices[0]?.value})`;
  const more = description ?? (example === undefined ? undefined : `such as ${example}`);
  return more === undefined ? label : `${label}: ${more}`;
}

const formatExample = (name: string, fields: readonly SetupField[]): string =>
  [
    `pdpp source add ${name}`,
    ...fields.flatMap((field) => (field.isRequired ? [`--${field.name} ${field.example}`] : [])),
  ].join(" ");
