import { findChildren, getChildText, type XmlNode } from "../../core/parsing/xml-tree.ts";
import { cleanText } from "../../core/text/clean.ts";

/** Evernote stores tasks after the note's text; the text only has placeholder boxes for them. */

const taskGroupTag = /<div\b[^<>]{0,2000}--en-task-group:\s*true[^<>]{0,20000}>/i;

/** Replaces the placeholder boxes with check boxes. */
export function insertTasks(content: string, note: XmlNode): string {
  const tasks = findChildren(note, "task");
  if (tasks.length === 0) return content;
  const groups = Map.groupBy(tasks, (task) => getChildText(task, "taskGroupNoteLevelID") ?? "");
  let [text, rest] = ["", content];
  for (let found = taskGroupTag.exec(rest); found !== null; found = taskGroupTag.exec(rest)) {
    const id = /--en-id:\s*([\w-]+)/.exec(found[0])?.[1] ?? "";
    text += rest.slice(0, found.index) + renderTasks(groups.get(id) ?? []);
    groups.delete(id);
    rest = rest.slice(findDivEnd(rest, found.index + found[0].length));
  }
  const left = renderTasks([...groups.values()].flat());
  const end = rest.lastIndexOf("</en-note>");
  return end < 0 ? text + rest + left : text + rest.slice(0, end) + left + rest.slice(end);
}

/** Finds the end of the box, which may contain others. */
function findDivEnd(text: string, from: number): number {
  const tags = /<(\/?)div\b[^<>]*>/gi;
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    if (!tag[0].endsWith("/>")) depth += tag[1] === "/" ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  return text.length;
}

/** Sorted by their weight. */
function renderTasks(tasks: readonly XmlNode[]): string {
  const getWeight = (task: XmlNode): string => getChildText(task, "sortWeight") ?? "";
  return tasks
    .toSorted((a, b) => (getWeight(a) < getWeight(b) ? -1 : getWeight(a) > getWeight(b) ? 1 : 0))
    .map((task) => {
      const isDone = getChildText(task, "taskStatus") === "completed";
      const title = cleanText(getChildText(task, "title") ?? "")
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;");
      const due = /^(\d{4})(\d\d)(\d\d)/.exec(getChildText(task, "dueDate") ?? "");
      return `<div>[${isDone ? "x" : " "}] ${title}${due === null ? "" : ` (${due[1]}-${due[2]}-${due[3]})`}</div>`;
    })
    .join("");
}
