import { maxPurposeChars } from "@pdpp/consent/choice";
import { parseSelections, type Selection } from "@pdpp/consent/selection";
import type { DeclaredPurpose } from "@pdpp/console";
import { cleanLabel } from "@pdpp/evidence/text/label";
import type Provider from "oidc-provider";
import { parseJson } from "../store/engine/json.ts";
import { createNodeExchange, rebuildRequest } from "./bridge.ts";
import { captureSave, type ModelWrite } from "./model-writes.ts";

export interface ClientRequest {
  readonly uid: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly purposes: readonly DeclaredPurpose[];
  readonly claims: readonly string[];
  /** Missing for a client that shows a code instead of opening a browser. */
  readonly redirectUri: string | undefined;
  readonly resources: readonly string[];
  readonly selections: readonly Selection[];
  /** Where the browser goes once the request is decided. */
  readonly next: string;
  reject(error: object): Promise<string>;
  prepareApproval(grantId: string, scope: string): Promise<readonly ModelWrite[]>;
}

/**
 * The library keeps its own session and would reject a second owner in the same browser, so all owners share one
 * account there. The package identifies the owner.
 */
const accountId = "1";

export async function loadClientRequest(
  provider: Provider,
  origin: string,
  request: Request,
): Promise<ClientRequest | undefined> {
  // The library finds the request by its cookies alone.
  const plain = await rebuildRequest(new Request(request.url, { headers: request.headers }), origin);
  if (plain === "too large") return undefined;
  const { req, res } = createNodeExchange(plain);
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined);
  if (interaction === undefined || interaction.uid !== new URL(request.url).pathname.split("/").at(-1))
    return undefined;
  const { params } = interaction;
  const clientId = String(params.client_id);
  const client = await provider.Client.find(clientId);
  if (client === undefined) return undefined;
  const selections = parseSelections(
    typeof params.authorization_details === "string" ? parseJson(params.authorization_details) : undefined,
  );
  const resource = params.resource;
  const resources = Array.isArray(resource) ? resource.map(String) : [String(resource ?? `${origin}/mcp`)];
  return {
    uid: interaction.uid,
    clientId,
    clientName: cleanLabel(client.clientName ?? "") || "Unnamed app",
    purposes: listPurposes(selections),
    claims: [...new Set(selections.flatMap(({ client_claims }) => client_claims?.commitments ?? []))],
    redirectUri: typeof params.redirect_uri === "string" ? params.redirect_uri : undefined,
    resources,
    selections,
    next: interaction.returnTo,
    reject: (error) => provider.interactionResult(req, res, { ...error }),
    async prepareApproval(grantId, scope) {
      const grant = new provider.Grant({ accountId, clientId });
      grant.jti = grantId;
      for (const each of resources) grant.addResourceScope(each, scope);
      // As `provider.interactionResult` does, without writing yet.
      interaction.result = {
        ...interaction.lastSubmission,
        login: { accountId, remember: false },
        consent: { grantId },
      };
      const secondsLeft = interaction.exp - Math.floor(Date.now() / 1000);
      return [await captureSave(grant), await captureSave(interaction, secondsLeft)];
    },
  };
}

function listPurposes(selections: readonly Selection[]): DeclaredPurpose[] {
  const found = new Map<string, DeclaredPurpose>();
  for (const { purpose_description: description, purpose_code: code } of selections)
    if (description !== undefined || code !== undefined)
      found.set(JSON.stringify([description, code]), { description, code });
  return [...found.values()];
}

export function joinPurposes(purposes: readonly DeclaredPurpose[]): string | undefined {
  const descriptions = [...new Set(purposes.flatMap(({ description }) => description ?? []))];
  return descriptions.length === 0 ? undefined : descriptions.join("; ").slice(0, maxPurposeChars).toWellFormed();
}
