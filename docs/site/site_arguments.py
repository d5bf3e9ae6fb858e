"""The arguments of the examples when the gallery runs them: a pile that is poured in seconds."""


def arguments(_, script_vars):
    return ["--spheres", "800", "--steps", "200"] if script_vars["src_file"].endswith("pile.py") else []
