import { compileJsxOnImport } from "./compile-jsx.ts";

/** What the server uses of the console. Imports of pages are dynamic, because their JSX has to be compiled while they load. */

compileJsxOnImport();

export const {
  buildPageHeaders,
  checkSameOrigin,
  createConsole,
  findSession,
  renderBugPage,
  renderCodeAnsweredPage,
  renderConfirmCodePage,
  renderConsentPage,
  renderEnterCodePage,
  renderErrorPage,
  renderNotice,
} = await import("./pages.ts");

export type { ConsentView, DeclaredPurpose } from "./consent/consent-page.tsx";
export type { ConsoleParts, OwnerCopies, PageParts } from "./frame/session.ts";
export type { ImportService } from "./import/import-service.ts";
export type { OwnerSession, SignIn } from "./sign-in/sign-in-service.ts";
