/** Writes ascending UIDs as IMAP does: `1:3,7`. */
export function formatUids(uids: readonly number[]): string {
  const ranges: string[] = [];
  for (let start = 0; start < uids.length; ) {
    let end = start;
    while (uids[end + 1] === (uids[end] ?? 0) + 1) end += 1;
    ranges.push(start === end ? `${uids[start]}` : `${uids[start]}:${uids[end]}`);
    start = end + 1;
  }
  return ranges.join(",");
}
