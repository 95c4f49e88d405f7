import type { FormValues, SourceForm } from "@pdpp/console/sources/source-service";
import type { OwnerApi } from "@pdpp/contract/owner";
import { parsePath } from "@pdpp/importing/service/parse-path";
import { addFolderSource, findFolder } from "../folder/add-folder.ts";
import { pickValues } from "./form-fields.ts";

const example = "~/Downloads";

/** A folder of the server's computer, as a form. */
export const folderForm: SourceForm = {
  key: "folder",
  title: "Watched folder",
  note: "Imports everything that pdpp understands in this folder and the folders in it, now and whenever something changes.",
  needsDisk: true,
  fields: [
    {
      name: "path",
      label: "Folder",
      description: "Its full path on the vault's computer.",
      example,
      isSecret: false,
      isRequired: true,
    },
    {
      name: "absent",
      label: "When a file is removed from it",
      choices: [
        { value: "keep", label: "Keep its records" },
        { value: "delete", label: "Delete its notes and contacts here too" },
      ],
      isSecret: false,
      isRequired: true,
    },
  ],
};

/** Returns the id of the new source. */
export async function addFolderByForm(
  owner: OwnerApi,
  { label, values }: { readonly label: string; readonly values: FormValues },
): Promise<string> {
  const { path = "", absent } = pickValues(folderForm.fields, values);
  const source = await addFolderSource(owner, {
    path: findFolder(parsePath(path, example)),
    absent: absent === "delete" ? "delete" : "keep",
    label: label.trim() || undefined,
  });
  return source.source_id;
}
