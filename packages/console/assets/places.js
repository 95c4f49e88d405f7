// Moves a mark along the drawn track. Without this script the page has the profile and a table of its points.

const slider = document.querySelector("input[data-stops]");
const mark = document.getElementById("map-position");
const words = document.getElementById("along-text");

if (slider instanceof HTMLInputElement && mark && words) {
  /** @type {[x: number, y: number, text: string][]} */
  const stops = JSON.parse(slider.dataset.stops ?? "[]");
  const profile = words.textContent?.trim() ?? "";
  let hasMoved = false;
  const showStop = () => {
    const stop = stops[Number(slider.value)];
    if (!stop) return;
    const [x, y, text] = stop;
    mark.setAttribute("cx", String(x));
    mark.setAttribute("cy", String(y));
    mark.removeAttribute("hidden");
    words.textContent = hasMoved ? `${text}.` : `${text}. ${profile} Drag the line, or use the arrow keys.`;
    slider.setAttribute("aria-valuetext", text);
    hasMoved = true;
  };
  slider.addEventListener("input", showStop);
  slider.removeAttribute("hidden");
  document.querySelector("details[data-folds]")?.removeAttribute("open");
  showStop();
}

const months = document.querySelector(".month-form select");
months?.addEventListener("change", () => months.closest("form")?.requestSubmit());
