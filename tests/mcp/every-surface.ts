import { type Connected, connect, type Surface, surfaces } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, type McpWorld, vaultSecret } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { afterAll, beforeAll, describe } from "vitest";

export interface On {
  readonly world: McpWorld;
  readonly client: Connected;
  readonly surface: Surface;
}

/** Both transports and both eras; `npm run test:all` takes every combination. `surface.test.ts` shows that all four answer alike. */
export const chosenSurfaces: readonly Surface[] = surfaces.filter(
  ({ transport, era }) => chooseRuns(0, 1) === 1 || (transport === "stdio") === (era === "legacy"),
);

/** Runs the tests against one vault with a client for each chosen transport and era. */
export function onEverySurface(tests: (on: () => On) => void, as: "token" | "chatToken" = "token"): void {
  let world: McpWorld;
  beforeAll(async () => {
    world = await createMcpWorld(await createVault("sqlite", vaultSecret));
  });
  afterAll(() => world.close());
  describe.each(chosenSurfaces)("over $transport in the $era era", (surface) => {
    let client: Connected;
    beforeAll(async () => {
      client = await connect(surface, world.url, world[as]);
    });
    afterAll(() => client.close());
    tests(() => ({ world, client, surface }));
  });
}
