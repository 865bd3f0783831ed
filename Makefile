# `make help` lists the targets. Each sets up .venv by itself, and repeats only what its inputs changed.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PORT   ?= 8000
CLASS  ?= class

GRADER := $(shell find autograder -name '*.py')
BOOK   := _config.yml _toc.yml $(shell find chapters -type f -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*')
MASTERS := $(wildcard solutions/*.md) solutions/checking.py

.DELETE_ON_ERROR:
# What changes the site and is no file: make site PYODIDE=folder SITE_URL=https://…
SETTINGS := $(PYODIDE) $(SITE_URL)

.PHONY: all help site release sample test serve grade lock clean always

all: site sample  ## build the website, grade the sample class, say what to open
	@$(BIN)/python -m autograder table sample_class
	@echo
	@echo "The website:  _build/html/index.html   (make serve puts it on localhost)"
	@echo "The report:   sample_class/report.html"

help:  ## list the targets
	@sed -nE 's/^([a-z]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "make %-9s %s\n", $$1, $$2 }'

$(READY): requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
# The autograder and the book's Sphinx extensions can be imported from any folder, by a plain sphinx-build too.
	printf '%s\n' "$(CURDIR)" "$(CURDIR)/chapters/_ext" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/course.pth"
	touch $@

release: release/.made  ## make the student notebooks from solutions/
release/.made: $(READY) $(MASTERS) $(GRADER)
	$(BIN)/python -m autograder release
	touch $@

site: _build/html/.made  ## build the website, warnings are errors (PYODIDE=folder: Python for the pages from there)
# The doctrees are made anew each time, since a kept one hides warnings; executed cells are kept in a cache, which
# knows the code cells only: what they import clears it.
_build/.imports: $(READY) chapters/plotting.py
	rm -rf _build/.jupyter_cache
	mkdir -p _build && touch $@
_build/.settings: always
	@mkdir -p _build; echo "$(SETTINGS)" | cmp -s - $@ || echo "$(SETTINGS)" > $@
_build/html/.made: $(READY) $(BOOK) release/.made _build/.imports _build/.settings
	rm -rf _build/.doctrees _build/html
	$(BIN)/jupyter-book build . -W -n --keep-going
	touch $@

sample: sample_class/report.html  ## grade the sample class that ships with the tests
sample_class/report.html: release/.made tests/sample_class.py $(GRADER)
	$(BIN)/python tests/sample_class.py sample_class/handed_in
	$(BIN)/python -m autograder grade sample_class/handed_in --class sample_class --quiet || [ $$? -eq 2 ]
	touch $@

test: all $(if $(TORCH),$(VENV)/.torch)  ## run every test (TORCH=1: those of the PyTorch page too)
	$(BIN)/python -m pytest

$(VENV)/.torch: $(READY) requirements-torch.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-torch.txt
	touch $@

serve: site  ## serve the website on localhost (PORT=8000)
	@echo "The course is at http://127.0.0.1:$(PORT)/ - stop with Ctrl-C"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

grade: release  ## grade a folder of submissions: make grade FROM=folder CLASS=class
	@test -n "$(FROM)" || { echo "make grade FROM=<folder or zip of submissions> [CLASS=class]"; exit 2; }
	$(BIN)/python -m autograder grade "$(FROM)" --class "$(CLASS)"

lock:  ## compile requirements.in into requirements.txt, for Python 3.11 to 3.13 on every system
	$(PYTHON) -m pip install --quiet uv
	$(PYTHON) -m uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-header --upgrade -q requirements.in -o requirements.txt

clean:  ## remove what make derives (not .venv, not a class)
	rm -rf _build release sample_class
