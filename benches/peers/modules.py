"""Modules that may not be installed: the process that lacks one says missing=NAME and ends."""

import importlib
import sys


def module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing(error.name)


def missing(name):
    print(f"missing={name}", flush=True)
    sys.exit()
