export { renderConsentPage, renderReviewPage } from "./consent/consent-page.tsx";
export { renderCodeAnsweredPage, renderConfirmCodePage, renderEnterCodePage } from "./consent/device-page.tsx";
export { createConsole } from "./console.ts";
export { renderBugPage, renderErrorPage, renderUnknownPathPage } from "./frame/error-page.tsx";
export { buildPageHeaders, renderNotice } from "./frame/frame.tsx";
export { readForm } from "./frame/read-form.ts";
export { checkNotEmbedded, checkSameOrigin, findSession, readCookies } from "./frame/session.ts";
