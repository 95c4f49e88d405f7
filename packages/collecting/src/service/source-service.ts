import type { OwnerSession } from "@pdpp/console/sign-in/sign-in-service";
import type { SourceService } from "@pdpp/console/sources/source-service";
import type { ConnectorDeclaration, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { SourceDocument } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { addSourceConnection } from "../add-source.ts";
import type { SetupField } from "../install/setup-fields.ts";
import { systemClock } from "../schedule/clock.ts";
import { createSourceKey } from "../schedule/runner.ts";
import { type CollectingOptions, startCollecting } from "../schedule/start-collecting.ts";
import { addFolderByForm, folderForm } from "./folder-form.ts";
import { pickValues, toFormFields } from "./form-fields.ts";
import { Questions } from "./questions.ts";

/** A connector that can be added by a form. */
export interface AddableConnector {
  readonly key: string;
  readonly title: string;
  /** Returns the manifest that its connections are registered with. */
  parseRecords(): ConnectorDeclaration;
  readonly fields: readonly SetupField[];
  /** The settings of a new source, with the values of fields that are not secret. */
  createSettings(values: Readonly<Record<string, string>>): JsonObject;
}

/** Stores what sources sign in with. */
export interface SourceSignIn {
  listFields(source: SourceDocument): Promise<readonly SetupField[]>;
  save(owner: OwnerApi, sourceId: string, values: Readonly<Record<string, string>>): Promise<void>;
}

export interface SourceServiceOptions extends CollectingOptions {
  readonly connectors?: readonly AddableConnector[];
  /** Without it, forms with credentials are not offered. */
  readonly signIn?: SourceSignIn | undefined;
}

/** Collects sources for the console, and on their schedule. */
export function createSourceService(options: SourceServiceOptions): SourceService & { close(): Promise<void> } {
  const { store, connectors = [], signIn, clock = systemClock } = options;
  const { runner, close } = startCollecting(options);
  const questions = new Questions();
  const getOwner = ({ ownerNo }: OwnerSession): OwnerApi => createOwner({ store, ownerNo, now: clock.now });
  const canAdd = ({ fields }: AddableConnector): boolean =>
    signIn !== undefined || fields.every(({ isSecret }) => !isSecret);
  const addable = new Map(connectors.filter(canAdd).map((connector) => [connector.key, connector]));
  const start = ({ ownerNo }: OwnerSession, sourceId: string, isFull: boolean): void => {
    const interact = questions.ask(createSourceKey(ownerNo, sourceId), clock.now);
    void runner.run(ownerNo, sourceId, { mode: isFull ? "full_refresh" : "incremental", interact });
  };
  const listFields = async (session: OwnerSession, sourceId: string): Promise<readonly SetupField[]> => {
    const source = await getOwner(session).sources.get(sourceId);
    return source.kind === "connector" ? ((await signIn?.listFields(source)) ?? []) : [];
  };
  return {
    kinds: [
      ...[...addable.values()].map(({ key, title, fields }) => ({ key, title, fields: toFormFields(fields) })),
      folderForm,
    ],
    async add(session, kind, { label, values }) {
      if (kind === folderForm.key) {
        const folder = await addFolderByForm(getOwner(session), { label, values });
        start(session, folder, false);
        return folder;
      }
      const connector = addable.get(kind);
      if (connector === undefined) throw new PdppError("not_found", "this kind of source cannot be added here");
      const { key, fields } = connector;
      const settings = connector.createSettings(
        pickValues(
          fields.filter(({ isSecret }) => !isSecret),
          values,
        ),
      );
      const credentials = pickValues(
        fields.filter(({ isSecret }) => isSecret),
        values,
      );
      const owner = getOwner(session);
      const records = connector.parseRecords();
      await owner.connectors.register(records);
      await owner.connectors.reindex();
      // People tell accounts apart by their user.
      const names = { name: key, label: label || values.user || undefined };
      const id = await addSourceConnection(owner, records.connectorKey, names);
      // Held, so that no server collects it before its credentials are stored.
      await owner.sources.add({ source_id: id, kind: "connector", connection_id: id, settings, is_held: true });
      try {
        if (Object.keys(credentials).length > 0) await signIn?.save(owner, id, credentials);
      } catch (error) {
        await owner.sources.remove(id);
        throw error;
      }
      start(session, id, false);
      return id;
    },
    listCredentialFields: async (session, sourceId) => toFormFields(await listFields(session, sourceId)),
    async renewCredentials(session, sourceId, values) {
      const fields = await listFields(session, sourceId);
      if (signIn === undefined || fields.length === 0)
        throw new PdppError("invalid_request", "this server does not store credentials for this source");
      await signIn.save(getOwner(session), sourceId, pickValues(fields, values));
      start(session, sourceId, false);
    },
    getActivity({ ownerNo }, sourceId) {
      const run = runner.find(ownerNo, sourceId);
      if (run === undefined) return undefined;
      const { message, count, total } = run.progress ?? {};
      const progress = message === undefined ? undefined : { message, ...pickCounts(count, total) };
      return { progress, question: questions.find(createSourceKey(ownerNo, sourceId)) };
    },
    async run(session, sourceId, isFull) {
      const { status } = await getOwner(session).sources.get(sourceId);
      if (status === "paused") throw new PdppError("invalid_request", "this source is paused. Resume it first");
      if (status === "running") throw new PdppError("invalid_request", "this source is being collected already");
      start(session, sourceId, isFull);
    },
    cancel: ({ ownerNo }, sourceId) => runner.cancel(ownerNo, sourceId),
    async answer({ ownerNo }, sourceId, questionId, values) {
      questions.answer(createSourceKey(ownerNo, sourceId), questionId, values);
    },
    close,
  };
}

const pickCounts = (count: number | null | undefined, total: number | null | undefined) => ({
  ...(typeof count === "number" && { count }),
  ...(typeof total === "number" && { total }),
});
