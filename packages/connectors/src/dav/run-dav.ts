import { ConnectorFailure } from "../kit/protocol.ts";
import type { ConnectorRun } from "../kit/run-connector.ts";
import { findStart } from "./address.ts";
import { collectCollections } from "./collect-collections.ts";
import { DavClient } from "./dav-client.ts";
import { type Collection, discoverCollections } from "./discover.ts";
import type { DavService } from "./service.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Collects with the settings in the environment, as the manifest names them. */
export async function runDav(run: ConnectorRun, service: DavService, horizon: number, env: Environment): Promise<void> {
  const address = env.DAV_URL?.trim();
  if (!address) throw createSettingError("DAV_URL is missing: the address of the server, or yours");
  const keepsAbsent = readAbsent(env.DAV_ABSENT);
  await run.showProgress("Connecting");
  const { home, candidates, user } = await findStart(address, service.type);
  const client = new DavClient(home, formatAuthorization(env, user));
  const found = await discoverCollections(client, service, candidates);
  const wanted = await chooseCollections(run, service, found, env.DAV_COLLECTIONS);
  await collectCollections(run, client, service, { wanted, found, keepsAbsent, horizon });
}

function readAbsent(value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "delete") return false;
  if (value === "keep") return true;
  throw createSettingError("DAV_ABSENT must be delete or keep");
}

function formatAuthorization(env: Environment, addressUser: string | undefined): string | undefined {
  if (env.DAV_ACCESS_TOKEN) return `Bearer ${env.DAV_ACCESS_TOKEN}`;
  const user = env.DAV_USER || addressUser;
  if (!env.DAV_PASSWORD) return undefined;
  if (user === undefined)
    throw createSettingError(
      "DAV_USER is missing: the user of the password, unless the address is like ada@example.com",
    );
  return `Basic ${Buffer.from(`${user}:${env.DAV_PASSWORD}`).toString("base64")}`;
}

/** By name or address. A collection that is gone must not stop the others. */
async function chooseCollections(
  run: ConnectorRun,
  service: DavService,
  found: readonly Collection[],
  setting: string | undefined,
): Promise<readonly Collection[]> {
  const names = (setting ?? "").split(",").map((name) => name.trim());
  const asked = names.filter((name) => name !== "");
  if (asked.length === 0) return found;
  const isMeant = ({ url, name }: Collection, wanted: string): boolean => url === wanted || name === wanted;
  const missing = asked.filter((wanted) => !found.some((collection) => isMeant(collection, wanted)));
  const offer = `the server has: ${found.map(({ name, url }) => name ?? url).join(", ")}`;
  if (missing.length === asked.length)
    throw createSettingError(`there are no ${service.plural} ${missing.join(", ")}; ${offer}`);
  for (const name of missing) await run.skip(service.stream, "not_found", `there is no ${name}; ${offer}`);
  return found.filter((collection) => asked.some((wanted) => isMeant(collection, wanted)));
}

const createSettingError = (message: string): ConnectorFailure =>
  new ConnectorFailure("invalid_setting", message, "manual_action_required");
