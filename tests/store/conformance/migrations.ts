import { expect, it } from "vitest";
import { sql } from "#server/store/engine/sql";
import { openStore } from "#server/store/store";
import { getLocation, type OpenVault, withVault } from "../vault.ts";

export function testMigrations(open: OpenVault): void {
  it("reopens a vault with the same schema, secret and owner", () =>
    withVault(open, async (vault) => {
      const again = await openStore(getLocation(vault));
      expect(again.secret).toBe(vault.store.secret);
      expect(again.secret.length).toBeGreaterThanOrEqual(43);
      const owners = await again.engine.read((on) => on.all(sql`SELECT owner_no, name, next_version FROM owner`));
      expect(owners).toEqual([{ owner_no: 1, name: "owner", next_version: 1 }]);
      await again.close();
    }));

  it("gives every vault a different secret", () =>
    withVault(open, (one) => withVault(open, async (other) => expect(one.store.secret).not.toBe(other.store.secret))));

  it("[KEEP-10] rejects a vault with a newer schema, says what to do, and leaves it unchanged", () =>
    withVault(open, async (vault) => {
      const { engine } = vault.store;
      await engine.write((on) => on.run(sql`UPDATE meta SET value = '99' WHERE name = 'schema_version'`));
      const refused = await openStore(getLocation(vault)).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        message: expect.stringMatching(/newer pdpp \(schema 99, this one supports \d+\); upgrade pdpp/),
        details: { next_step: expect.stringMatching(/start the newer one; to go back instead, .* restore/) },
      });
      const held = await engine.read((on) => on.one(sql`SELECT value FROM meta WHERE name = 'schema_version'`));
      expect(held).toEqual({ value: "99" });
    }));

  it("rolls back a failed write", () =>
    withVault(open, async ({ store: { engine } }) => {
      const failed = engine.write(async (on) => {
        await on.run(sql`INSERT INTO meta VALUES ('half', 'done')`);
        throw new Error("stop");
      });
      await expect(failed).rejects.toThrow("stop");
      await expect(engine.write((on) => on.run(sql`INSERT INTO meta VALUES ('half', ${null})`))).rejects.toThrow();
      expect(await engine.read((on) => on.one(sql`SELECT * FROM meta WHERE name = 'half'`))).toBeUndefined();
    }));

  it("shows a consistent snapshot to a read during concurrent writes", () =>
    withVault(open, async ({ store: { engine } }) => {
      for (const weight of ["light", "heavy"] as const) {
        const seen = await engine.read(async (on) => {
          const count = async () => (await on.all(sql`SELECT * FROM meta`)).length;
          const before = await count();
          await engine.write((to) => to.run(sql`INSERT INTO meta VALUES (${`new ${weight}`}, '')`));
          return [before, await count()];
        }, weight);
        expect(seen[0]).toBe(seen[1]);
      }
    }));
}
