// Edits of a page, kept in the browser: {version, cells: {key: text}}. One entry per page; the version is that of
// the page's cells, so that edits of an older page are not put into a newer one unasked.
export class Store {
  constructor(page, version) {
    this.key = `live:${page}`;
    this.version = version;
  }

  read() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.key) ?? "null");
      return kept && typeof kept.cells === "object" ? kept : null;
    } catch {
      return null;     // storage is off, or holds something else
    }
  }

  /** Keep `cells`; no cells, no entry. False when the browser refuses. */
  write(cells) {
    try {
      if (Object.keys(cells).length) localStorage.setItem(this.key, JSON.stringify({ version: this.version, cells }));
      else localStorage.removeItem(this.key);
      return true;
    } catch {
      return false;
    }
  }
}
