# make help lists the targets. Each sets up .venv by itself, and repeats only what its inputs changed.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: all help
