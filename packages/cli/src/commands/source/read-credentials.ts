import type { SetupField } from "@pdpp/collecting/install/setup-fields";
import { parseJson } from "../../input/parse-json.ts";
import { askHidden, hasTerminal, readSecretFile, readStandardInput } from "../../input/secret-input.ts";
import { escapeUnprintable } from "../../render/terminal/style.ts";
import { UsageError } from "../../runtime/failure.ts";

/** Reads secret fields from a file, from standard input, or from a person, without showing what is typed. */
export async function readCredentials(
  fields: readonly SetupField[],
  passwordFile: string | undefined,
): Promise<Credentials> {
  if (passwordFile !== undefined) return assignOne(fields, readSecretFile(passwordFile, "password"));
  if (!hasTerminal()) return parseInput(fields, await readStandardInput());
  const values: Credentials = {};
  for (const { label, variable, isRequired } of fields) {
    const value = await askHidden(`${escapeUnprintable(label)}${isRequired ? "" : " (may be empty)"}: `);
    if (value !== "") values[variable] = value;
  }
  return values;
}

type Credentials = Record<string, string>;

function assignOne(fields: readonly SetupField[], value: string): Credentials {
  const [field, ...others] = fields.length === 1 ? fields : fields.filter(({ isRequired }) => isRequired);
  if (field !== undefined && others.length === 0) return { [field.variable]: value };
  const names = fields.map(({ name }) => name).join(", ");
  throw new UsageError(`the source has several credentials; pipe a JSON object with these names into it: ${names}`);
}

/** One credential as it is, several as a JSON object. */
function parseInput(fields: readonly SetupField[], input: string): Credentials {
  if (input === "") throw new UsageError("there is no terminal to ask on; use --password-file FILE or standard input");
  let parsed: unknown;
  try {
    parsed = fields.length === 1 ? undefined : parseJson(input);
  } catch {
    // The error would repeat what is not JSON.
  }
  if (typeof parsed !== "object" || parsed === null) return assignOne(fields, input);
  const values: Credentials = {};
  for (const [name, value] of Object.entries(parsed)) {
    const field = fields.find((each) => each.name === name || each.variable === name);
    if (field === undefined || typeof value !== "string")
      throw new UsageError(`${JSON.stringify(name)} is not a credential of this source, or not a text`);
    values[field.variable] = value;
  }
  return values;
}
