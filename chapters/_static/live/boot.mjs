// The only script of live mode that a page loads by itself: it waits for the button.
const button = document.querySelector(".live-start");
button?.addEventListener("click", async () => {
  const status = document.querySelector(".live-status");
  button.disabled = true;
  status.textContent = "Loading the editor …";
  try {
    const { open } = await import("./page.mjs");
    await open(button.closest(".live-bar"));
  } catch (error) {
    button.disabled = false;
    status.textContent = `Live mode could not be loaded (${error.message}). Check the connection and try again, or download the notebook and run it in Jupyter.`;
  }
});
