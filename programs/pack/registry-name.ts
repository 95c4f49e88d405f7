/** The name in the MCP registry, which shows that the repository's owner may use it: io.github.OWNER/pdpp. */
export function buildRegistryName(repository: string): string {
  const { hostname, pathname } = new URL(repository);
  const [host, owner] = [hostname.split(".")[0], pathname.split("/")[1]];
  return `io.${host}.${owner}/pdpp`;
}
