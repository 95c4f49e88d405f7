import { buildUrl } from "../../frame/addresses.ts";

export const getDocumentUrl = (id: string, q?: string): string => buildUrl("document", { id, q });
