"""A small web server for the built site: gzip as a real host would, and Pyodide from a local folder when there is one."""

import gzip
import json
import mimetypes
import os
import threading
from functools import lru_cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
mimetypes.add_type("text/javascript", ".mjs")
mimetypes.add_type("application/wasm", ".wasm")
COMPRESSED = {".html", ".css", ".js", ".mjs", ".svg", ".json", ".ipynb", ".py", ".md", ".txt", ".xml"}


def pyodide_folder():
    """$PYODIDE_DIR, or ../shared/pyodide beside the repository, or what is in the site, or None."""
    for folder in (os.environ.get("PYODIDE_DIR"), ROOT.parent / "shared/pyodide", *ROOT.glob("_build/html/_static/pyodide/*")):
        if folder and (Path(folder) / "pyodide.asm.wasm").is_file():
            return Path(folder)
    return None


@lru_cache(maxsize=None)
def body(path, changed):
    data = Path(path).read_bytes()
    return gzip.compress(data, 6) if Path(path).suffix in COMPRESSED and len(data) > 500 else data


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site, pyodide = None, None
    isolated = False          # whether pages may share memory with workers, as some hosts allow
    broken = ()               # parts of addresses that this server does not answer

    def do_GET(self):
        path = self.path.partition("?")[0]
        if any(part in path for part in self.broken):
            return self.answer(503, b"broken for a test", "text/plain")
        if self.pyodide and path.endswith("/_static/live/source.json"):
            return self.answer(200, json.dumps(dict.fromkeys(("core", "packages"), "/pyodide-files/")).encode(), "application/json")
        if self.pyodide and path.startswith("/pyodide-files/"):
            file = self.pyodide / path.removeprefix("/pyodide-files/")
        else:
            file = self.site / path.lstrip("/")
        if file.is_dir():
            file = file / "index.html"
        if ".." in file.parts or not file.is_file():
            return self.answer(404, (self.site / "404.html").read_bytes() if (self.site / "404.html").is_file() else b"404", "text/html")
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        data = body(str(file), file.stat().st_mtime_ns)
        return self.answer(200, data, kind, compressed=file.suffix in COMPRESSED and data[:2] == b"\x1f\x8b")

    def answer(self, status, data, kind, compressed=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "max-age=600" if "pyodide" in self.path else "no-cache")
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        if self.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


class Server:
    """`with Server(site) as server: server.url …` on a free port of this machine."""

    def __init__(self, site, pyodide=None, **settings):
        handler = type("SiteHandler", (Handler,), {"site": Path(site), "pyodide": pyodide, **settings})
        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.httpd.daemon_threads = True
        self.httpd.handle_error = lambda *about: None     # a browser that closes a page breaks off its requests
        self.url = f"http://127.0.0.1:{self.httpd.server_port}"

    def __enter__(self):
        threading.Thread(target=self.httpd.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.httpd.shutdown()
        self.httpd.server_close()
