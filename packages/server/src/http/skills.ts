import { skillDescription, skillName, skillText } from "@pdpp/mcp/skill";
import { createJsonResponse } from "./respond.ts";

/** The agent skill, where tools look for one when they know only the server's address. It has no data and needs no token. */

const skillsPath = "/.well-known/skills";

const index = JSON.stringify({
  skills: [{ name: skillName, description: skillDescription, files: ["SKILL.md"] }],
});

export const skillRoutes: readonly (readonly [path: string, respond: () => Response])[] = [
  [`${skillsPath}/index.json`, () => createJsonResponse(200, index, {})],
  [
    `${skillsPath}/${skillName}/SKILL.md`,
    () => new Response(skillText, { headers: { "content-type": "text/markdown; charset=utf-8" } }),
  ],
];
