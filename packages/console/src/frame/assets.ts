import { exploreStyle } from "../explore/explore-style.ts";
import { consoleStyle } from "./console-style.ts";
import {
  consentScriptPath,
  iconPath,
  passkeyScriptPath,
  readOnScriptPath,
  signInScriptPath,
  stylePath,
} from "./frame.ts";
import { consentScript, passkeyScript, readOnScript, signInScript } from "./scripts.ts";
import { icon, style } from "./style.ts";

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const script = (path: string, text: string): Asset => ({ path, type: "text/javascript", text });

/** What pages load: the same for everybody, with nothing of a vault in it. */
export const assets: readonly Asset[] = [
  { path: iconPath, type: "image/svg+xml", text: icon },
  { path: stylePath, type: "text/css", text: style + consoleStyle + exploreStyle },
  script(signInScriptPath, signInScript),
  script(passkeyScriptPath, passkeyScript),
  script(consentScriptPath, consentScript),
  script(readOnScriptPath, readOnScript),
];

export const assetResponse = ({ type, text }: Asset): Response =>
  new Response(text, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "public, max-age=3600" },
  });
