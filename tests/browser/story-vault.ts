import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@pdpp/server/main";
import { openStore } from "@pdpp/server/store/store";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, putRecords } from "@pdpp/test-support/vaults/sample";
import { createImportService } from "#importing/service/import-service";

/** The sample vault on a socket, with a 200,000-character text and a changed record. */

export interface StoryVault {
  readonly site: string;
  readonly signInUrl: string;
  readonly chat: { readonly file: string; readonly text: string };
  close(): Promise<void>;
}

const words = "The keeper of the lighthouse wrote down the weather and the ships. ";
export const longText = `${words.repeat(Math.ceil(200_000 / words.length)).slice(0, 199_980)} and here it ends.  `;

const chatText = "13/01/2024, 10:00 - Ada: the attic thermostat\n13/01/2024, 10:01 - Cem: which one?\n";

export async function createStoryVault(): Promise<StoryVault> {
  const home = mkdtempSync(join(tmpdir(), "pdpp-story-"));
  const dataDir = join(home, "vault");
  const store = await openStore({ dataDir });
  const vault = { store, dataDir } as TestVault;
  await createSample(vault);
  await putRecords(vault, "chat_home", "messages", [
    buildMessage("logbook", 60, { text: longText, secret: "CANARY-logbook" }),
    buildMessage("plan", 61, { text: "We meet on Tuesday at the harbour" }),
  ]);
  await putRecords(vault, "chat_home", "messages", [
    buildMessage("plan", 61, { text: "We meet on Friday at the harbour" }),
  ]);
  await store.close();
  const file = join(home, "WhatsApp Chat with Cem.txt");
  writeFileSync(file, chatText);
  const imports = await createImportService({ dataDir });
  const running = await serve({ dataDir, port: 0, host: "127.0.0.1", imports });
  return {
    site: new URL(running.signInUrl).origin,
    signInUrl: running.signInUrl,
    chat: { file, text: chatText },
    async close() {
      await running.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
