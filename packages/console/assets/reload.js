// Replaces the parts of the page that the server is still counting, until the count is complete.

const intervalMs = 2000;

async function updateCounts() {
  if (!document.querySelector("[data-counting]")) return;
  const response = await fetch(location.href).catch(() => undefined);
  if (response?.ok) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const counting of document.querySelectorAll("[data-counting]")) {
      const updated = page.getElementById(counting.id);
      if (updated) counting.replaceWith(updated);
    }
  }
  setTimeout(updateCounts, intervalMs);
}

setTimeout(updateCounts, intervalMs);
