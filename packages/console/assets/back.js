// Browsers may keep a whole page for the Back button, also after signing out. It is hidden before it is kept, and loaded again when it returns.

addEventListener("pagehide", (event) => {
  if (event.persisted) document.documentElement.hidden = true;
});

addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
