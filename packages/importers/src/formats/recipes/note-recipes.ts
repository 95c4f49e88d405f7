import { parseInstant } from "@pdpp/contract/instant";
import { deriveId } from "../../core/identity.ts";
import { createNoteRecord, defineNoteStreams } from "../../core/records/note.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { dropNulls } from "../../core/text/clean.ts";
import { formatInstant } from "../../core/time/times.ts";
import { createRecipeImporter } from "./recipe.ts";

/** Readwise highlights of books and articles. */
export const readwise = createRecipeImporter({
  key: "readwise",
  title: "Readwise",
  manifest: defineManifest("readwise", "Readwise", "1.0.0", defineNoteStreams()),
  mainStream: "notes",
  sheets: [
    {
      columns: ["Highlight", "Book Title", "Book Author", "Note", "Tags", "Location", "Highlighted at"],
      also: ["Amazon Book ID", "Color", "Location Type", "Document tags"],
      *read(row) {
        const [highlight, book] = [row.value("Highlight"), row.value("Book Title")];
        if (highlight === null) throw new Error("nothing is marked in it");
        const at = row.value("Highlighted at")?.replace(" ", "T") ?? "";
        const note = row.value("Note");
        yield createNoteRecord({
          id: row.numbered(deriveId("readwise", book, row.value("Location"), highlight)),
          title: book,
          author: row.value("Book Author"),
          body: note === null ? highlight : `${highlight}\n\n${note}`,
          created: /(Z|[+-]\d\d:?\d\d)$/.test(at) && parseInstant(at) !== null ? formatInstant(Date.parse(at)) : null,
          folder: book,
          tags: (row.value("Tags") ?? "").split(","),
          extra: dropNulls({ location: row.value("Location"), color: row.value("Color") }),
        });
      },
    },
  ],
});
