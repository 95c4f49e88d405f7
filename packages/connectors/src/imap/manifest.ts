import { mailManifest } from "@pdpp/importers/mail/manifest";
import { defineConnectorManifest } from "../kit/manifest.ts";

export const imapManifest = defineConnectorManifest(mailManifest, {
  fields: [
    { name: "host", label: "Server", env: "IMAP_HOST", example: "imap.example.com", required: true },
    { name: "user", label: "User", env: "IMAP_USER", example: "ada@example.com", required: true },
    { name: "password", label: "Password or app password", env: "IMAP_PASSWORD", secret: true },
    {
      name: "token",
      label: "Access token",
      env: "IMAP_ACCESS_TOKEN",
      description: "Instead of a password, from a provider that you signed in to.",
      secret: true,
    },
    { name: "port", label: "Port", env: "IMAP_PORT", description: "Defaults to 993, or to 143 without TLS." },
    {
      name: "security",
      label: "Security",
      env: "IMAP_SECURITY",
      choices: [
        { value: "tls", label: "TLS" },
        { value: "starttls", label: "STARTTLS" },
        { value: "none", label: "None: sends the password in the clear" },
      ],
    },
    {
      name: "folders",
      label: "Folders",
      env: "IMAP_FOLDERS",
      description: "Separated by commas. Defaults to all but junk and trash.",
      example: "INBOX,Archive",
    },
    {
      name: "absent",
      label: "Deleted mails",
      env: "IMAP_ABSENT",
      choices: [
        { value: "delete", label: "Delete them here too" },
        { value: "keep", label: "Keep them here" },
      ],
    },
  ],
  intervalSeconds: { recommended: 900, minimum: 60 },
});
