import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseManifest } from "@pdpp/contract/manifest";
import { listSetupFields } from "../../../packages/collecting/src/install/setup-fields.ts";
import { collect } from "../../../packages/collecting/src/run/collect.ts";
import {
  createSourceService,
  type SourceServiceOptions,
} from "../../../packages/collecting/src/service/source-service.ts";
import { declareStream, prelude, withStreams } from "../../collecting/connector.ts";

/** A real source service with one connector, which signs in, asks for a code and skips something. */

const asking = {
  ...withStreams([declareStream("notes", { query: { search: { lexical_fields: ["body"] } } }), declareStream("tasks")]),
  setup: {
    credential_capture: {
      fields: [
        { name: "account", label: "Email address", env: "ACCOUNT", secret: false, required: true },
        { name: "password", label: "App password", env: "PASSWORD", required: true },
        { name: "folder", env: "FOLDER", secret: false, required: false },
      ],
    },
  },
};

/** Signs in with the password, asks for a code if a person is there, and skips something. */
const script = `${prelude}
if (process.env.PASSWORD !== "right-horse") {
  await done("failed", { error: { code: "auth", message: "the server refused " + process.env.PASSWORD, retryable: false, recovery_hint: "refresh_credentials" } });
  await leave(1);
} else {
  let code = "none";
  if (start.bindings.interactive) {
    await say({ type: "PROGRESS", message: "Signing in", count: 1, total: 4 });
    await say({ type: "INTERACTION", request_id: "q1", kind: "otp", message: "Enter the <i>code</i> we sent", timeout_seconds: 240 });
    const { status, data } = await reply();
    code = status + " " + (data?.code ?? "");
  }
  await record("notes", "n1", { body: code });
  await record("notes", "bad", { count: "not a number" });
  await say({ type: "SKIP_RESULT", stream: "tasks", reason: "forbidden", message: "no access to tasks" });
  await state("notes", { full: start.collection_mode });
  await done();
  await leave();
}
`;

export interface SampleSources {
  readonly service: ReturnType<typeof createSourceService>;
  /** The credentials that were saved, by source. */
  readonly saved: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

export function createSampleSources(
  parts: Pick<SourceServiceOptions, "store" | "dataDir" | "onBug">,
  displayName = "Sample <b>mail</b>",
): SampleSources {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-connector-"));
  writeFileSync(join(folder, "index.mjs"), script);
  const declaration = parseManifest({ ...asking, display_name: displayName });
  const saved = new Map<string, Readonly<Record<string, string>>>();
  const service = createSourceService({
    ...parts,
    env: {},
    isScheduled: false,
    connectors: [
      {
        key: "sample",
        title: declaration.displayName,
        parseRecords: () => declaration,
        fields: listSetupFields(declaration.manifest),
        createSettings: (values) => ({ values }),
      },
    ],
    signIn: {
      listFields: async () => listSetupFields(declaration.manifest).filter(({ isSecret }) => isSecret),
      save: async (_owner, id, values) => void saved.set(id, values),
    },
    sync: (owner, { source_id: sourceId }, handlers) =>
      collect(owner, {
        sourceId,
        connectionId: sourceId,
        connector: { declaration, folder, entry: "index.mjs" },
        loadSecrets: async () => saved.get(sourceId) ?? {},
        ...handlers,
      }),
  });
  const close = async (): Promise<void> => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { service: { ...service, close }, saved };
}
