import { parseInstant } from "@pdpp/contract/instant";
import { findForm, type VisitedPage } from "@pdpp/test-support/web/person";
import { createDice, type Dice } from "../model/generators/dice.ts";
import type { LoadedVault } from "../model/loaded-vault.ts";
import type { GrantRequest, VaultSpec } from "../model/spec.ts";
import { callback, stage } from "../oauth/agent.ts";
import { type ClientOf, findHolder, type Tally } from "./client.ts";
import { WalkError } from "./walk.ts";

/**
 * A client that got its grant on the consent page, with a random request and random selections. The selections alone
 * decide what it may see.
 */

type RequestedSources = GrantRequest["sources"];
type Streams = RequestedSources[number]["streams"];

/** The request, in protocol terms. */
const buildDetails = (sources: RequestedSources): object[] =>
  sources.map(({ connector_key, streams }) => ({
    type: "https://pdpp.dev/data-access",
    source: { id: connector_key },
    streams: streams.map(({ connection_ids, ...stream }) => ({
      ...stream,
      ...(connection_ids === undefined ? {} : { instance_ids: connection_ids }),
    })),
  }));

export interface Consented {
  readonly client: ClientOf;
  /** The data the page promised to the client. */
  readonly promised: string;
}

export async function grantByConsent(
  vault: LoadedVault,
  spec: VaultSpec,
  wanted: GrantRequest,
  seed: number,
  tally: Tally,
): Promise<Consented | undefined> {
  const d = createDice(seed, 31);
  const asked = d.chance(60) ? wanted.sources : undefined;
  const on = stage(vault);
  const agent = await on.register({ client_name: "walker", redirect_uris: [callback] });
  const owner = on.owner();
  const details = asked === undefined ? {} : { authorization_details: JSON.stringify(buildDetails(asked)) };
  const first = await on.consent(agent, owner, details);
  const single = await owner.send(first, { act: "by-field" });
  const ticks = drawTicks(single, d);
  const since = d.chance(30) ? d.pick(["2026-03-01", "2026-05-15", "2026-07-01"]) : "";
  const review = await owner.send(single, { ...ticks, since, act: "preview" });
  const answered = await owner.send(review, { act: "allow" });
  const promise = buildPromise(spec, ticks, since, asked);
  const code = new URL(answered.url).searchParams.get("code");
  if (code === null) {
    if (answered.status === 422 && promise.length === 0) return undefined;
    throw new WalkError(`the page answered ${answered.status} for ${JSON.stringify({ ticks, since, asked })}`);
  }
  const exchanged = await agent.exchange(code);
  const { access_token: token }: { access_token: string } = JSON.parse(await exchanged.text());
  const sources = assignToGrants(promise, await vault.grantsBehind(token));
  const request = { client: { name: "walker" }, sources: sources.map(({ source }) => source) };
  const grantIds = sources.map(({ grantId }) => grantId);
  const shown = review.html.slice(review.html.indexOf('id="review"'));
  const client = findHolder(vault, spec, request, { token, grantIds }, tally);
  return { client, promised: shown };
}

interface Ticks {
  readonly account: string[];
  readonly field: string[];
  readonly [name: string]: string[];
}

function drawTicks(page: VisitedPage, d: Dice): Ticks {
  const offered = (name: string) => findForm(page).fields.filter((field) => field.name === name);
  const some = (name: string) =>
    offered(name)
      .filter(() => d.chance(70))
      .map(({ value }) => value);
  return { account: some("account"), field: some("field") };
}

/** Computes the meaning of these selections for each account, independently of the product. */
function buildPromise(
  spec: VaultSpec,
  { account, field }: Ticks,
  since: string,
  asked: RequestedSources | undefined,
): RequestedSources {
  const fields = field.map((value) => value.split("/").map(decodeURIComponent));
  const chosen = spec.connections.filter(({ id }) => account.includes(id));
  return chosen.flatMap(({ id, connectorKey }): RequestedSources => {
    const streams = spec.connectors.find(({ key }) => key === connectorKey)?.streams ?? [];
    const granted = streams.flatMap((stream): Streams => {
      const wish = asked
        ?.find(({ connector_key }) => connector_key === connectorKey)
        ?.streams.find(({ name }) => name === stream.name);
      const picked = fields
        .filter(([source, name]) => source === id && name === stream.name)
        .map(([, , name = ""]) => name);
      if (picked.length === 0 || wish?.connection_ids?.includes(id) === false) return [];
      const kind = stream.fields.find(({ name }) => name === stream.consentTimeField)?.kind;
      const begins = [wish?.time_range?.since, kind === "date" || kind === "date-time" ? since : ""]
        .flatMap((text) => (text ? [{ text, at: parseInstant(text) ?? 0 }] : []))
        .sort((a, b) => b.at - a.at)[0]?.text;
      const until = wish?.time_range?.until;
      if (begins !== undefined && until !== undefined && (parseInstant(begins) ?? 0) >= (parseInstant(until) ?? 0))
        return [];
      const range = { ...(begins === undefined ? {} : { since: begins }), ...(until === undefined ? {} : { until }) };
      return [
        {
          name: stream.name,
          connection_ids: [id],
          fields: picked,
          ...(Object.keys(range).length === 0 ? {} : { time_range: range }),
          ...(wish?.resources === undefined ? {} : { resources: wish.resources }),
        },
      ];
    });
    return granted.length === 0 ? [] : [{ connector_key: connectorKey, streams: granted }];
  });
}

type GrantsBehind = Awaited<ReturnType<LoadedVault["grantsBehind"]>>;

/** Accounts with the same promise may share a grant; each has to be in one. */
function assignToGrants(
  promise: RequestedSources,
  behind: GrantsBehind,
): { readonly source: RequestedSources[number]; readonly grantId: string }[] {
  const holds = ({ grant }: GrantsBehind[number], { streams }: RequestedSources[number]): boolean =>
    grant.streams.some(({ connection_ids }) => connection_ids.some((id) => streams[0]?.connection_ids?.includes(id)));
  const homeless = promise.filter((source) => behind.filter((each) => holds(each, source)).length !== 1);
  if (homeless.length > 0) throw new WalkError(`not in one grant: ${JSON.stringify(homeless)}`);
  return behind.map((each) => {
    const rows = promise.filter((source) => holds(each, source));
    if (rows.length === 0) throw new WalkError(`grant ${each.grant.grant_id} was never promised`);
    const byName = Map.groupBy(
      rows.flatMap(({ streams }) => streams),
      ({ name }) => name,
    );
    const streams = [...byName.values()].flatMap((same) => {
      const [first] = same;
      if (new Set(same.map((stream) => JSON.stringify({ ...stream, connection_ids: [] }))).size > 1)
        throw new WalkError(`one grant for what differs: ${JSON.stringify(same)}`);
      return first === undefined
        ? []
        : [{ ...first, connection_ids: same.flatMap(({ connection_ids }) => connection_ids ?? []) }];
    });
    return { grantId: each.grant.grant_id, source: { connector_key: each.grant.connector_key, streams } };
  });
}
