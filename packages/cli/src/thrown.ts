/** What was thrown can be anything; this is what is known of it. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code that the system gave, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
