import { compareAccess, listUnchangedAccounts } from "@pdpp/consent/access";
import { listAgents } from "@pdpp/consent/agents";
import {
  buildGrantRequest,
  type Choice,
  chooseRequested,
  hashRevision,
  listUntickedSources,
  parseChoice,
} from "@pdpp/consent/choice";
import { chooseCurrentAccess, type EarlierAccess, findEarlierAccess } from "@pdpp/consent/earlier";
import { buildOffer, listDecisionFacts, type Offer } from "@pdpp/consent/offer";
import { buildPreview, emptyPreview } from "@pdpp/consent/preview";
import { isTrainingPurpose } from "@pdpp/consent/purpose";
import type { OwnerSession } from "@pdpp/console";
import {
  buildPageHeaders,
  type ConsentView,
  type ConsoleParts,
  readForm,
  renderConsentPage,
  renderNotice,
  renderReviewPage,
} from "@pdpp/console";
import { PdppError } from "@pdpp/contract/errors";
import type { GrantRequest } from "@pdpp/contract/grant";
import type { OwnerApi } from "@pdpp/contract/owner";
import type Provider from "oidc-provider";
import { issuePackage } from "../auth/issue.ts";
import { revokeGrant } from "../owner/grants.ts";
import { consumeArtifact, markClientGranted } from "../store/access/oauth-artifacts.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import type { Store } from "../store/store.ts";
import { type ClientRequest, joinPurposes, loadClientRequest } from "./client-request.ts";
import { hashId, saveModel } from "./model-writes.ts";
import type { PendingRequests } from "./pending-requests.ts";
import { scope } from "./provider-paths.ts";

export interface ConsentParts extends ConsoleParts {
  readonly pendingRequests: PendingRequests;
  readonly store: Store;
  readonly getProvider: (origin: string) => Promise<Provider>;
}

export function createConsentHandler(
  parts: ConsentParts,
): (request: Request, session: OwnerSession) => Promise<Response> {
  return async (request, session) => {
    const origin = parts.getOrigin(request);
    const client = await loadClientRequest(await parts.getProvider(origin), origin, request);
    if (client === undefined) return createExpiredResponse();
    const owner = parts.getOwner(session);
    const offer = await buildOffer(await owner.reader(), await owner.catalog(), client.selections);
    const earlier = findEarlierAccess(await listAgents(owner), client.clientId, client.clientName);
    const earlierIds = earlier.map(({ agent }) => agent.id);
    const shown = [
      client.uid,
      client.clientName,
      client.redirectUri,
      client.selections,
      listDecisionFacts(offer),
      earlierIds,
    ];
    const consent = { parts, owner, session, client, offer, earlier, revision: hashRevision(...shown) };
    if (request.method === "GET") notePending(parts, session, client);
    if (request.method === "GET") return renderPage(consent, chooseRequested(offer, false), {});
    return handleForm(consent, await readForm(request));
  };
}

function notePending({ pendingRequests }: ConsentParts, session: OwnerSession, client: ClientRequest): void {
  const { uid, clientName, selections, redirectUri } = client;
  const { text: recipient, source: formTarget } = describeRecipient(redirectUri);
  const isSpecific = selections.length > 0;
  pendingRequests.note(session, { uid, client: clientName, isSpecific, recipient, formTarget });
}

interface Consent {
  readonly parts: ConsentParts;
  readonly owner: OwnerApi;
  readonly session: OwnerSession;
  readonly client: ClientRequest;
  readonly offer: Offer;
  readonly earlier: readonly EarlierAccess[];
  readonly revision: string;
}

interface PageOptions {
  readonly notice?: string;
  readonly isPreview?: boolean;
  /** Shows the decision in words instead of the form. */
  readonly isReview?: boolean;
  readonly replaced?: ReadonlySet<string>;
  readonly status?: number;
}

async function handleForm(consent: Consent, form: FormData): Promise<Response> {
  const { parts, session, offer, earlier, revision } = consent;
  if (!parts.signIn.isCsrfToken(session, form.get("csrf_token")))
    throw new PdppError("permission_error", "your session has changed. Reload the page and try again");
  const choice = parseChoice(form, offer);
  const act = String(form.get("act") ?? "");
  if (act === "deny") return redirectTo(await deny(consent));
  if (form.get("revision") !== revision)
    return renderPage(consent, chooseRequested(offer, choice.byField), {
      notice: "This request changed while the page was open. Nothing was shared. Review it and try again.",
      status: 409,
    });
  const selected = form.getAll("replace");
  const replaced = new Set(earlier.map(({ agent }) => agent.id).filter((id) => selected.includes(id)));
  const render = (changed: Choice, options: PageOptions = {}) => renderPage(consent, changed, { replaced, ...options });
  if (act === "by-field" || act === "by-part") return render({ ...choice, byField: act === "by-field" });
  if (act === "preset-before" && earlier[0] !== undefined) return render(chooseCurrentAccess(earlier[0].agent, choice));
  if (act === "clear")
    return render({ ...chooseRequested(offer, choice.byField), accounts: new Set(), fields: new Set() });
  if (act === "preview") return render(choice, { isPreview: true });
  if (act !== "allow" && act !== "review") return render(choice);
  const request = buildRequest(consent, choice);
  if (request === undefined) return render(choice, { notice: describeEmptyChoice(consent, choice), status: 422 });
  // Access that the page didn't show exactly is shown before it is allowed.
  if (act === "review" || choice.isInferred) return render(choice, { isReview: true });
  if (request.sources.some(({ purpose_code }) => isTrainingPurpose(purpose_code)) && !choice.training)
    return render(choice, { notice: trainingNotice, status: 422 });
  return redirectTo(await approve(consent, request, replaced));
}

