export { renderConsentPage } from "./consent/consent-page.tsx";
export { renderCodeAnsweredPage, renderConfirmCodePage, renderEnterCodePage } from "./consent/device-page.tsx";
export { createConsole } from "./console.ts";
export { renderBugPage, renderErrorPage } from "./frame/error-page.ts";
export { buildPageHeaders, renderNotice } from "./frame/frame.tsx";
export { checkSameOrigin, findSession } from "./frame/session.ts";
