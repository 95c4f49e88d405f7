import { randomBytes } from "node:crypto";

/** The keychain of the operating system's user. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

const service = "pdpp";

/**
 * Opens the keychain if the optional package is installed and a value can be written and read back. On Linux only the secret service
 * counts: by default the package would fall back to the kernel's keyring, which is gone after a reboot.
 */
export async function openKeychain(): Promise<Keychain | undefined> {
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    const open = (name: string) => new AsyncEntry(service, name, { linux: { store: "secret-service" } });
    const keychain: Keychain = {
      get: (name) => open(name).getPassword(),
      set: (name, value) => open(name).setPassword(value),
      delete: async (name) => void (await open(name).deletePassword()),
    };
    return (await canStore(keychain)) ? keychain : undefined;
  } catch {
    // Not installed, or without a keychain, as in a service or a container.
    return undefined;
  }
}

async function canStore(keychain: Keychain): Promise<boolean> {
  const [name, value] = [`trial-${randomBytes(8).toString("hex")}`, randomBytes(8).toString("hex")];
  await keychain.set(name, value);
  const isStored = (await keychain.get(name)) === value;
  await keychain.delete(name);
  return isStored;
}
