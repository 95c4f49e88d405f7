import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { origin, type Stage, someText } from "./agent.ts";

/** A client of the device flow. */

interface DeviceCode {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
}

export interface DeviceClient {
  readonly clientId: string;
  begin(more?: Readonly<Record<string, string>>): Promise<DeviceCode>;
  poll(asked: DeviceCode): Promise<Response>;
  /** Signs in, enters the code and allows access. */
  approve(asked: DeviceCode): Promise<void>;
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export async function createDeviceClient(on: Stage): Promise<DeviceClient> {
  const { clientId, token } = await on.register({
    client_name: "Test program",
    grant_types: [deviceGrant, "refresh_token"],
  });
  return {
    clientId,
    async begin(more = {}) {
      const body = new URLSearchParams({ client_id: clientId, resource: `${origin}/mcp`, ...more });
      const response = await on.fetch(new Request(`${origin}/oauth/device_authorization`, { method: "POST", body }));
      if (response.status !== 200) throw new Error(await response.text());
      return (await response.json()) as DeviceCode;
    },
    poll: ({ device_code }) => token({ grant_type: deviceGrant, device_code }),
    async approve({ user_code }) {
      const owner = on.owner();
      const page = await owner.send(await enterCode(on, owner, user_code), { confirm: "yes" });
      await owner.send(page, { ...someText, act: "allow" });
    },
  };
}

/** Signs in if needed, and enters a code. */
export async function enterCode(on: Stage, owner: Person, userCode: string): Promise<VisitedPage> {
  const page = await owner.open(`${origin}/device`);
  const enter = page.url.includes("/sign-in") ? await owner.send(page, { code: await on.code() }) : page;
  return owner.send(enter, { user_code: userCode.toLowerCase() });
}
