import { z } from "zod";

export const documentTextSchema = z.object({
  text: z.string(),
  /** The text was truncated. */
  isCut: z.boolean(),
});
export type DocumentText = Readonly<z.infer<typeof documentTextSchema>>;
