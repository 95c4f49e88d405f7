/** Names from the first word that tells them from their neighbours: "private mail" and "work mail" of "Ada's …". */
export function findMarkNames(labels: readonly string[]): string[] {
  return labels.map((label) => {
    const words = label.split(" ");
    const shared = words.findIndex(
      (_, i) =>
        !labels.some((other) => other !== label && `${other} `.startsWith(`${words.slice(0, i + 1).join(" ")} `)),
    );
    return words.slice(Math.max(shared, 0)).join(" ");
  });
}
