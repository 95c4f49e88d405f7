import { compileJsxOnImport } from "./compile-jsx.ts";

/** What the server uses of the console. Imports of pages are dynamic, because their JSX has to be compiled while they load. */

compileJsxOnImport();

export const {
  buildPageHeaders,
  checkNotEmbedded,
  checkSameOrigin,
  createConsole,
  findSession,
  readCookies,
  readForm,
  renderBugPage,
  renderCodeAnsweredPage,
  renderConfirmCodePage,
  renderConsentPage,
  renderEnterCodePage,
  renderErrorPage,
  renderNotice,
  renderReviewPage,
  renderUnknownPathPage,
} = await import("./pages.ts");

export type { ConsentView, DeclaredPurpose } from "./consent/consent-page.tsx";
export type { ConsoleParts, OwnerCopies, PageParts, PendingRequest } from "./frame/session.ts";
export type { ImportService } from "./import/import-service.ts";
export type { OwnerSession, SignIn } from "./sign-in/sign-in-service.ts";
export type { SourceService } from "./sources/source-service.ts";
