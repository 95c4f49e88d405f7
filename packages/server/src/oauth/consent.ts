import { agentsOf } from "@pdpp/console/agents";
import {
  askedChoice,
  type Choice,
  choiceFrom,
  longestPurpose,
  presetChoice,
  regrouped,
  requestOf,
  revisionOf,
} from "@pdpp/console/consent/choice";
import { type ConsentView, consentPage, type DeclaredPurpose } from "@pdpp/console/consent/consent-page";
import { differences, type Earlier, earlierChoice, earlierOf } from "@pdpp/console/consent/earlier";
import { decidedOn, type Offer, offerOf, type Selection } from "@pdpp/console/consent/offer";
import { type Review, reviewOf } from "@pdpp/console/consent/review";
import { notice, pageHeaders } from "@pdpp/console/frame";
import type { ConsoleParts } from "@pdpp/console/session";
import { PdppError } from "@pdpp/contract/errors";
import type { GrantRequest } from "@pdpp/contract/grant";
import type { OwnerApi } from "@pdpp/contract/owner";
import { isTrainingPurpose } from "@pdpp/contract/purpose";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import type Provider from "oidc-provider";
import { issuePackage } from "../auth/issue.ts";
import { markClientGranted } from "../store/access/oauth-artifacts.ts";
import { parseJson } from "../store/engine/json.ts";
import type { Store } from "../store/store.ts";
import { nodeExchange, plainRequest } from "./bridge.ts";
import { scope } from "./provider-paths.ts";
import { parseSelection } from "./selection.ts";

/** The owner decides: what was asked becomes an offer, what is ticked becomes grants, and the client gets its answer. */

export interface ConsentParts extends ConsoleParts {
  readonly store: Store;
  readonly providerAt: (origin: string) => Promise<Provider>;
}

interface Asking {
  readonly provider: Provider;
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly purposes: readonly DeclaredPurpose[];
  readonly claims: readonly string[];
  /** Where the answer goes; without one, to whoever shows the code that the owner typed. */
  readonly redirectUri: string | undefined;
  readonly resources: readonly string[];
  readonly selections: readonly Selection[];
  /** Tells the client how it ended; answers where the browser goes next. */
  finish(result: object): Promise<string>;
}

export function consentAnswers(parts: ConsentParts): (request: Request, session: OwnerSession) => Promise<Response> {
  return async (request, session) => {
    const asking = await askingIn(parts, request);
    if (asking === undefined) return overAnswer();
    const owner = parts.ownerOf(session);
    const offer = await offerOf(await owner.reader(), await owner.catalog(), asking.selections);
    const earlier = earlierOf(await agentsOf(owner), asking.clientId, asking.clientName);
    const held = earlier.map(({ agent }) => agent.id);
    const seen = [asking.uid, asking.clientName, asking.redirectUri, asking.selections, decidedOn(offer), held];
    const decision = { parts, owner, session, asking, offer, earlier, revision: revisionOf(...seen) };
    if (request.method === "GET") return shown(decision, askedChoice(offer, false), {});
    return decided(decision, await request.formData());
  };
}

/** One request of a client, before one owner. */
interface Decision {
  readonly parts: ConsentParts;
  readonly owner: OwnerApi;
  readonly session: OwnerSession;
  readonly asking: Asking;
  readonly offer: Offer;
  readonly earlier: readonly Earlier[];
  readonly revision: string;
}

interface Shown {
  readonly notice?: string;
  readonly isReviewed?: boolean;
  readonly replaced?: ReadonlySet<string>;
  readonly status?: number;
}

async function decided(decision: Decision, form: FormData): Promise<Response> {
  const { parts, owner, session, asking, offer, earlier, revision } = decision;
  const { store, now, door } = parts;
  if (!door.isProof(session, form.get("proof")))
    throw new PdppError("permission_error", "your session has changed. Reload the page and try again");
  const choice = choiceFrom(form);
  const act = String(form.get("act") ?? "");
  if (act === "deny")
    return leave(await asking.finish({ error: "access_denied", error_description: "the owner denied access" }));
  if (form.get("revision") !== revision)
    return shown(decision, askedChoice(offer, choice.byField), {
      notice: "This request changed while the page was open. Nothing was shared. Review it and try again.",
      status: 409,
    });
  const named = form.getAll("replace");
  const replaced = new Set(earlier.map(({ agent }) => agent.id).filter((id) => named.includes(id)));
  const show = (changed: Choice, more: Shown = {}) => shown(decision, changed, { replaced, ...more });
  if (act === "by-field" || act === "by-part") return show(regrouped(offer, choice, act === "by-field"));
  if (act === "preset-before" && earlier[0] !== undefined) return show(earlierChoice(earlier[0].agent, choice));
  if (act.startsWith("preset-")) return show(presetChoice(offer, act.slice(7), choice.byField) ?? choice);
  if (act === "preview") return show(choice, { isReviewed: true });
  if (act !== "allow") return show(choice);
  const wanted = wantedBy(decision, choice);
  if (wanted === undefined)
    return show(choice, {
      notice: `Choose at least one source and what ${asking.clientName} can read from it.`,
      status: 422,
    });
  if (wanted.sources.some(({ purpose_code }) => isTrainingPurpose(purpose_code)) && !choice.training)
    return show(choice, { notice: trainingNotice, status: 422 });
  const packageId = await issuePackage(store, session.ownerNo, wanted, now());
  await store.engine.write((on) => markClientGranted(on, asking.clientId, now()));
  const grant = new asking.provider.Grant({ accountId, clientId: asking.clientId });
  grant.jti = packageId;
  for (const resource of asking.resources) grant.addResourceScope(resource, scope);
  await grant.save();
  for (const id of replaced) await owner.grants.revoke(id);
  return leave(await asking.finish({ login: { accountId, remember: false }, consent: { grantId: packageId } }));
}

