import { type Connected, connect, type Surface, surfaces } from "@pdpp/test-support/mcp/clients";
import { createMcpWorld, type McpWorld, vaultSecret } from "@pdpp/test-support/mcp/world";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, beforeAll, describe } from "vitest";

export interface On {
  readonly world: McpWorld;
  readonly client: Connected;
  readonly surface: Surface;
}

/** Runs the tests against one vault with a client for each transport and era. */
export function onEverySurface(tests: (on: () => On) => void, as: "token" | "chatToken" = "token"): void {
  let world: McpWorld;
  beforeAll(async () => {
    world = await createMcpWorld(await createVault("sqlite", vaultSecret));
  });
  afterAll(() => world.close());
  describe.each(surfaces)("over $transport in the $era era", (surface) => {
    let client: Connected;
    beforeAll(async () => {
      client = await connect(surface, world.url, world[as]);
    });
    afterAll(() => client.close());
    tests(() => ({ world, client, surface }));
  });
}
