import type { JsonObject } from "@pdpp/contract/declaration";
import type { Measurable, Measure } from "@pdpp/evidence/sizes/measure";
import { measureTexts, type Size } from "@pdpp/evidence/sizes/size";
import { expandedForm, itemForm } from "./card.ts";
import { documentObject, documentText, linkObject } from "./document.ts";
import { groupForm } from "./group.ts";
import { hitForm, sourceForm } from "./hit.ts";
import { measureForm } from "./part.ts";
import { measureWindowFrame } from "./window-frame.ts";

/** Measures parts of answers as our tools lay them out. */
export const measureToolResult: Measure = (part) => {
  switch (part.kind) {
    case "record":
      return measureForm(itemForm(part.item, part.shared));
    case "hit":
      return measureHit(part);
    case "group":
      return measureForm(groupForm(part.group));
    case "document":
      return measureDocument(documentObject(part.document));
    case "expanded":
      return measureDocument(expandedForm(part.expanded).object as JsonObject);
    case "link":
      return measureLink(linkObject(part.link));
    case "window":
      return measureWindowFrame(part.subject, part.isBrief);
  }
};

function measureHit({ hit, source }: Extract<Measurable, { kind: "hit" }>): Size {
  const { lines, objects } = hitForm(hit);
  if (source === undefined) return measureForm({ lines, objects });
  const named = sourceForm(source);
  return measureForm({ lines: [...lines, ...named.lines], objects: [...objects, ...named.objects] });
}

/** A document is the same JSON in both copies of a result. */
const measureDocument = (object: JsonObject): Size => measureForm({ lines: [documentText(object)], objects: [object] });

const measureLink = (object: JsonObject): Size => {
  const json = JSON.stringify(object);
  return { ...measureTexts(json, json), chars: 2 * json.length };
};
