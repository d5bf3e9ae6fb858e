"""The arguments of the examples when the gallery runs them: a pile and a crowd that take seconds."""

ARGUMENTS = {
    "pile.py": ["--spheres", "800", "--steps", "200"],
    "many_humanoids.py": ["--humanoids", "16", "--steps", "100"],
}


def arguments(_, script_vars):
    return ARGUMENTS.get(script_vars["src_file"].rpartition("/")[2], [])
