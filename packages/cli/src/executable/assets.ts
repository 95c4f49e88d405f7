/** Files inside the single executable. */
export const assetNames = { index: "index.json", archive: "archive.zst" };
