"""Unknown keys in _config.yml are ignored silently by Jupyter Book; here they are an error."""

from importlib.resources import files

import pytest
import yaml
from jupyter_book.config import get_final_config
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace


@pytest.fixture(scope="module")
def configuration(root):
    return yaml.safe_load((root / "_config.yml").read_text())


def unknown(given: dict, known: dict, where: str = "") -> list[str]:
    found = []
    for key, value in given.items():
        if key not in known:
            found.append(where + key)
        elif isinstance(value, dict) and isinstance(known[key], dict) and known[key]:
            found += unknown(value, known[key], f"{where}{key}.")
    return found


def test_keys_are_those_of_jupyter_book(configuration):
    """In its default configuration, or read by name in the code that turns the file into Sphinx's settings."""
    known = yaml.safe_load(files("jupyter_book").joinpath("default_config.yml").read_text())
    code = files("jupyter_book").joinpath("config.py").read_text()
    given = {key: value for key, value in configuration.items() if key != "sphinx"}
    given["sphinx"] = {key: value for key, value in configuration["sphinx"].items() if key != "config"}
    given["sphinx"].pop("local_extensions")  # its keys are the book's own
    assert [key for key in unknown(given, known) if f'"{key.split(".")[-1]}"' not in code] == []


def test_a_misspelt_key_would_be_found():
    assert unknown({"html": {"favicn": "x"}}, {"html": {"favicon": ""}}) == ["html.favicn"]


def test_sphinx_settings_are_registered(configuration, root, tmp_path):
    """By Sphinx itself or by an extension that the book loads."""
    final, _ = get_final_config(user_yaml=root / "_config.yml", sourcedir=root, cli_config={"latex_individualpages": False})
    with docutils_namespace():
        app = Sphinx(root, None, tmp_path / "html", tmp_path / "doctrees", "html", confoverrides=final, status=None, warning=None)
        registered = set(app.config.values)
    assert set(configuration["sphinx"]["config"]) - registered == set()


def test_theme_options_are_known(configuration):
    import configparser

    known = set()
    for theme, folder in (("sphinx_book_theme", "theme/sphinx_book_theme"), ("pydata_sphinx_theme", "theme/pydata_sphinx_theme")):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(str(files(theme).joinpath(f"{folder}/theme.conf")))
        known |= set(parser["options"])
    assert set(configuration["sphinx"]["config"]["html_theme_options"]) <= known