const trainingNotice =
  "Nothing was shared. The app wants to train AI models with your data. Agree to that below, or clear those sources.";

/** Each purpose once, in the order asked. */
function purposesIn(selections: readonly Selection[]): DeclaredPurpose[] {
  const found = new Map<string, DeclaredPurpose>();
  for (const { purpose_description: description, purpose_code: code } of selections)
    if (description !== undefined || code !== undefined)
      found.set(JSON.stringify([description, code]), { description, code });
  return [...found.values()];
}

/** The client's descriptions, as a grant holds them. */
function purposeText(purposes: readonly DeclaredPurpose[]): string | undefined {
  const descriptions = [...new Set(purposes.flatMap(({ description }) => description ?? []))];
  return descriptions.length === 0 ? undefined : descriptions.join("; ").slice(0, longestPurpose).toWellFormed();
}

const wantedBy = ({ parts, asking, offer }: Decision, choice: Choice): GrantRequest | undefined => {
  const client = { name: asking.clientName, client_id: asking.clientId };
  return requestOf(offer, choice, client, purposeText(asking.purposes), parts.now());
};

/**
 * The library keeps a session of its own, and would refuse a second owner in the same browser. Whose it is, the package says; the library
 * need not know.
 */
const accountId = "1";

const leave = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

/** What was asked is no longer there. */
export const overAnswer = (): Response => {
  const text = "Start again from the app that sent you here. Nothing was shared.";
  return answer(String(notice("Request expired", text)), 410);
};

const answer = (html: string, status: number, target?: string): Response =>
  new Response(html, { status, headers: pageHeaders(target) });

async function shown(decision: Decision, choice: Choice, more: Shown): Promise<Response> {
  const { parts, owner, session, asking, offer, earlier, revision } = decision;
  const target = targetOf(asking.redirectUri);
  const isCompared = earlier.length > 0 && (more.isReviewed === true || offer.asked);
  const wanted = more.isReviewed || isCompared ? wantedBy(decision, choice) : undefined;
  const review =
    wanted === undefined ? nothingShared : await reviewOf(owner, wanted, more.isReviewed ? parts.toolText : undefined);
  const view: ConsentView = {
    action: `/consent/${asking.uid}`,
    client: asking.clientName,
    purposes: asking.purposes,
    claims: asking.claims,
    target: target.words,
    offer,
    choice,
    earlier,
    replaced: more.replaced ?? new Set(earlier.filter(({ isSame }) => isSame).map(({ agent }) => agent.id)),
    changes: isCompared
      ? differences(
          earlier.flatMap(({ agent }) => agent.reads),
          review.reads,
        )
      : [],
    revision,
    proof: { value: parts.door.proofOf(session) },
    now: parts.now(),
    notice: more.notice,
    review: more.isReviewed ? review : undefined,
  };
  return answer(String(consentPage(view)), more.status ?? 200, target.source);
}

const nothingShared: Review = { reads: [], cards: [] };

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Where an answer goes, in words and for the browser's own rules. */
function targetOf(redirectUri: string | undefined): { readonly words: string; readonly source?: string } {
  if (redirectUri === undefined) return { words: "Access goes to the app showing the code you entered." };
  const { protocol, hostname, host, origin } = new URL(redirectUri);
  if (protocol === "https:" && !loopback.has(hostname))
    return { words: `Access goes to the website ${host}.`, source: origin };
  if (protocol === "http:" || protocol === "https:") return { words: "Runs on this computer.", source: origin };
  return { words: `Opens an app on this device (${protocol}//).`, source: protocol };
}

async function askingIn({ providerAt, originOf }: ConsentParts, request: Request): Promise<Asking | undefined> {
  const origin = originOf(request);
  const provider = await providerAt(origin);
  // Its cookies are all that the library needs to know which request this is.
  const plain = await plainRequest(new Request(request.url, { headers: request.headers }), origin);
  if (plain === "too large") return undefined;
  const { req, res } = nodeExchange(plain);
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined);
  if (interaction === undefined || interaction.uid !== new URL(request.url).pathname.split("/").at(-1))
    return undefined;
  const { params } = interaction;
  const clientId = String(params.client_id);
  const client = await provider.Client.find(clientId);
  if (client === undefined) return undefined;
  const selections = selectionsIn(params.authorization_details);
  const resource = params.resource;
  const resources = Array.isArray(resource) ? resource.map(String) : [String(resource ?? `${origin}/mcp`)];
  return {
    provider,
    uid: interaction.uid,
    clientId,
    clientName: client.clientName?.trim() || "Unnamed app",
    purposes: purposesIn(selections),
    claims: [...new Set(selections.flatMap(({ client_claims }) => client_claims?.commitments ?? []))],
    redirectUri: typeof params.redirect_uri === "string" ? params.redirect_uri : undefined,
    resources,
    selections,
    finish: (result) => provider.interactionResult(req, res, { ...result }),
  };
}

function selectionsIn(details: unknown): Selection[] {
  if (typeof details !== "string") return [];
  const list: unknown = parseJson(details);
  if (!Array.isArray(list)) return [];
  return list.flatMap((detail) => {
    const parsed = parseSelection(detail);
    return parsed.fault === undefined ? [parsed.selection] : [];
  });
}
