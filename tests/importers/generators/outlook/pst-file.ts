import { type NodeData, PstBlocks } from "./pst-blocks.ts";
import { buildProperties, buildTable, type PstProperties, type PstRow } from "./pst-tables.ts";

/** Outlook data files, as small as they can be. */

interface PstAttachment {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer | PstMail;
  readonly contentId?: string;
}

export interface PstMail {
  readonly properties: PstProperties;
  readonly recipients?: readonly { readonly type: number; readonly name: string; readonly address: string }[];
  readonly attachments?: readonly PstAttachment[];
  /** Its node is there, but not its data. */
  readonly isBroken?: boolean;
}

export interface PstFolder {
  readonly name: string;
  readonly mails: readonly PstMail[];
  readonly folders?: readonly PstFolder[];
  /** The folder's count, if it differs from the number of mails. */
  readonly count?: number;
}

export const property = {
  class: 0x001a,
  subject: 0x0037,
  submitted: 0x0039,
  headers: 0x007d,
  flags: 0x0e07,
  lastVerb: 0x1081,
  senderName: 0x0c1a,
  senderType: 0x0c1e,
  senderAddress: 0x0c1f,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  messageId: 0x1035,
} as const;

const [rootFolder, hierarchy, contents] = [0x122, 11, 12];

export function writePst(folders: readonly PstFolder[]): Buffer {
  const blocks = new PstBlocks();
  let last = 0x800;
  const takeId = (type: number): number => {
    last += 1;
    return (last << 5) | type;
  };
  const addFolder = (nid: number, parent: number, { name, mails, folders: inner = [], count }: PstFolder): void => {
    const innerIds = inner.map(() => takeId(2));
    const mailIds = mails.map(() => takeId(4));
    blocks.addNode(
      nid,
      parent,
      buildProperties({ 12289: name, 13826: count ?? mails.length, 13834: inner.length > 0 }),
    );
    blocks.addNode(nid + hierarchy, 0, buildTable(innerIds.map((id) => ({ id }))));
    blocks.addNode(nid + contents, 0, buildTable(mailIds.map((id) => ({ id }))));
    for (const [n, mail] of mails.entries()) blocks.addNode(mailIds[n] ?? 0, nid, buildMailNode(mail), mail.isBroken);
    for (const [n, each] of inner.entries()) addFolder(innerIds[n] ?? 0, nid, each);
  };
  // The map of named properties has to be there, with something in each part.
  blocks.addNode(0x61, 0, buildProperties({ 2: Buffer.alloc(16), 3: Buffer.alloc(8), 4: Buffer.alloc(4) }));
  addFolder(rootFolder, rootFolder, { name: "", mails: [], folders });
  return blocks.finish();
}

function buildMailNode({ properties, recipients = [], attachments = [] }: PstMail): NodeData {
  const rows = recipients.map(
    ({ type, name, address }, id): PstRow => ({
      id,
      values: { 3093: type, 12289: name, 12290: "SMTP", 12291: address },
    }),
  );
  const files = attachments.map((attachment, n) => ({ nid: ((0x100 + n) << 5) | 5, ...buildAttachment(attachment) }));
  return buildProperties(properties, [
    ...(rows.length === 0 ? [] : [{ nid: 0x692, ...buildTable(rows) }]),
    ...(files.length === 0 ? [] : [{ nid: 0x671, ...buildTable(files.map(({ nid }) => ({ id: nid }))) }, ...files]),
  ]);
}

function buildAttachment({ name, type, content, contentId }: PstAttachment): NodeData {
  const about = { 14087: name, 14094: type, ...(contentId !== undefined && { 14098: contentId }) };
  if (Buffer.isBuffer(content)) return buildProperties({ ...about, 14085: 1, 14081: content });
  const nid = (0x200 << 5) | 4;
  return buildProperties({ ...about, 14085: 5, 14081: { subnode: nid } }, [{ nid, ...buildMailNode(content) }]);
}
