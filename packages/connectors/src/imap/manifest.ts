import { mailManifest } from "@pdpp/importers/mail/manifest";
import { defineConnectorManifest } from "../kit/manifest.ts";

export const imapManifest = defineConnectorManifest(mailManifest, {
  fields: [
    { name: "host", label: "Server", env: "IMAP_HOST", example: "imap.example.com", required: true },
    { name: "user", label: "User", env: "IMAP_USER", example: "ada@example.com", required: true },
    { name: "password", label: "Password or app password", env: "IMAP_PASSWORD", secret: true },
    { name: "port", label: "Port", env: "IMAP_PORT", description: "Defaults to 993, with TLS." },
    {
      name: "folders",
      label: "Folders",
      env: "IMAP_FOLDERS",
      description: "Separated by commas. Defaults to all but junk and trash.",
      example: "INBOX,Archive",
    },
  ],
  intervalSeconds: { recommended: 900, minimum: 60 },
});
