// Loads the next part of a long text when its end scrolls into view.

const text = document.querySelector("[data-window]");
const footer = document.querySelector("[data-rest]");
if (text && footer) loadOnScroll(text, footer);

/**
 * @param {Element} text
 * @param {Element} footer
 */
function loadOnScroll(text, footer) {
  let isLoading = false;
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) loadNextPart();
    },
    { rootMargin: "600px" },
  );

  async function loadNextPart() {
    /** @type {HTMLAnchorElement | null} */
    const link = footer.querySelector("a[rel=next]");
    if (!link || isLoading) return;
    isLoading = true;
    try {
      const response = await fetch(link.href);
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const nextText = page.querySelector("[data-window]");
      const nextFooter = page.querySelector("[data-rest]");
      if (!nextText || !nextFooter) return;
      text.append(...nextText.childNodes);
      footer.replaceChildren(...nextFooter.childNodes);
    } finally {
      isLoading = false;
    }
    // If the end is still visible, the observer has to be triggered again.
    observer.unobserve(footer);
    observer.observe(footer);
  }

  observer.observe(footer);
}
