import type { SourceAccess, StreamAccess } from "@pdpp/consent/access";

/** Error messages are lower-case fragments; on a page they are sentences. */
export const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** Complete groups by their name, others by their fields. */
const formatStreamAccess = ({ groups }: StreamAccess): string =>
  groups
    .map(({ label, fields, isComplete }, i) => {
      if (!isComplete) return fields.join(", ");
      return i === 0 ? label : label.charAt(0).toLowerCase() + label.slice(1);
    })
    .join(", ");

export function formatSourceAccess({ isComplete, streams }: SourceAccess): string {
  if (isComplete) return "everything";
  return streams
    .map((stream) =>
      streams.length === 1 ? formatStreamAccess(stream) : `${stream.label} (${formatStreamAccess(stream)})`,
    )
    .join("; ");
}
