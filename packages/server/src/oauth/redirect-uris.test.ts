import { expect, it } from "vitest";
import { findRedirectFault } from "./redirect-uris.ts";

it.each([
  "http://localhost:41234/callback",
  "http://127.0.0.1/",
  "http://[::1]:33418/",
  "https://claude.ai/api/mcp/auth_callback",
  "https://chatgpt.com/connector/oauth/x_1",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "vscode://vscode.github-authentication/did-authenticate",
  "vscode-insiders://publisher.extension/callback",
  "com.example.app:/oauth",
  "com.example.app://callback?x=1",
])("[WEB-10] accepts %s, as real clients register it", (uri) => {
  expect(findRedirectFault(uri)).toBeUndefined();
});

it.each([
  ["http://localhost:1/cb#x", "fragment"],
  ["https://good.example/cb#", "fragment"],
  ["https://user:secret@good.example/cb", "user name"],
  ["https://good.example@evil.example/cb", "user name"],
  ["https://@evil.example/cb", "user name"],
  ["com.example.app://good@evil/cb", "user name"],
  ["https://*.example.com/cb", "wildcard"],
  ["https://example.com/*", "wildcard"],
  ["myapp://callback", "dot"],
  ["javascript:alert(1)", "dot"],
  ["data:text/html,x", "dot"],
  ["file:///etc/passwd", "dot"],
  ["https://evil.example\\@good.example/", "backslashes"],
  ["https://good.example/\u202egpj.cb", "control"],
  ["https://good.example/a b", "spaces"],
  ["/callback", "not a URL"],
  [`https://good.example/${"x".repeat(2000)}`, "not a URL"],
  [7, "not a URL"],
])("[WEB-10] rejects %s", (uri, why) => {
  expect(findRedirectFault(uri)).toContain(why);
});
