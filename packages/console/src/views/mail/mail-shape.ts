import { type FieldValues, findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { Names } from "../../frame/names.ts";
import { type FilePlace, findFilePlace } from "../attached-files.ts";
import { findRoleField } from "../field-values.ts";

/** Where the parts of a mail are, as declared. */
export interface MailShape {
  readonly source: string;
  readonly declaration: StreamDeclaration;
  readonly subject: string | undefined;
  readonly sender: string | undefined;
  readonly address: string | undefined;
  readonly recipients: string | undefined;
  readonly copies: string | undefined;
  readonly labels: string | undefined;
  readonly body: string | undefined;
  readonly html: string | undefined;
  readonly time: string | undefined;
  readonly own: FieldValues | undefined;
  readonly attachments: string | undefined;
  readonly files: FilePlace | undefined;
  /** Set if the mails of a thread can be listed around a time. */
  readonly thread: { readonly field: string; readonly time: string } | undefined;
}

export function findMailShape(names: Names, source: string, stream: string): MailShape | undefined {
  const declaration = names.declaration(source, stream);
  const { presentation } = declaration ?? {};
  if (declaration === undefined || presentation?.kind !== "mail") return undefined;
  const { fields, own } = presentation;
  const { cursorField } = declaration;
  const ranges = cursorField === undefined ? [] : (findField(declaration, cursorField)?.rangeOperators ?? []);
  const canList = cursorField !== undefined && ranges.includes("lte") && ranges.includes("gt");
  return {
    source,
    declaration,
    subject: findRoleField(declaration, "primary-title"),
    sender: findRoleField(declaration, "actor"),
    address: fields.address,
    recipients: fields.recipients,
    copies: fields.copies,
    labels: fields.labels,
    body: findRoleField(declaration, "body"),
    html: fields.html,
    time: findRoleField(declaration, "event-time") ?? cursorField,
    own,
    attachments: fields.attachments,
    files: findFilePlace(names, source, declaration),
    thread: fields.thread !== undefined && canList ? { field: fields.thread, time: cursorField } : undefined,
  };
}
