import type { OwnerSession } from "@pdpp/console/sign-in/sign-in-service";
import type { FormValues, SourceService } from "@pdpp/console/sources/source-service";
import type { ConnectorDeclaration, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { addSourceConnection } from "../add-source.ts";
import { systemClock } from "../schedule/clock.ts";
import { createSourceKey } from "../schedule/runner.ts";
import { type CollectingOptions, startCollecting } from "../schedule/start-collecting.ts";
import { listSetupFields, pickValues } from "./form-fields.ts";
import { Questions } from "./questions.ts";

/** A connector that can be added by a form. */
interface AddableConnector {
  readonly declaration: ConnectorDeclaration;
  /** The settings of a new source. */
  readonly settings: JsonObject;
}

export interface SourceServiceOptions extends CollectingOptions {
  readonly connectors?: readonly AddableConnector[];
  /** Stores what a source signs in with; without it, forms with credentials are not offered. */
  readonly saveCredentials?: (owner: OwnerApi, sourceId: string, values: FormValues) => Promise<void>;
}

/** Collects sources for the console, and on their schedule. */
export function createSourceService(options: SourceServiceOptions): SourceService & { close(): Promise<void> } {
  const { store, connectors = [], saveCredentials, clock = systemClock } = options;
  const { runner, close } = startCollecting(options);
  const questions = new Questions();
  const getOwner = ({ ownerNo }: OwnerSession): OwnerApi => createOwner({ store, ownerNo, now: clock.now });
  const addable = new Map(
    connectors
      .filter(({ declaration }) => saveCredentials !== undefined || listSetupFields(declaration.manifest).length === 0)
      .map((connector) => [connector.declaration.connectorKey, connector]),
  );
  const start = ({ ownerNo }: OwnerSession, sourceId: string, isFull: boolean): void => {
    const interact = questions.ask(createSourceKey(ownerNo, sourceId), clock.now);
    void runner.run(ownerNo, sourceId, { mode: isFull ? "full_refresh" : "incremental", interact });
  };
  const listCredentialFields = async (session: OwnerSession, sourceId: string) => {
    const owner = getOwner(session);
    const { connection_id } = await owner.sources.get(sourceId);
    const { connectors: known, connections } = await owner.catalog();
    const key = connections.find(({ id }) => id === connection_id)?.connectorKey;
    const declaration = key === undefined ? undefined : known.get(key);
    return saveCredentials === undefined || declaration === undefined ? [] : listSetupFields(declaration.manifest);
  };
  return {
    kinds: [...addable.values()]
      .map(({ declaration: { connectorKey, displayName, manifest } }) => ({
        key: connectorKey,
        title: displayName,
        fields: listSetupFields(manifest),
      }))
      .sort((a, b) => a.title.localeCompare(b.title, "en")),
    async add(session, kind, { label, values }) {
      const connector = addable.get(kind);
      if (connector === undefined) throw new PdppError("not_found", "this kind of source cannot be added here");
      const { declaration, settings } = connector;
      const credentials = pickValues(listSetupFields(declaration.manifest), values);
      const owner = getOwner(session);
      await owner.connectors.register(declaration);
      await owner.connectors.reindex();
      const id = await addSourceConnection(owner, declaration.connectorKey, { label: label || undefined });
      // Held, so that no server collects it before its credentials are stored.
      await owner.sources.add({ source_id: id, kind: "connector", connection_id: id, settings, is_held: true });
      try {
        await saveCredentials?.(owner, id, credentials);
      } catch (error) {
        await owner.sources.remove(id);
        throw error;
      }
      start(session, id, false);
      return id;
    },
    listCredentialFields,
    async renewCredentials(session, sourceId, values) {
      const fields = await listCredentialFields(session, sourceId);
      if (saveCredentials === undefined || fields.length === 0)
        throw new PdppError("invalid_request", "this server does not store credentials for this source");
      await saveCredentials(getOwner(session), sourceId, pickValues(fields, values));
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
