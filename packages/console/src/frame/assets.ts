import { iconPath } from "@pdpp/contract/icon";
import { liveScript } from "../activity/live-script.ts";
import { exploreStyle } from "../explore/explore-style.ts";
import { importScript } from "../import/import-script.ts";
import { importStyle } from "../import/import-style.ts";
import { settingsStyle } from "../settings/settings-style.ts";
import { consoleStyle } from "./console-style.ts";
import {
  consentScriptPath,
  importScriptPath,
  keyScriptPath,
  liveLogScriptPath,
  passkeyScriptPath,
  readOnScriptPath,
  reloadScriptPath,
  signInScriptPath,
  stylePath,
  timeScriptPath,
} from "./frame.ts";
import { frameStyle } from "./frame-style.ts";
import { keyScript } from "./key-script.ts";
import { consentScript, passkeyScript, readOnScript, reloadScript, signInScript } from "./scripts.ts";
import { icon, style } from "./style.ts";
import { timeScript } from "./time-script.ts";

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const script = (path: string, text: string): Asset => ({ path, type: "text/javascript", text });

/** What pages load: the same for everybody, with nothing of a vault in it. */
export const assets: readonly Asset[] = [
  { path: iconPath, type: "image/svg+xml", text: icon },
  {
    path: stylePath,
    type: "text/css",
    text: style + frameStyle + consoleStyle + settingsStyle + exploreStyle + importStyle,
  },
  script(signInScriptPath, signInScript),
  script(passkeyScriptPath, passkeyScript),
  script(consentScriptPath, consentScript),
  script(readOnScriptPath, readOnScript),
  script(reloadScriptPath, reloadScript),
  script(liveLogScriptPath, liveScript),
  script(keyScriptPath, keyScript),
  script(timeScriptPath, timeScript),
  script(importScriptPath, importScript),
];

export const assetResponse = ({ type, text }: Asset): Response =>
  new Response(text, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "public, max-age=3600" },
  });
