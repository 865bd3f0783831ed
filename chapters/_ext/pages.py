"""What every page of the website should have, beyond its text.

- the course's style sheet, a description (its first paragraph) and Open Graph data;
- the date of its source's last commit;
- a 404 page; a sitemap when `html_baseurl` (`html: baseurl` in _config.yml, or SITE_URL) says where the site will stand;
- figures that load when they come into view, as small PNGs; no icon script (half a megabyte, and the icons are a font);
- no sphinx-thebe: Jupyter Book loads it on every page, where it raises an error, and live pages do its work.
"""

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from docutils import nodes
from PIL import Image, ImageChops, ImageDraw


def set_address(app, config):
    config.html_baseurl = os.environ.get("SITE_URL") or config.html_baseurl
    config.html_context.setdefault("default_mode", "auto")     # without it the theme's script reports an error


def description(doctree, limit=200):
    """The first paragraph of a page as plain text, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) > 60 and not isinstance(paragraph.parent, (nodes.Admonition, nodes.list_item)):
            return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0] + " …"
    return ""


def last_commit(path):
    """The day of the last commit that changed a file, or "" (no git, or a file not committed yet)."""
    command = ["git", "log", "-1", "--format=%cs", "--", path.name]
    try:
        return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def complete_context(app, page, template, context, doctree):
    context["html_baseurl"] = base = app.config.html_baseurl
    context["pageurl"] = f"{base.rstrip('/')}/{app.builder.get_target_uri(page)}" if base else ""
    context["root_url"] = f"{base.rstrip('/')}/" if base else "/"
    context["description"] = (description(doctree) if doctree else "") or app.config.html_title
    if page.startswith("release/"):     # these begin alike
        context["description"] = f"{context['title']}. {context['description']}"
    if doctree:
        context["last_updated"] = last_commit(Path(app.env.doc2path(page)))
    context["without_icon_script"] = lambda text: re.sub(r"<script[^>]*fontawesome\.js[^>]*></script>", "", text)
    app.add_css_file("course.css")


def drop_thebe(app, page, template, context, doctree):
    """Take sphinx-thebe's scripts and styles out of the page."""
    def wanted(asset):
        return "thebe" not in str(getattr(asset, "filename", asset) or "") and "thebe" not in str(getattr(asset, "attributes", {}).get("body", ""))

    for key in ("script_files", "css_files"):
        context[key] = [asset for asset in context.get(key, []) if wanted(asset)]


def drop_thebe_nodes(app, doctree, page):
    for node in list(doctree.findall(nodes.raw)):
        if node.astext().strip().startswith(("<script>kernelName", '<script type="text/x-thebe-config"')):
            node.parent.remove(node)


def load_late(app, doctree, page):
    """Let figures load when the reader comes near them; the first of a page comes with it."""
    for image in list(doctree.findall(nodes.image))[1:]:
        image["loading"] = "lazy"


def shrink_figures(app, exception):
    """Store the figures with a palette of 256 colours where no pixel changes visibly: a third of the bytes."""
    if exception or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / "_images").glob("*.png"):
        picture = Image.open(path)
        if picture.mode == "P" or picture.size[0] < 200:
            continue
        full = picture.convert("RGB")
        small = full.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        difference = ImageChops.difference(full, small.convert("RGB")).convert("L").histogram()
        if sum(difference[13:]) <= 0.0005 * full.size[0] * full.size[1]:
            small.save(path, optimize=True)


def write_icon(app, exception):
    """favicon.ico, which browsers ask for on pages that name no icon, such as Jupyter Book's redirect to the first page."""
    if exception or app.builder.format != "html":
        return
    icon = Image.new("RGBA", (128, 128))
    draw = ImageDraw.Draw(icon)
    draw.ellipse((8, 8, 120, 120), fill="#0072B2")
    draw.line((64, 64, 64, 20), fill="white", width=12)
    draw.line((64, 64, 100, 80), fill="white", width=12)
    icon.resize((32, 32), Image.Resampling.LANCZOS).save(Path(app.outdir) / "favicon.ico")


def extra_pages(app):
    yield "404", {}, "404.html"


def sitemap(base, pages):
    """The text of a sitemap; pages: (address below base, day of the last change or "")."""
    lines = []
    for address, day in pages:
        changed = f"<lastmod>{day}</lastmod>" if day else ""
        lines.append(f"  <url><loc>{escape(base.rstrip('/') + '/' + address)}</loc>{changed}</url>")
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return head + "\n".join(lines) + "\n</urlset>\n"


def write_sitemap(app, exception):
    base = app.config.html_baseurl
    if exception or app.builder.format != "html" or not base:
        return
    pages = [(app.builder.get_target_uri(page), last_commit(Path(app.env.doc2path(page)))) for page in sorted(app.env.found_docs)]
    (Path(app.outdir) / "sitemap.xml").write_text(sitemap(base, pages), encoding="utf-8")
    if urlsplit(base).path in ("", "/"):
        (Path(app.outdir) / "robots.txt").write_text(f"Sitemap: {base.rstrip('/')}/sitemap.xml\n", encoding="utf-8")


def setup(app):
    app.connect("config-inited", set_address)
    app.connect("doctree-resolved", drop_thebe_nodes, priority=900)
    app.connect("doctree-resolved", load_late)
    app.connect("build-finished", shrink_figures)
    app.connect("build-finished", write_icon)
    app.connect("html-page-context", complete_context)
    app.connect("html-page-context", drop_thebe, priority=900)
    app.connect("html-collect-pages", extra_pages)
    app.connect("build-finished", write_sitemap)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
