import {
  createImportService,
  type ImportServiceLimits,
} from "../../../packages/importing/src/service/import-service.ts";
import { createApp } from "../../../packages/server/src/app.ts";
import { type Stage, stage } from "../../oauth/agent.ts";
import type { TestVault } from "../vaults/new-vault.ts";
import { signInOwner, site } from "./owner-pages.ts";
import type { Person, VisitedPage } from "./person.ts";

/** An owner on a vault's Import page, with the real import service and real child processes. */

export interface ImportPage {
  readonly on: Stage;
  readonly owner: Person;
  /** Uploads files as the page's form does, and returns the resulting page. */
  drop(
    files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
    by?: Person,
    csrfToken?: string,
  ): Promise<VisitedPage>;
  /** Reloads until the page shows one of these stages. */
  until(page: VisitedPage, stages: string | string[], by?: Person): Promise<VisitedPage>;
  signIn(code: string): Promise<Person>;
  close(): Promise<void>;
}

export async function openImportPage(
  vault: TestVault,
  { limits = {}, ownDisk = true }: { limits?: Partial<ImportServiceLimits>; ownDisk?: boolean } = {},
): Promise<ImportPage> {
  const { store, dataDir, databaseUrl } = vault;
  const importService = await createImportService(
    { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) },
    limits,
  );
  const on = stage(vault, [createApp({ store, imports: importService, ownDisk })]);
  const owner = await signInOwner(on);
  return {
    on,
    owner,
    async drop(files, by = owner, csrfToken) {
      const form = new FormData();
      form.append("csrf_token", csrfToken ?? readCsrfToken(await by.open(`${site}/browsers`)));
      for (const [name, content] of Object.entries(files)) form.append("files", new Blob([content]), name);
      const request = await buildFormRequest(by, form);
      const answer = await on.fetch(request);
      const to = answer.headers.get("location");
      if (to !== null) return by.open(new URL(to, site).href);
      return { url: request.url, status: answer.status, html: await answer.text(), headers: answer.headers };
    },
    async until({ url }, stages, by = owner) {
      for (const began = Date.now(); ; ) {
        const at = await by.open(url);
        if ([stages].flat().includes(readStage(at))) return at;
        if (Date.now() - began > longestMs || at.status >= 400)
          throw new Error(`it stays ${readStage(at)}: ${at.html}`);
        await new Promise((over) => setTimeout(over, 50));
      }
    },
    async signIn(code) {
      const person = on.owner();
      await person.send(await person.open(`${site}/sign-in`), { code });
      return person;
    },
    close: () => importService.close(),
  };
}

/** On a busy machine a process takes long to start. */
const longestMs = 300_000;

/** The request exactly as a browser sends it. */
export async function buildFormRequest(by: Person, form: FormData): Promise<Request> {
  const sent = new Response(form);
  const headers = { ...buildHeaders(by), "content-type": sent.headers.get("content-type") ?? "" };
  return new Request(`${site}/import/upload`, { method: "POST", headers, body: await sent.arrayBuffer() });
}

export const buildHeaders = ({ cookies }: Person): Record<string, string> => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  origin: site,
});

/** A finished import no longer has a stage. */
export const readStage = ({ html }: VisitedPage): string => /data-stage="(\w+)"/.exec(html)?.[1] ?? "over";

export const readCsrfToken = ({ html }: VisitedPage): string =>
  /name="csrf_token" value="([^"]+)"/.exec(html)?.[1] ?? "";