function describeEmptyChoice({ client, offer }: Consent, choice: Choice): string {
  const [partial, ...others] = listUntickedSources(offer, choice);
  if (partial === undefined) return `Choose at least one source and what ${client.clientName} can read from it.`;
  return others.length === 0
    ? `You chose parts of ${partial.label}, but not ${partial.label} itself. Tick its box to share them.`
    : `You chose parts of ${others.length + 1} sources, but none of the sources. Tick the box of each one you want to share.`;
}

/** Whether this is the first decision on the request; a button can be pressed twice. */
const isFirstDecision = (on: WriteTransaction, { parts, client }: Consent): Promise<boolean> =>
  consumeArtifact(on, "Interaction", hashId(client.uid), parts.now());

async function deny(consent: Consent): Promise<string> {
  const { parts, client } = consent;
  if (!(await parts.store.engine.write((on) => isFirstDecision(on, consent)))) return client.next;
  return client.reject({ error: "access_denied", error_description: "the owner denied access" });
}

/** One transaction: a failure leaves neither a grant that no client can use, nor an earlier one that should have ended. */
async function approve(consent: Consent, request: GrantRequest, replaced: ReadonlySet<string>): Promise<string> {
  const { store, now } = consent.parts;
  const { ownerNo } = consent.session;
  const { client } = consent;
  return store.engine.write(async (on) => {
    if (!(await isFirstDecision(on, consent))) return client.next;
    const packageId = await issuePackage(store, on, ownerNo, request, now());
    await markClientGranted(on, client.clientId, now());
    for (const write of await client.prepareApproval(packageId, scope)) await saveModel(on, write, now());
    // Last, because revocations are also noted outside of the database.
    for (const id of replaced) await revokeGrant(store, on, ownerNo, id, now());
    return client.next;
  });
}

const trainingNotice =
  "Nothing was shared. The app wants to train AI models with your data. Agree to that below, or clear those sources.";

const buildRequest = ({ parts, client, offer }: Consent, choice: Choice): GrantRequest | undefined => {
  const who = { name: client.clientName, client_id: client.clientId };
  return buildGrantRequest(offer, choice, who, joinPurposes(client.purposes), parts.now());
};

const redirectTo = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

export const createExpiredResponse = (): Response =>
  createHtmlResponse(
    String(renderNotice("Request expired", "Start again from the app that sent you here. Nothing was shared.")),
    410,
  );

const createHtmlResponse = (html: string, status: number, formTarget?: string): Response =>
  new Response(html, { status, headers: buildPageHeaders(formTarget) });

async function renderPage(consent: Consent, choice: Choice, options: PageOptions): Promise<Response> {
  const { parts, owner, session, client, offer, earlier, revision } = consent;
  const { isPreview = false, isReview = false } = options;
  const recipient = describeRecipient(client.redirectUri);
  const isCompared = earlier.length > 0 && (isPreview || isReview || offer.isSpecific);
  const request = isPreview || isCompared ? buildRequest(consent, choice) : undefined;
  const preview =
    request === undefined ? emptyPreview : await buildPreview(owner, request, isPreview ? parts.runTool : undefined);
  const own = earlier.filter(({ isSameClient }) => isSameClient);
  const sameClient = own.map(({ agent }) => agent.id);
  const current = (own.length === 0 ? earlier : own).flatMap(({ agent }) => agent.access);
  const view: ConsentView = {
    action: `/consent/${client.uid}`,
    client: client.clientName,
    purposes: client.purposes,
    claims: client.claims,
    recipient: recipient.text,
    offer,
    choice,
    earlier,
    replaced: options.replaced ?? new Set(sameClient),
    changes: isCompared ? compareAccess(current, preview.access) : [],
    unchanged: isCompared ? listUnchangedAccounts(current, preview.access) : [],
    revision,
    viewer: { csrfToken: parts.signIn.createCsrfToken(session) },
    now: parts.now(),
    timeZone: (await owner.self()).time_zone,
    notice: options.notice,
    preview: isPreview ? preview : undefined,
  };
  const page = isReview ? renderReviewPage(view) : renderConsentPage(view);
  return createHtmlResponse(String(page), options.status ?? 200, recipient.source);
}

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Who gets the access, as a sentence and as a source for the page's content security policy. */
function describeRecipient(redirectUri: string | undefined): { readonly text: string; readonly source?: string } {
  if (redirectUri === undefined) return { text: "Access goes to the app showing the code you entered." };
  const { protocol, hostname, host, origin } = new URL(redirectUri);
  if (protocol === "https:" && !loopbackHosts.has(hostname))
    return { text: `Access goes to the website ${host}.`, source: origin };
  if (protocol === "http:" || protocol === "https:") return { text: "Runs on this computer.", source: origin };
  return { text: `Opens an app on this device (${protocol}//).`, source: protocol };
}
