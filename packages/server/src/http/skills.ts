import { skillDescription, skillName, skillText } from "@pdpp/mcp/skill";
import { createJsonResponse } from "./respond.ts";

/** Serves the agent skill where tools look for it. It contains no data and needs no token. */

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
