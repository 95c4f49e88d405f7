import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createBuiltinSettings, listBuiltins } from "../builtin/builtin.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { loadSignInFields } from "../credentials/fields.ts";
import { listSetupFields, listTypedFields } from "../install/setup-fields.ts";
import type { AddableConnector, SourceSignIn } from "./source-service.ts";

/** The connectors that come with pdpp, for forms. */
export const listAddableConnectors = (): AddableConnector[] =>
  listBuiltins().map((builtin) => ({
    key: builtin.name,
    title: builtin.title,
    parseRecords: () => parseManifest(builtin.records),
    fields: listTypedFields(listSetupFields(builtin.manifest)),
    createSettings: (values) => createBuiltinSettings(builtin, values),
  }));

/** Signs in to sources with the sealed credentials of their owners. */
export const createSourceSignIn = (dataDir: string, open: (owner: OwnerApi) => Credentials): SourceSignIn => ({
  listFields: async (source) => (await loadSignInFields(source, dataDir)).fields,
  save: (owner, sourceId, values) => open(owner).save(sourceId, values),
});
