import { skillDescription, skillName, skillText } from "@pdpp/mcp/skill";
import { version } from "@pdpp/server/version";

/** The one description from which every shelf's files are made. */

export { skillName, skillText, version };

export const name = "pdpp";
export const license = "Apache-2.0";
export const author = { name: "pdpp" };
export const keywords = ["personal-data", "search", "mail", "notes", "mcp"];
export const category = "productivity";

/** At most 100 characters, the limit of the MCP registry. */
export const summary = "Search and read your personal-data vault within the access you gave";
export const longDescription = skillDescription;

export const settings = [
  {
    key: "provider_url",
    variable: "PDPP_PROVIDER_URL",
    title: "Address of your pdpp",
    description: "Where pdpp serve answers",
    fallback: "http://127.0.0.1:7663",
    isSecret: false,
  },
  {
    key: "access_token",
    variable: "PDPP_ACCESS_TOKEN",
    title: "Access token",
    description: "A token for this agent, from the console (Agents) or from: pdpp grant create",
    fallback: undefined,
    isSecret: true,
  },
] as const;

/** Where the program is in each folder. */
export const programFolder = "server";
export const programFile = `${programFolder}/pdpp.mjs`;
export const oldestNode = 24;
