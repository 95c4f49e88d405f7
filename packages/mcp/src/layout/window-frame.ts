import { formatHandle } from "@pdpp/evidence/handles/handle";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { WindowBlob, WindowSubject } from "@pdpp/evidence/sizes/measure";
import type { Size } from "@pdpp/evidence/sizes/size";
import { estimateTokens } from "@pdpp/evidence/sizes/tokens";
import { toLiteral } from "@pdpp/evidence/text/literal";

/** Keys, numbers, dates and fixed words of a result. */
const fixedChars = { full: 1250, brief: 1100 };
/** How often each copy repeats the record's id and the field's path: in its heading, in the next call and in the previous one. */
const repeats = {
  full: { text: { id: 3, path: 3 }, json: { id: 3, path: 3 } },
  brief: { text: { id: 1, path: 2 }, json: { id: 2, path: 2 } },
};

/**
 * How much of a result a field window takes besides its text. The server measures this before it cuts the text, so it is an upper
 * bound; a test checks it against real results.
 */
export function measureWindowFrame(subject: WindowSubject, isBrief: boolean): Size {
  const { connection_id: connectionId, stream, record_id: recordId, field } = subject;
  const id = formatHandle({ connectionId, stream, recordId });
  const style = isBrief ? "brief" : "full";
  const addresses = listAddresses(subject);
  // A brief result does not show commands.
  const once = [...listFacts(subject), ...(isBrief ? addresses.slice(1) : addresses)];
  const sum = (copy: "text" | "json", cost: (text: string) => number): number =>
    repeats[style][copy].id * cost(id) +
    repeats[style][copy].path * cost(field.path) +
    once.reduce((total, each) => total + cost(each), 0);
  const sumLargerCopy = (cost: (text: string) => number): number => Math.max(sum("text", cost), sum("json", cost));
  const fixed = fixedChars[style];
  const bytes = fixed + sumLargerCopy((text) => 3 * toLiteral(text).length);
  return {
    chars: fixed + sum("text", countEscapedTwice) + sum("json", countEscaped) + budget.result.envelopeChars,
    textBytes: bytes,
    jsonBytes: bytes,
    countTokens: () => Math.ceil(fixed / 2) + sumLargerCopy((text) => estimateTokens(toLiteral(text)) + 2),
  };
}

const countEscaped = (text: string): number => JSON.stringify(text).length;
const countEscapedTwice = (text: string): number => countEscaped(toLiteral(text));

const listFacts = ({ connector_key, display_name, event_time, local_time, field }: WindowSubject): string[] =>
  [connector_key, display_name, event_time, local_time, field.blob_id, field.media_type].flatMap((fact) =>
    fact === undefined ? [] : [String(fact)],
  );

/** Tools prefix addresses with the server's origin, which is unknown here; few are longer than this. */
const originPlaceholder = "x".repeat(48);

/** Addresses, commands and URIs that lead to bytes. */
function listAddresses({ bytes, field, blobs = [] }: WindowSubject): string[] {
  // An address and a command of about the same length; a blob also has a URI, which is twice as long.
  const ownBytes =
    bytes === undefined
      ? []
      : Array.from({ length: field.blob_id === undefined ? 2 : 4 }, (_, n) =>
          n === 0 ? originPlaceholder + bytes.url : bytes.url,
        );
  return [...ownBytes, ...blobs.flatMap(listBlobAddresses)];
}

/** Its type; the address, command and URI of its bytes; and the call that reads its text, about as long as that address. */
const listBlobAddresses = ({ mime_type = "", read, text }: WindowBlob): string[] => [
  mime_type,
  originPlaceholder,
  ...Array.from({ length: 5 }, () => read.url),
  ...(text === undefined ? [] : [text.url, text.url]),
];
