"""In the child: what a cell prints and shows, as notebook outputs, kept within limits."""

import base64
import io
import threading

CUT = "\n… the rest of this output was cut\n"
MAX_OUTPUTS = 500  # of one cell
SHOWN = ("text/plain", "text/html", "image/png", "image/jpeg")  # html arrives as text, see `_plain`


class Collector:
    """The outputs of the cell that runs; between cells there is none and output is dropped."""

    def __init__(self, limits):
        self._limits = limits
        self._lock = threading.RLock()
        self._outputs = None

    def start(self):
        with self._lock:
            self._outputs, self._text, self._images, self._cut = [], 0, 0, False

    def stop(self):
        with self._lock:
            outputs, self._outputs = self._outputs, None
            return outputs or []

    def _room(self, text):
        """The part of the text that still fits; the first that does not ends with a remark."""
        left = max(0, self._limits.text - self._text)
        self._text += len(text)
        if len(text) <= left and len(self._outputs) < MAX_OUTPUTS:
            return text
        if self._cut:
            return ""
        self._cut = True
        return text[:left] + CUT

    def stream(self, name, text):
        with self._lock:
            if self._outputs is None:
                return
            text = self._room(text)
            if not text:
                return
            last = self._outputs[-1] if self._outputs else None
            if last and last["output_type"] == "stream" and last["name"] == name:
                last["text"].append(text)
            else:
                self._outputs.append({"output_type": "stream", "name": name, "text": [text]})

    def data(self, kind, data, count=None):
        with self._lock:
            if self._outputs is None:
                return
            plain = self._plain(data)
            if plain:
                output = {"output_type": kind, "data": plain}
                if count is not None:
                    output["execution_count"] = count
                self._outputs.append(output)

    def _plain(self, data):
        """Text and pictures only: markup is shown as the text that it is."""
        plain = {}
        for mime in ("image/png", "image/jpeg"):
            picture = data.get(mime)
            if isinstance(picture, bytes):
                picture = base64.b64encode(picture).decode()
            if isinstance(picture, str) and self._images < self._limits.images and len(picture) <= self._limits.image_size:
                self._images += 1
                plain[mime] = picture
        text = data.get("text/plain")
        if isinstance(data.get("text/html"), str) and isinstance(text, str) and text.endswith(" object>"):
            text = data["text/html"]
        if isinstance(text, str) and (text := self._room(text)):
            plain["text/plain"] = text
        return plain

    def error(self, name, value, lines):
        with self._lock:
            if self._outputs is not None:
                self._outputs.append(
                    {
                        "output_type": "error",
                        "ename": str(name)[:200],
                        "evalue": str(value)[:2000],
                        "traceback": [str(line)[:2000] for line in lines[:40]],
                    }
                )


class Stream(io.TextIOBase):
    """Stands for sys.stdout or sys.stderr."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, collector, name):
        self._collector, self.name = collector, f"<{name}>"
        self._name = name
        self.buffer = _Bytes(self)

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._collector.stream(self._name, text)
        return len(text)


class _Bytes(io.RawIOBase):
    def __init__(self, stream):
        self._stream = stream

    def writable(self):
        return True

    def write(self, data):
        self._stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)
